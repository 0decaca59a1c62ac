# In:  the selection, the predictions, vectors and folds of what was selected.
# Out: <tables>/<model>/calibration.csv, reliability.csv and novelty.csv: what the selected
#      probabilities are worth, and which sentences are far from the training set;
#      <tables>/selected.wsd, the selected classifier in one file: only by its name,
#      `snakemake fit`.

CONFIDENCE = ("calibration", "reliability", "novelty")


rule calibration:
    input:
        modules=modules("calibration"),
        corpus=CORPUS,
        vectors=stored_vectors,
        folds=FOLDS.format(train=FULL),
        predictions=lambda wildcards: [
            path
            for path in candidates(PREDICTIONS)
            if path.startswith(f"{RESULTS}/{wildcards.model}/")
        ],
        selection=[rules.select.output.table, rules.select.output.chosen],
    output:
        expand("{results}/{{model}}/{table}.csv", results=TABLES, table=CONFIDENCE),
    log:
        f"{TABLE_LOGS}/{{model}}/calibration.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 1.5),
        runtime=scaled(10, 0.2),
    params:
        results=folder_of("corpus", 2),
        run=OF_RUN,
        seed=CONFIG.seed,
        out=subpath(output[0], parent=True),
    message:
        "calibration: what was selected of {wildcards.model}"
    shell:
        "wsd --log {log} calibration --results {params.results} {params.run} --model {wildcards.model}"
        " --seed {params.seed} --out {params.out}"


rule fit:
    input:
        modules=modules("fit"),
        corpus=CORPUS,
        vectors=listings(CONFIG.models, CONFIG.store),
        folds=FOLDS.format(train=FULL),
        predictions=candidates(PREDICTIONS),
        selection=[rules.select.output.table, rules.select.output.chosen],
        scores=rules.evaluate.output.scores,
        comparison=[rules.compare.output.table, *rules.compare.output.behind],
        confidence=expand(rules.calibration.output, model=CONFIG.models),
        manifest=MANIFEST,
    output:
        f"{TABLES}/selected.wsd",
    log:
        f"{TABLE_LOGS}/fit.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 1.5),
        runtime=scaled(10, 0.2),
    params:
        results=folder_of("corpus", 2),
        run=OF_RUN,
    message:
        "fit: the selected classifier as one file"
    shell:
        "wsd --log {log} fit --results {params.results} {params.run} --out {output}"
