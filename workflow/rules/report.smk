# In:  results/<dataset>/: corpus, predictions, projections, neighbours, the two tables.
# Out: <tables>/report/, the pages; <tables>/portable/, each word page as one file, which
#      `snakemake --report` takes in. results/index.html, which lists all reports, is no output of a
#      rule (common.smk, `list_reports`).

# The pages show one view: the first of those classified.
PAGE_VIEW = CONFIG.classify[0]


rule report:
    input:
        modules=modules("report"),
        assets=sorted(Path(PACKAGE).glob("report/assets/*")),
        templates=sorted(Path(PACKAGE).glob("report/templates/*")),
        corpus=CORPUS,
        predictions=shown(PREDICTIONS),
        projections=shown(PROJECTIONS),
        neighbours=shown(NEIGHBOURS),
        scores=rules.evaluate.output.scores,
        summary=rules.evaluate.output.summary,
        provenance=rules.evaluate.output.provenance,
        comparison=rules.compare.output.table,
        behind=[
            *rules.compare.output.behind,
            *rules.layerwise.output,
            *rules.strategies.output,
        ],
        confidence=expand(rules.calibration.output, model=CONFIG.models),
        geometry=[path for path in analyses() if path.endswith("geometry.csv")],
        gloss_worth=gloss_worth(),
        alignment=expand(rules.alignment.output, model=CONFIG.models),
        substitutes=asked(SUBSTITUTES),
        sense_substitutes=[
            path for path in analyses() if path.endswith("substitutes.csv")
        ],
        manifest=MANIFEST,
    output:
        index=f"{TABLES}/report/index.html",
        layers=f"{TABLES}/report/layers.html",
        strategies=f"{TABLES}/report/strategies.html",
        errors=f"{TABLES}/report/errors.html" if SYSTEMS or CONFIG.systems else [],
        # Folders: Snakemake keeps notes on every file that it knows.
        words=directory(f"{TABLES}/report/words"),
        portable=report(
            directory(f"{TABLES}/portable"),
            patterns=["{model}/{word}.html"],
            category="Words",
        ),
    log:
        f"{TABLE_LOGS}/report.log",
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
        view=PAGE_VIEW,
        tables=folder_of("behind"),
        confidence=[f"{TABLES}/{model}" for model in CONFIG.models],
        text="" if CONFIG.sentences else "--no-text",
        substitutes=[str(Path(path).parent) for path in asked(SUBSTITUTES)],
    message:
        "report: the pages"
    shell:
        "wsd --log {log} report --corpus {params.corpus} --words {params.words}"
        " --dataset {params.dataset} --view {params.view} --predictions {input.predictions}"
        " --projections {input.projections} --neighbours {input.neighbours}"
        " --scores {input.scores} --summary {input.summary} --provenance {input.provenance}"
        " --comparison {input.comparison} --tables {params.tables} --geometry {input.geometry}"
        " --gloss-worth {input.gloss_worth}"
        " --alignment {input.alignment} --confidence {params.confidence}"
        " --substitutes {params.substitutes} --sense-substitutes {input.sense_substitutes}"
        " {params.text} --out {params.out} --portable {output.portable}"
