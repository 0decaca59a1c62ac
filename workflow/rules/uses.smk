# In:  results/<dataset>/: corpus and embeddings. No senses, but where there are some the clusters
#      are held against them.
# Out: <tables>/<model>/uses/<view>/<layers>.parquet, the clusters of every word at a layer choice;
#      .../uses/substitutes.parquet, those of what an encoder that was asked would say;
#      <tables>/uses/, a page per word and model, index.html and uses.csv. Of a corpus without senses
#      this is what a run makes; of another only by its name, `snakemake uses_page`.

USES = f"{TABLES}/{{model}}/uses/{{view}}/{{layers}}.parquet"
SUBSTITUTE_USES = f"{TABLES}/{{model}}/uses/substitutes.parquet"


rule uses:
    input:
        modules=modules("uses"),
        corpus=CORPUS,
        vectors=vectors,
    output:
        USES,
    log:
        f"{TABLE_LOGS}/{{model}}/uses/{{view}}.{{layers}}.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 1.5),
        runtime=scaled(20, 1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
        clusters=f"--clusters {CONFIG.clusters.most}" if CONFIG.clusters.most else "",
        centre=f"--centre {CONFIG.clusters.centre}" if CONFIG.clusters.centre else "",
        seed=CONFIG.seed,
    message:
        "uses: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}"
    shell:
        "wsd --log {log} uses --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {wildcards.layers}"
        " {params.clusters} {params.centre} --seed {params.seed} --out {output}"


rule substitute_uses:
    input:
        modules=modules("substitute-uses"),
        corpus=CORPUS,
        substitutes=SUBSTITUTES,
    output:
        SUBSTITUTE_USES,
    log:
        f"{TABLE_LOGS}/{{model}}/substitute_uses.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(1200, 20),
        runtime=scaled(20, 1),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        substitutes=subpath(input.substitutes, parent=True),
        clusters=f"--clusters {CONFIG.clusters.most}" if CONFIG.clusters.most else "",
        seed=CONFIG.seed,
    message:
        "uses: by the substitutes of {wildcards.model}"
    shell:
        "wsd --log {log} substitute-uses --corpus {params.corpus} --words {params.words}"
        " --substitutes {params.substitutes} {params.clusters} --seed {params.seed} --out {output}"


rule uses_page:
    input:
        modules=modules("uses-page"),
        assets=sorted(Path(PACKAGE).glob("report/assets/*")),
        templates=sorted(Path(PACKAGE).glob("report/templates/*")),
        corpus=CORPUS,
        uses=shown(USES, CONFIG.classify[:1]),
        substitutes=asked(SUBSTITUTE_USES),
        manifest=MANIFEST,
    output:
        index=f"{TABLES}/uses/index.html",
        table=f"{TABLES}/uses/uses.csv",
        words=[directory(f"{TABLES}/uses/{model}") for model in CONFIG.models],
    log:
        f"{TABLE_LOGS}/uses_page.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 20),
        runtime=scaled(10, 1),
    params:
        out=subpath(output.index, parent=True),
        corpus=folder_of("corpus"),
        dataset=lambda wildcards, input: input.manifest or DATASET,
        words=WORDS,
        text="" if CONFIG.sentences else "--no-text",
    message:
        "uses: the pages"
    shell:
        "wsd --log {log} uses-page --corpus {params.corpus} --words {params.words}"
        " --dataset {params.dataset} --uses {input.uses} {params.text}"
        " --substitute-uses {input.substitutes} --out {params.out}"
