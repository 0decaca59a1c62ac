# In:  a corpus of pairs, and the vectors of its sentences.
# Out: <tables>/<model>/pairs.csv and cosines.parquet, what every layer choice is worth;
#      <tables>/<model>/pairs.html, the page.

PAIRS_PAGE = f"{TABLES}/{{model}}/{wsd.artifacts.pairs.PAGE}"


rule pairs:
    input:
        modules=modules("pairs"),
        corpus=CORPUS,
        vectors=pages_vectors,
    output:
        table=f"{TABLES}/{{model}}/pairs.csv",
        cosines=f"{TABLES}/{{model}}/cosines.parquet",
    log:
        f"{TABLE_LOGS}/{{model}}/pairs.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 3),
        runtime=scaled(10, 0.1),
    params:
        pairs=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        view=CONFIG.classify[0],
        layers=lambda wildcards: CONFIG.models[wildcards.model].unmixed(
            CONFIG.classify[0]
        ),
        transforms=CONFIG.transforms,
        seed=CONFIG.seed,
        out=subpath(output.table, parent=True),
    message:
        "pairs: every layer choice of {wildcards.model}"
    shell:
        "wsd --log {log} pairs --pairs {params.pairs} --embeddings {params.embeddings}"
        " --view {params.view} --layers {params.layers} --transforms {params.transforms}"
        " --seed {params.seed} --out {params.out}"


rule pairs_page:
    input:
        modules=modules("pairs-page"),
        assets=sorted(Path(PACKAGE).glob("report/assets/*")),
        templates=sorted(Path(PACKAGE).glob("report/templates/*")),
        corpus=CORPUS,
        scores=[rules.pairs.output.table, rules.pairs.output.cosines],
        manifest=f"{SOURCE}/{dataset.MANIFEST}",
    output:
        PAIRS_PAGE,
    log:
        f"{TABLE_LOGS}/{{model}}/pairs_page.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 20),
        runtime=scaled(10, 1),
    params:
        pairs=folder_of("corpus"),
        scores=folder_of("scores"),
        text="" if CONFIG.sentences else "--no-text",
    message:
        "pairs-page: the page of {wildcards.model}"
    shell:
        "wsd --log {log} pairs-page --pairs {params.pairs} --scores {params.scores}"
        " {params.text} --out {output}"
