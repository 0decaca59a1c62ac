# In:  the corpus, the folds of a training set, an encoder.
# Out: <model>/finetune/<train>/: finetuned-<seed>.parquet, predictions like all others; trials.csv,
#      the cross-validation of each setting; model/, the encoder of the first seed.

FINETUNING = STUDY_FILES["finetuning"]
FOLDER = FINETUNING["finetune"]
SECTION = CONFIG.sections["finetune"]


def finetune_minutes(wildcards, attempt):
    """Return the minutes of all trainings on the whole corpus; one pass trains as long as three."""
    sentences = sum(CONFIG.dataset.sizes[word] for word in CONFIG.words)
    epochs = max(*SECTION.epochs, SECTION.steps * 32 / sentences)
    trials = len(SECTION.rate) * len(SECTION.epochs) * SECTION.folds
    trainings = len(SECTION.seeds) + (trials if trials > SECTION.folds else 0)
    return attempt * math.ceil(3 * epochs * trainings * pass_minutes(wildcards, 1))


step(
    "finetune",
    {"model": record_of, "corpus": CORPUS, "folds": FILES.folds},
    {
        "_predictions": expand(FINETUNING["finetuned"], seed=SECTION.seeds, allow_missing=True),
        "_trials": f"{FOLDER}/trials.csv",
        "_model": f"{FOLDER}/model/model.safetensors",
        "listings": f"{FOLDER}/model.json",
    },
    {
        "rates": SECTION.rate,
        "epochs": SECTION.epochs,
        "steps": SECTION.steps,
        "tried": SECTION.folds,
        "seeds": SECTION.seeds,
        **READS,
    },
    log=FILES.log(FOLDER),
    mem=by_weights(2000, 10),
    minutes=finetune_minutes,
    **HEAVY,
)
