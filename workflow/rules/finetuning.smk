# In:  the corpus, the folds of a training set, an encoder.
# Out: <model>/finetune/<train>/: finetuned-<seed>.parquet, predictions as any others; trials.csv,
#      what the folds say of each setting; costs.csv, what it took; model/, the encoder of the first
#      seed. While it runs, .unfinished/ there has a checkpoint per epoch.

FINETUNING = STUDY_FILES["finetuning"]
FOLDER = FINETUNING["finetune"]
SECTION = CONFIG.sections["finetune"]
GRID = {"rate", "epochs", "blocks"}


def finetune_minutes(wildcards, attempt):
    """Three times what one core is expected to take; a training per setting and seed."""
    seconds = STUDIES["finetuning"].training_seconds(
        CONFIG,
        MODEL_OF[wildcards.base],
        bare(wildcards.train),
        wsd.run.plan.COSTS,
    )
    return attempt * math.ceil(10 + 3 * seconds / 60)


# It keeps all cores busy, and what it gives is the same for any number of them.
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
    mem=lambda wildcards, attempt: attempt
    * math.ceil(2000 + 10 * weights_mb(MODEL_OF[wildcards.base])),
    minutes=finetune_minutes,
    params={
        "how": vectors_flags,
        # A function: Snakemake would look for wildcards in a text that has {braces}.
        "grid": lambda of: SECTION.model_dump_json(include=GRID),
    },
    **HEAVY,
)
