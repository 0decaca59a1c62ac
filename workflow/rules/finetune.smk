# In:  the corpus, the folds of a training set, an encoder.
# Out: results/<dataset>/<model>/finetune/<train>/: finetuned-<seed>.parquet, predictions as any
#      others; trials.csv, what the folds say of each setting; costs.csv, what it took; model/, the
#      encoder of the first seed. While it runs, .unfinished/ there has a checkpoint per epoch.
#      results/<dataset>/<name>/model.json, the record of that encoder as one of `models`.

FINETUNE = f"{RESULTS}/{{model}}/finetune/{{train}}"
FINETUNED = f"{FINETUNE}/finetuned-{{seed}}.parquet"

if CONFIG.finetune:

    rule finetune:
        input:
            modules=modules("finetune"),
            model="results/models/{model}.json",
            corpus=CORPUS,
            folds=FOLDS,
        output:
            predictions=expand(
                FINETUNED, seed=CONFIG.finetune.seeds, allow_missing=True
            ),
            trials=f"{FINETUNE}/trials.csv",
            costs=f"{FINETUNE}/costs.csv",
            model=f"{FINETUNE}/model/model.safetensors",
        log:
            f"{LOGS}/{{model}}/finetune/{{train}}.log",
        # It keeps all cores busy, and what it gives is the same for any number of them.
        priority: 2
        conda:
            CONDA
        threads: workflow.resource_settings.cores or 1
        resources:
            mem_mb=lambda wildcards, attempt: attempt
            * math.ceil(2000 + 10 * weights_mb(wildcards)),
            runtime=finetune_minutes,
            gpu=int(CONFIG.uses_gpu),
        params:
            corpus=folder_of("corpus"),
            words=WORDS,
            # A function: Snakemake would look for wildcards in a text that has {braces}.
            grid=lambda wildcards: CONFIG.finetune.model_dump_json(
                include={"rate", "epochs", "blocks"}
            ),
            steps=CONFIG.finetune.steps,
            tried=CONFIG.finetune.folds,
            seeds=CONFIG.finetune.seeds,
            objective=CONFIG.tuning.objective,
            pooling=lambda wildcards: ENCODERS[wildcards.model].pooling,
            reads=lambda wildcards: ENCODERS[wildcards.model].input,
            device=CONFIG.device,
            out=subpath(output.trials, parent=True),
        message:
            "finetune: {wildcards.model} on {wildcards.train}"
        shell:
            "wsd --log {log} finetune --model {input.model} --corpus {params.corpus}"
            " --words {params.words} --folds {input.folds} --grid {params.grid:q}"
            " --steps {params.steps} --tried {params.tried} --seeds {params.seeds} --objective {params.objective}"
            " --pooling {params.pooling} --input {params.reads} --device {params.device}"
            " --threads {threads} --out {params.out}"


if CONFIG.finetuned:

    use rule model as finetuned_model with:
        input:
            modules=modules("model"),
            weights=finetuned_weights,
        output:
            f"{RESULTS}/{{model}}/model.json",
        log:
            f"{LOGS}/{{model}}/model.log",
        wildcard_constraints:
            model="|".join(map(re.escape, CONFIG.finetuned)),
        params:
            source=lambda wildcards, input: model_source(wildcards)
            + f" --path {Path(input.weights).parent}",
            sha256=model_checksums,
            blocks=lambda wildcards: ENCODERS[wildcards.model].blocks,
            width=lambda wildcards: ENCODERS[wildcards.model].width,
