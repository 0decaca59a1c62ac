# In:  the corpus, the folds of a training set, an encoder.
# Out: <model>/finetune/<train>/: finetuned-<seed>.parquet, predictions as any others; trials.csv,
#      what the folds say of each setting; costs.csv, what it took; model/, the encoder of the first
#      seed. While it runs, .unfinished/ there has a checkpoint per epoch.

GRID = {"rate", "epochs", "blocks"}

# It keeps all cores busy, and what it gives is the same for any number of them.
step(
    "finetune",
    {"model": record_of, "corpus": CORPUS, "folds": FILES.folds},
    {
        "_predictions": expand(
            FILES.finetuned, seed=CONFIG.finetune.seeds, allow_missing=True
        ),
        "_trials": f"{FILES.finetune}/trials.csv",
        "_costs": f"{FILES.finetune}/costs.csv",
        "_model": f"{FILES.finetune}/model/model.safetensors",
        "listings": f"{FILES.finetune}/model.json",
    },
    "finetune: {base} on {train}",
    f"--grid {{params.grid:q}} --steps {CONFIG.finetune.steps}"
    f" --tried {CONFIG.finetune.folds} --seeds {' '.join(map(str, CONFIG.finetune.seeds))}"
    " {params.how} --threads {threads}",
    "finetune",
    folder=FILES.finetune,
    log=FILES.log(FILES.finetune),
    mem=lambda wildcards, attempt: attempt
    * math.ceil(2000 + 10 * weights_mb(MODEL_OF[wildcards.base])),
    minutes=finetune_minutes,
    params={
        "how": vectors_flags,
        # A function: Snakemake would look for wildcards in a text that has {braces}.
        "grid": lambda of: CONFIG.finetune.model_dump_json(include=GRID),
    },
    **HEAVY,
)
