# In:  the archive of CoarseWSD-20 (download or WSD_COARSEWSD20_ARCHIVE), or wsd/data/<dataset>.
# Out: results/<dataset>/corpus/<word>.parquet, one checked table per word.

FILES = ["classes_map.txt"] + expand(
    "{split}.{kind}.txt", split=["train", "test"], kind=["data", "gold"]
)
SOURCE = (
    f"{RESULTS}/source" if DATASET == "coarsewsd20" else f"{PACKAGE}/data/{DATASET}"
)


if DATASET == "coarsewsd20":

    rule download:
        input:
            modules=modules("download"),
            manifest=f"{PACKAGE}/data/coarsewsd20.sha256",
        output:
            files=expand(
                "{source}/{word}/{file}",
                source=SOURCE,
                word=CONFIG.dataset.words,
                file=FILES,
            ),
            licence=f"{SOURCE}/LICENSE",
        log:
            f"{LOGS}/download.log",
        benchmark:
            f"{BENCHMARKS}/download.tsv"
        conda:
            CONDA
        params:
            out=subpath(output.licence, parent=True),
        message:
            "download: CoarseWSD-20, checking every file"
        shell:
            "wsd --log {log} download --out {params.out}"


rule corpus:
    input:
        modules=modules("corpus"),
        files=expand("{source}/{{word}}/{file}", source=SOURCE, file=FILES),
    output:
        f"{RESULTS}/corpus/{{word}}.parquet",
    log:
        f"{LOGS}/corpus/{{word}}.log",
    benchmark:
        f"{BENCHMARKS}/corpus/{{word}}.tsv"
    conda:
        CONDA
    params:
        source=folder_of("files", 2),
    message:
        "corpus: reading and checking {wildcards.word}"
    shell:
        "wsd --log {log} corpus --source {params.source} --word {wildcards.word} --out {output}"
