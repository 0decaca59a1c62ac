# In:  results/<dataset>/<model>/embeddings/<word>/<view>.safetensors, all words.
# Out: .../predictions/<train>/<view>/<layers>.<classifier>.parquet, one per layer choice and
#      classifier, all words inside; .../projections/<view>/<layers>.parquet;
#      results/<dataset>/scores.csv, summary.csv and provenance.json.

CORPUS = expand("{results}/corpus/{word}.parquet", results=RESULTS, word=CONFIG.words)
VECTORS = expand(
    "{results}/{{model}}/embeddings/{word}/{{view}}.safetensors",
    results=RESULTS,
    word=CONFIG.words,
)
PREDICTIONS = f"{RESULTS}/{{model}}/predictions/{{train}}/{{view}}/{{layers}}.{{classifier}}.parquet"
PROJECTIONS = f"{RESULTS}/{{model}}/projections/{{view}}/{{layers}}.parquet"


rule classify:
    input:
        modules=modules("classify"),
        corpus=CORPUS,
        vectors=VECTORS,
    output:
        PREDICTIONS,
    log:
        f"{LOGS}/{{model}}/classify/{{train}}.{{view}}.{{layers}}.{{classifier}}.log",
    benchmark:
        f"{BENCHMARKS}/{{model}}/classify/{{train}}.{{view}}.{{layers}}.{{classifier}}.tsv"
    conda:
        CONDA
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors", 2),
        words=CONFIG.words,
        estimator=lambda wildcards: CONFIG.classifiers[wildcards.classifier].estimator,
        parameters=classifier_parameters,
    message:
        "classify: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}, {wildcards.classifier}"
    shell:
        "wsd --log {log} classify --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {wildcards.layers}"
        " --estimator {params.estimator} --name {wildcards.classifier}"
        " --parameters {params.parameters:q} --train {wildcards.train} --out {output}"


rule project:
    input:
        modules=modules("project"),
        corpus=CORPUS,
        vectors=VECTORS,
    output:
        PROJECTIONS,
    log:
        f"{LOGS}/{{model}}/project/{{view}}.{{layers}}.log",
    benchmark:
        f"{BENCHMARKS}/{{model}}/project/{{view}}.{{layers}}.tsv"
    conda:
        CONDA
    params:
        corpus=folder_of("corpus"),
        embeddings=folder_of("vectors", 2),
        words=CONFIG.words,
    message:
        "project: {wildcards.model}, {wildcards.view}, layers {wildcards.layers}"
    shell:
        "wsd --log {log} project --corpus {params.corpus} --embeddings {params.embeddings}"
        " --words {params.words} --view {wildcards.view} --layers {wildcards.layers}"
        " --out {output}"


rule evaluate:
    input:
        modules=modules("evaluate"),
        predictions=per_choice(PREDICTIONS),
    output:
        scores=f"{RESULTS}/scores.csv",
        summary=report(
            f"{RESULTS}/summary.csv",
            category="Leaderboard",
            caption="../report/leaderboard.rst",
        ),
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/evaluate.log",
    benchmark:
        f"{BENCHMARKS}/evaluate.tsv"
    conda:
        CONDA
    params:
        dataset=DATASET,
        config=json.dumps(config, sort_keys=True),
        command=reproduce_command(),
    message:
        "evaluate: scores.csv and summary.csv"
    shell:
        "wsd --log {log} evaluate --predictions {input.predictions} --dataset {params.dataset}"
        " --config {params.config:q} --reproduce {params.command:q} --scores {output.scores} --summary {output.summary}"
        " --provenance {output.provenance}"
