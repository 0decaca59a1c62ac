# In:  predictions of every kind, the selection, the corpus.
# Out: <tables>/comparison.csv and comparison/, what stands behind it and the tables for a
#      paper; comparison/layers.csv and word-layers.csv, every layer choice, model-layers.csv, each
#      model less the first, group-layers.csv and group-peaks.csv, by part of speech; figures/, the
#      same to print; comparison/strategies.csv, ways to tell senses with what they took;
#      <model>/geometry.csv, code-length.csv and substitutes.csv; audit/<model>/*.csv.

COMPARISON = (
    "words",
    "rare-senses",
    "differences",
    "best-set",
    "errors",
    "controls",
    "selectivity",
    "learning",
)
AUDIT = ("duplicates", "instances", "confusions")
NESTED = ("1pct", "5pct", "10pct", "25pct", "50pct", FULL)


rule compare:
    input:
        modules=modules("compare"),
        corpus=CORPUS,
        candidates=candidates(PREDICTIONS),
        per_word=expand(PER_WORD, model=CONFIG.models),
        baselines=[
            *(expand(BASELINES, baseline=NAMES) if CONFIG.controls.baselines else []),
            *asked(OF_SUBSTITUTES),
        ],
        views=controls(PREDICTIONS, CONFIG.models, CONTROL_VIEWS),
        twins=controls(PREDICTIONS, CONFIG.twins, CONFIG.classify[:1]),
        zero_shot=zero_shot(),
        finetuned=finetuned([FULL] if FULL in CONFIG.finetune_trains else []),
        finetuned_layers=finetuned_layers(PREDICTIONS),
        control=(
            controls(CONTROL, CONFIG.models, CONFIG.classify[:1])
            if CONFIG.controls.task
            else []
        ),
        published=expand(PUBLISHED, system=SYSTEMS),
        systems=expand(SCORED, system=CONFIG.systems),
        selection=rules.select.output.chosen,
        selection_table=rules.select.output.table,
        scores=rules.evaluate.output.scores,
    output:
        table=report(
            f"{TABLES}/comparison.csv",
            category="Comparison",
            caption="../report/comparison.rst",
        ),
        behind=expand(
            "{results}/comparison/{table}.csv", results=TABLES, table=COMPARISON
        ),
        paper=expand(
            "{results}/comparison/comparison.{kind}",
            results=TABLES,
            kind=["md", "tex"],
        ),
    log:
        f"{TABLE_LOGS}/compare.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 50),
        runtime=scaled(20, 2),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        seed=CONFIG.seed,
        out=lambda wildcards, output: str(Path(output.paper[0]).parent),
    message:
        "compare: intervals, paired tests, tables for a paper"
    shell:
        "wsd --log {log} compare --corpus {params.corpus} --words {params.words}"
        " --candidates {input.candidates} --per-word {input.per_word}"
        " --baselines {input.baselines} --views {input.views} --twins {input.twins}"
        " --zero-shot {input.zero_shot} --finetuned {input.finetuned}"
        " --finetuned-layers {input.finetuned_layers} --control {input.control}"
        " --published {input.published} --systems {input.systems}"
        " --selection {input.selection} --selection-table {input.selection_table}"
        " --scores {input.scores} --seed {params.seed} --table {output.table} --out {params.out}"


rule layerwise:
    input:
        modules=modules("layerwise"),
        corpus=CORPUS,
        predictions=candidates(PREDICTIONS, joined=False),
        searches=candidates(SEARCH, joined=False),
    output:
        layers=f"{TABLES}/comparison/layers.csv",
        words=f"{TABLES}/comparison/word-layers.csv",
        models=f"{TABLES}/comparison/model-layers.csv",
        groups=f"{TABLES}/comparison/group-layers.csv",
        peaks=f"{TABLES}/comparison/group-peaks.csv",
    log:
        f"{TABLE_LOGS}/layerwise.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 50),
        runtime=scaled(20, 2),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        seed=CONFIG.seed,
    message:
        "layerwise: every layer choice beside the one that the folds choose"
    shell:
        "wsd --log {log} layerwise --corpus {params.corpus} --words {params.words}"
        " --predictions {input.predictions} --searches {input.searches} --seed {params.seed}"
        " --layers {output.layers} --word-layers {output.words}"
        " --model-layers {output.models} --group-layers {output.groups}"
        " --group-peaks {output.peaks}"


