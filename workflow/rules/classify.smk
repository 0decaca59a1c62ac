# In:  results/<dataset>/<model>/embeddings, the vectors of all words; the folds.
# Out: .../search/<train>/<view>/<layers>.<classifier>.parquet, what the folds say, and
#      .../predictions/... of the same name, one per feature set and classifier, all words inside;
#      .../projections/<method>/<view>/<layers>.parquet and .../neighbours/<view>/<layers>.parquet;
#      <tables>/selection.csv and .json, what the folds choose; <tables>/<model>/predictions/full/
#      per-word/, each word as its own folds choose; <tables>/scores.csv, summary.csv and
#      provenance.json. <tables> is results/<dataset>, or results/<dataset>/runs/<run>.

CHOICE = "{train}/{view}/{layers}.{classifier}"
PREDICTIONS = f"{RESULTS}/{{model}}/predictions/{CHOICE}.parquet"
SEARCH = f"{RESULTS}/{{model}}/search/{CHOICE}.parquet"
CONTROL = f"{RESULTS}/{{model}}/control/{CHOICE}.parquet"
CONTROL_SEARCH = f"{RESULTS}/{{model}}/control-search/{CHOICE}.parquet"
PROJECTIONS = f"{RESULTS}/{{model}}/projections/{{method}}/{{view}}/{{layers}}.parquet"
NEIGHBOURS = f"{RESULTS}/{{model}}/neighbours/{{view}}/{{layers}}.parquet"
BASELINES = f"{RESULTS}/baselines/{{baseline}}.parquet"
OF_SUBSTITUTES = f"{RESULTS}/{{model}}/baselines/bag_of_substitutes.parquet"
# What the folds choose for a word hangs on what there was to choose from.
PER_WORD = f"{TABLES}/{{model}}/predictions/full/per-word/per-word.per-word.parquet"
NAMES = ("most_frequent_sense", "bag_of_words", "position_length")


