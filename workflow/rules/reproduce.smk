# In:  the focal vectors of one model, all words; the published centroids and predictions.
# Out: results/logs/<dataset>/<model>/reproduce.json and .txt: whether ours are the published ones.
#      Only by its name, `snakemake reproduce`.

GOLDEN = "bert-base-uncased"

if DATASET == "coarsewsd20":
    # Another model is no pass, but the check says of it what is wrong.
    REPRODUCED = GOLDEN if GOLDEN in CONFIG.models else next(iter(CONFIG.models))

    # What it finds is a log, since Snakemake deletes the output of a job that fails. Of one that
    # passed an empty file remains: it runs again when something that it reads changes.
    rule reproduce:
        input:
            modules=modules("reproduce"),
            corpus=CORPUS,
            vectors=listings(REPRODUCED, "focal"),
            centroids=f"{SOURCE}/published/centroids/{GOLDEN}.txt",
            published=PUBLISHED.format(system=f"1nn-{GOLDEN}"),
        output:
            touch(f"{LOGS}/{REPRODUCED}/reproduced"),
        log:
            f"{LOGS}/{REPRODUCED}/reproduce.log",
            found=f"{LOGS}/{REPRODUCED}/reproduce.json",
            text=f"{LOGS}/{REPRODUCED}/reproduce.txt",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 1.5),
            runtime=scaled(10, 0.1),
        params:
            corpus=folder_of("corpus"),
            embeddings=folder_of("vectors"),
            words=WORDS,
        message:
            f"reproduce: the vectors of {REPRODUCED} beside the published ones"
        shell:
            "wsd --log {log[0]} reproduce --corpus {params.corpus} --words {params.words}"
            " --embeddings {params.embeddings} --centroids {input.centroids}"
            " --published {input.published} --out {log.found}"
