# In:  the corpus, the folds of a training set, an encoder.
# Out: <model>/finetune/<train>/: finetuned-<seed>.parquet, predictions like all others; trials.csv,
#      the cross-validation of each setting; costs.csv, time and memory; model/, the encoder of the
#      first seed. During a training, .unfinished/ there has a checkpoint per epoch.

FINETUNING = STUDY_FILES["finetuning"]
FOLDER = FINETUNING["finetune"]
SECTION = CONFIG.sections["finetune"]
GRID = {"rate", "epochs", "blocks"}


def finetune_minutes(wildcards, attempt):
    """Return three times the estimate for a core; there is a training per setting and seed."""
    seconds = STUDIES["finetuning"].training_seconds(
        CONFIG,
        model_of(wildcards),
        bare(wildcards.train),
        wsd.run.plan.pass_seconds(model_of(wildcards), 1),
    )
    return attempt * math.ceil(10 + 3 * seconds / 60)


step(
    "finetune",
    {"model": record_of, "corpus": CORPUS, "folds": FILES.folds},
    {
        "_predictions": expand(FINETUNING["finetuned"], seed=SECTION.seeds, allow_missing=True),
        "_trials": f"{FOLDER}/trials.csv",
        "_costs": f"{FOLDER}/costs.csv",
        "_model": f"{FOLDER}/model/model.safetensors",
        "listings": f"{FOLDER}/model.json",
    },
    "finetune: {base} on {train}",
    f"--grid {{params.grid:q}} --steps {SECTION.steps}"
    f" --tried {SECTION.folds} --seeds {' '.join(map(str, SECTION.seeds))}"
    " {params.how} --threads {threads}",
    "finetune",
    folder=FOLDER,
    log=FILES.log(FOLDER),
    mem=by_weights(2000, 10),
    minutes=finetune_minutes,
    params={
        "how": vectors_flags,
        # A function: in plain text, Snakemake would take the {braces} for wildcards.
        "grid": lambda wildcards: SECTION.model_dump_json(include=GRID),
    },
    **HEAVY,
)
