# In:  the corpus and the files of other systems; the published centroids and predictions.
# Out: published/<system>.parquet and systems/<system>.parquet, the predictions of published and other
#      systems; with `snakemake reproduce`, results/logs/<dataset>/<model>/reproduce.json and .txt, a
#      comparison of our vectors and predictions with the published ones.

from wsd.studies.systems import system_descriptions

SYSTEMS = STUDY_FILES["systems"]

step(
    "score",
    {
        "corpus": CORPUS,
        "_file": lambda wildcards: CONFIG.sections["systems"][bare(wildcards.system)],
    },
    SYSTEMS["systems"],
    "score: reading the predictions of {system}",
    "{input._file:q} --name {system}",
    mem=(600, 20),
    minutes=(10, 1),
)

if DATASET == "coarsewsd20":

    step(
        "published",
        {"corpus": CORPUS, "_source": LISTED},
        SYSTEMS["published"],
        "published: reading the predictions of {system}",
        "--source {params.source} --system {system}",
        only={"system": any_of(system_descriptions.SYSTEMS)},
        mem=(600, 20),
        minutes=(10, 1),
        params=TEXTS,
    )

    GOLDEN = "bert-base-uncased"
    # For another model, the check fails with a message.
    REPRODUCED = GOLDEN if GOLDEN in CONFIG.models else next(iter(CONFIG.models))
    RESULT = f"{LOGS}/{REPRODUCED}/reproduce.json"

    # The result is a log, since Snakemake deletes the outputs of a failed job. A passed check leaves an
    # empty file with the key of the vectors.
    step(
        "reproduce",
        {
            "corpus": CORPUS,
            "embeddings": FILES.listings(REPRODUCED, ["focal"]),
            "published": SYSTEMS["published"].format(system=f"1nn-{GOLDEN}"),
            "_source": LISTED,
        },
        {
            "_passed": touch(
                f"{LOGS}/{FILES.keyed['model'][REPRODUCED]}/reproduced@{SYSTEMS['reproduced']}"
            )
        },
        f"reproduce: the vectors of {REPRODUCED} compared with the published ones",
        f"--centroids {SOURCE}/published/centroids/{GOLDEN}.txt --out {RESULT}",
        log=f"{LOGS}/{REPRODUCED}/reproduce.log",
        **LIGHT,
    )