rule classify:
    input:
        modules=modules("classify"),
        corpus=CORPUS,
        vectors=vectors,
        folds=FOLDS.format(train=FULL),
    output:
        predictions=[PREDICTIONS.replace("{train}", FULL)],
        searches=[SEARCH.replace("{train}", FULL)],
    log:
        f"{LOGS}/{{model}}/classify/{{view}}.{{layers}}.{{classifier}}.log",
    # What everything else waits for; pictures and neighbours fill the cores that are left.
    priority: 1
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 1.5),
        runtime=scaled(10, 0.1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
        layers=lambda wildcards: wildcards.layers,
        classifiers=lambda wildcards: classifier_flags([wildcards.classifier]),
        objective=CONFIG.tuning.objective,
    message:
        "classify: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}, {wildcards.classifier}"
    shell:
        "wsd --log {log} classify --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {params.layers}"
        " {params.classifiers} --objective {params.objective} --folds {input.folds}"
        " --searches {output.searches} --out {output.predictions}"


if OTHER_TRAINS:

    # All further training sets in one job: each takes less than starting one.
    use rule classify as classify_trains with:
        input:
            modules=modules("classify"),
            corpus=CORPUS,
            vectors=vectors,
            folds=expand(FOLDS, train=OTHER_TRAINS),
        output:
            predictions=expand(PREDICTIONS, train=OTHER_TRAINS, allow_missing=True),
            searches=expand(SEARCH, train=OTHER_TRAINS, allow_missing=True),
        log:
            f"{LOGS}/{{model}}/classify_trains/{{view}}.{{layers}}.{{classifier}}.log",
        message:
            "classify: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}, {wildcards.classifier}, further training sets"


# Of a control all layers and classifiers in one job: most take less than starting one.
if CONTROL_VIEWS:
    OF_VIEWS = common_layers(CONFIG.models, CONTROL_VIEWS)

    ruleorder: classify_views > classify

    use rule classify as classify_views with:
        output:
            predictions=controls_of(PREDICTIONS, OF_VIEWS),
            searches=controls_of(SEARCH, OF_VIEWS),
        log:
            f"{LOGS}/{{model}}/classify_views/{{view}}{only(OF_VIEWS)}.log",
        wildcard_constraints:
            model=any_of(CONFIG.models),
            view=any_of(CONTROL_VIEWS),
        params:
            layers=OF_VIEWS,
            classifiers=lambda wildcards: classifier_flags(CONFIG.controls.classifiers),
        message:
            "classify: {wildcards.model}, {wildcards.view}, layers {params.layers}"


if CONFIG.twins:
    OF_TWINS = common_layers(CONFIG.twins, CONFIG.classify[:1])

    ruleorder: classify_twins > classify

    use rule classify as classify_twins with:
        output:
            predictions=controls_of(PREDICTIONS, OF_TWINS),
            searches=controls_of(SEARCH, OF_TWINS),
        log:
            f"{LOGS}/{{model}}/classify_twins/{{view}}{only(OF_TWINS)}.log",
        wildcard_constraints:
            model=any_of(CONFIG.twins),
        params:
            layers=OF_TWINS,
            classifiers=lambda wildcards: classifier_flags(CONFIG.controls.classifiers),
        message:
            "classify: {wildcards.model}, {wildcards.view}, layers {params.layers}"


OF_TASK = common_layers(CONFIG.models, CONFIG.classify[:1])


rule control:
    input:
        modules=modules("control"),
        corpus=CORPUS,
        vectors=vectors,
        folds=FOLDS.format(train=FULL),
    output:
        predictions=controls_of(CONTROL, OF_TASK),
        searches=controls_of(CONTROL_SEARCH, OF_TASK),
    log:
        f"{LOGS}/{{model}}/control/{{view}}{only(OF_TASK)}.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 1.5),
        runtime=scaled(10, 0.1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
        layers=OF_TASK,
        classifiers=lambda wildcards: classifier_flags(CONFIG.controls.classifiers),
        objective=CONFIG.tuning.objective,
        seed=CONFIG.seed,
    message:
        "control task: {wildcards.model}, {wildcards.view}, layers {params.layers}"
    shell:
        "wsd --log {log} control --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {params.layers}"
        " {params.classifiers} --objective {params.objective} --folds {input.folds}"
        " --searches {output.searches} --seed {params.seed} --out {output.predictions}"


rule baseline:
    input:
        modules=modules("baseline"),
        corpus=CORPUS,
        folds=FOLDS.format(train=FULL),
    output:
        BASELINES,
    log:
        f"{LOGS}/baselines/{{baseline}}.log",
    # The bag of words takes minutes: as the last job it would keep one core busy alone.
    priority: 1
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 100),
        runtime=scaled(10, 10),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        objective=CONFIG.tuning.objective,
    message:
        "baseline: {wildcards.baseline}"
    shell:
        "wsd --log {log} baseline --corpus {params.corpus} --words {params.words}"
        " --name {wildcards.baseline} --objective {params.objective} --folds {input.folds}"
        " --out {output}"


rule baseline_substitutes:
    input:
        modules=modules("baseline"),
        corpus=CORPUS,
        folds=FOLDS.format(train=FULL),
        substitutes=SUBSTITUTES,
    output:
        OF_SUBSTITUTES,
    log:
        f"{LOGS}/{{model}}/baseline_substitutes.log",
    priority: 1
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 100),
        runtime=scaled(10, 10),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        objective=CONFIG.tuning.objective,
        substitutes=subpath(input.substitutes, parent=True),
    message:
        "baseline: a bag of the substitutes of {wildcards.model}"
    shell:
        "wsd --log {log} baseline --corpus {params.corpus} --words {params.words}"
        " --name bag_of_substitutes --substitutes {params.substitutes}"
        " --objective {params.objective} --folds {input.folds} --out {output}"