# The logs are no inputs: what did not leave its time here is not run again for it.
rule strategies:
    input:
        modules=modules("strategies"),
        corpus=CORPUS,
        candidates=of_every_train(PREDICTIONS),
        searches=of_every_train(SEARCH),
        selection=rules.select.output.chosen,
        baselines=[
            *(
                expand(BASELINES, baseline=NAMES[:2])
                if CONFIG.controls.baselines
                else []
            ),
            *asked(OF_SUBSTITUTES),
        ],
        zero_shot=zero_shot(),
        per_word=expand(PER_WORD, model=CONFIG.models),
        finetuned=finetuned(),
    output:
        f"{TABLES}/comparison/strategies.csv",
    log:
        f"{TABLE_LOGS}/strategies.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 50),
        runtime=scaled(20, 2),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        results=folder_of("corpus", up=2),
        logs=LOGS,
        own=TABLE_LOGS,
        parts=len(PARTS),
        seed=CONFIG.seed,
    message:
        "strategies: what each scores, on how many labels, in what time"
    shell:
        "wsd --log {log} strategies --corpus {params.corpus} --words {params.words}"
        " --candidates {input.candidates} --searches {input.searches}"
        " --selection {input.selection} --baselines {input.baselines}"
        " --zero-shot {input.zero_shot} --per-word {input.per_word}"
        " --finetuned {input.finetuned} --results {params.results}"
        " --logs {params.logs} --own-logs {params.own}"
        " --parts {params.parts} --seed {params.seed} --out {output}"


# A folder, since which figures there are depends on what the tables hold: without further training
# sets there are no learning curves.
rule figures:
    input:
        modules=modules("figures"),
        comparison=rules.compare.output.table,
        controls=f"{TABLES}/comparison/controls.csv",
        learning=f"{TABLES}/comparison/learning.csv",
        layers=rules.layerwise.output.layers,
        words=rules.layerwise.output.words,
    output:
        directory(f"{TABLES}/figures"),
    log:
        f"{TABLE_LOGS}/figures.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(700),
        runtime=scaled(10),
    message:
        "figures: for a paper, as PDF, SVG and PNG"
    shell:
        "wsd --log {log} figures --comparison {input.comparison} --layers {input.layers}"
        " --word-layers {input.words} --controls {input.controls} --learning {input.learning}"
        " --out {output}"


rule geometry:
    input:
        modules=modules("geometry"),
        corpus=CORPUS,
        vectors=pages_vectors,
    output:
        f"{TABLES}/{{model}}/geometry.csv",
    log:
        f"{TABLE_LOGS}/{{model}}/geometry.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 1.5),
        runtime=scaled(10, 0.1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
        view=CONFIG.classify[0],
        layers=lambda wildcards: ENCODERS[wildcards.model].single,
        transforms=CONFIG.transforms,
        seed=CONFIG.seed,
    message:
        "geometry: every layer of {wildcards.model}"
    shell:
        "wsd --log {log} geometry --corpus {params.corpus} --words {params.words}"
        " --embeddings {params.embeddings} --view {params.view} --layers {params.layers}"
        " --transforms {params.transforms} --seed {params.seed} --out {output}"


rule sense_substitutes:
    input:
        modules=modules("sense-substitutes"),
        corpus=CORPUS,
        substitutes=SUBSTITUTES,
    output:
        f"{TABLES}/{{model}}/substitutes.csv",
    log:
        f"{TABLE_LOGS}/{{model}}/sense_substitutes.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 20),
        runtime=scaled(10, 0.2),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        substitutes=subpath(input.substitutes, parent=True),
    message:
        "substitutes: what sets each sense apart, by {wildcards.model}"
    shell:
        "wsd --log {log} sense-substitutes --corpus {params.corpus} --words {params.words}"
        " --substitutes {params.substitutes} --out {output}"


rule audit:
    input:
        modules=modules("audit"),
        corpus=CORPUS,
        predictions=lambda wildcards: expand(
            PREDICTIONS,
            model=wildcards.model,
            train=FULL,
            view=CONFIG.classify[0],
            layers=CONFIG.models[wildcards.model].single,
            classifier=CONFIG.classifiers,
        ),
    output:
        expand("{results}/audit/{{model}}/{table}.csv", results=TABLES, table=AUDIT),
    log:
        f"{TABLE_LOGS}/{{model}}/audit.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 50),
        runtime=scaled(20, 2),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        judge=" ".join(f"--judge {name}" for name in JUDGES),
        out=subpath(output[0], parent=True),
    message:
        "audit: near-duplicates, suspected gold, confusions of {wildcards.model}"
    shell:
        "wsd --log {log} audit --corpus {params.corpus} --words {params.words}"
        " --predictions {input.predictions} {params.judge} --out {params.out}"


rule code_length:
    input:
        modules=modules("code-length"),
        corpus=CORPUS,
        vectors=pages_vectors,
        folds=expand(FOLDS, train=NESTED),
        predictions=lambda wildcards: expand(
            PREDICTIONS,
            model=wildcards.model,
            view=CONFIG.classify[0],
            layers=CONFIG.models[wildcards.model].single,
            classifier=PROBABILISTIC,
            train=NESTED[:-1],
        ),
    output:
        f"{TABLES}/{{model}}/code-length.csv",
    log:
        f"{TABLE_LOGS}/{{model}}/code_length.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 1.5),
        runtime=scaled(20, 0.2),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
    message:
        "code length: every layer of {wildcards.model}"
    shell:
        "wsd --log {log} code-length --corpus {params.corpus} --words {params.words}"
        " --embeddings {params.embeddings} --predictions {input.predictions}"
        " --folds {input.folds} --out {output}"
