# In:  the focal vectors of one model, all words; the published centroids and predictions.
# Out: results/logs/<dataset>/<model>/reproduce.json and .txt: whether ours are the published ones.
#      Only by its name, `snakemake reproduce`.

GOLDEN = "bert-base-uncased"
# Another model is no pass, but the check says of it what is wrong.
REPRODUCED = GOLDEN if GOLDEN in CONFIG.models else next(iter(CONFIG.models))
FOUND = f"{LOGS}/{REPRODUCED}/reproduce.json"

# What it finds is a log, since Snakemake deletes the output of a job that fails. Of one that passed
# an empty file remains: other vectors have another.
step(
    "reproduce",
    {
        "corpus": CORPUS,
        "embeddings": FILES.listings(REPRODUCED, ["focal"]),
        "published": FILES.published.format(system=f"1nn-{GOLDEN}"),
        "_source": LISTED,
    },
    {
        "_passed": touch(
            f"{LOGS}/{FILES.keyed['model'][REPRODUCED]}/reproduced@{KEYS.key('reproduced', KEYS.corpus)}"
        )
    },
    f"reproduce: the vectors of {REPRODUCED} beside the published ones",
    f"--centroids {SOURCE}/published/centroids/{GOLDEN}.txt --out {FOUND}",
    log=f"{LOGS}/{REPRODUCED}/reproduce.log",
    **OF_SET,
)