# Written before a test prediction is scored: `evaluate` and `compare` take it in.
rule select:
    input:
        modules=modules("select"),
        searches=candidates(SEARCH),
    output:
        table=f"{TABLES}/selection.csv",
        chosen=f"{TABLES}/selection.json",
    log:
        f"{TABLE_LOGS}/select.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 20),
        runtime=scaled(10, 0.2),
    params:
        objective=CONFIG.tuning.objective,
    message:
        "select: what the folds of the training set choose"
    shell:
        "wsd --log {log} select --searches {input.searches} --objective {params.objective}"
        " --table {output.table} --out {output.chosen}"


rule classify_selected:
    input:
        modules=modules("classify-selected"),
        corpus=CORPUS,
        vectors=stored_vectors,
        folds=FOLDS.format(train=FULL),
        selection=rules.select.output.chosen,
    output:
        PER_WORD,
    log:
        f"{TABLE_LOGS}/{{model}}/classify_selected.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(800, 0.5),
        runtime=scaled(10, 0.1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
    message:
        "classify: {wildcards.model}, each word as its own folds choose"
    shell:
        "wsd --log {log} classify-selected --corpus {params.corpus} --words {params.words}"
        " --embeddings {params.embeddings} --model {wildcards.model} --folds {input.folds}"
        " --selection {input.selection} --out {output}"


rule project:
    input:
        modules=modules("project"),
        corpus=CORPUS,
        vectors=vectors,
        # t-SNE takes no folds: pages open with it only where there is no other projection.
        folds=lambda wildcards: (
            [] if wildcards.method == "tsne" else FOLDS.format(train=FULL)
        ),
    output:
        PROJECTIONS,
    log:
        f"{LOGS}/{{model}}/project/{{method}}.{{view}}.{{layers}}.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 1.5),
        runtime=scaled(10, 0.1),
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors"),
        words=WORDS,
        seed=CONFIG.seed,
    message:
        "project: {wildcards.model}, {wildcards.method}, {wildcards.view}, layers {wildcards.layers}"
    shell:
        "wsd --log {log} project --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {wildcards.layers}"
        " --method {wildcards.method} --folds {input.folds} --seed {params.seed} --out {output}"


rule neighbours:
    input:
        modules=modules("neighbours"),
        corpus=CORPUS,
        vectors=vectors,
    output:
        NEIGHBOURS,
    log:
        f"{LOGS}/{{model}}/neighbours/{{view}}.{{layers}}.log",
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
        "neighbours: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}"
    shell:
        "wsd --log {log} neighbours --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {wildcards.layers}"
        " --out {output}"


rule evaluate:
    input:
        modules=modules("evaluate"),
        predictions=scored(PREDICTIONS),
        per_word=expand(PER_WORD, model=CONFIG.models),
        zero_shot=zero_shot(),
        finetuned=finetuned(),
        systems=[
            *expand(PUBLISHED, system=SYSTEMS),
            *expand(SCORED, system=CONFIG.systems),
        ],
        selection=rules.select.output.chosen,
    output:
        scores=f"{TABLES}/scores.csv",
        summary=report(
            f"{TABLES}/summary.csv",
            category="Leaderboard",
            caption="../report/leaderboard.rst",
        ),
        provenance=f"{TABLES}/provenance.json",
    log:
        f"{TABLE_LOGS}/evaluate.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 5),
        runtime=scaled(10, 0.2),
    params:
        dataset=DATASET,
        # Functions: Snakemake would look for wildcards in a text that has {braces}.
        config=lambda wildcards: json.dumps(config, sort_keys=True),
        command=lambda wildcards: reproduce_command(),
    message:
        "evaluate: scores.csv and summary.csv"
    shell:
        "wsd --log {log} evaluate --predictions {input.predictions} {input.per_word}"
        " {input.zero_shot} {input.finetuned}"
        " --systems {input.systems} --dataset {params.dataset}"
        " --config {params.config:q} --reproduce {params.command:q} --scores {output.scores} --summary {output.summary}"
        " --provenance {output.provenance}"
