# In:  the corpus, its vectors, and a gloss for each sense (config key glosses).
# Out: results/<dataset>/glosses/words.json, which lists <word>.parquet beside it, the glosses as
#      tables; results/<dataset>/<model>/gloss-vectors/, every layer of them;
#      <model>/zero-shot/<layers>.<kind>.parquet, predictions without a label; and
#      <tables>/<model>/gloss-worth.csv, how many sentences a gloss is worth.

GLOSS_TABLES = [f"{RESULTS}/glosses/words.json"]
GLOSS_VECTORS = f"{RESULTS}/{{model}}/gloss-vectors/{{kind}}.{{part}}.json"
ZERO_SHOT = f"{RESULTS}/{{model}}/zero-shot/{{layers}}.{{gloss}}.parquet"
GLOSS_WORTH = f"{TABLES}/{{model}}/gloss-worth.csv"

if CONFIG.has_glosses:

    # First of all: a gloss that is missing is told before anything is embedded.
    rule glosses:
        input:
            modules=modules("glosses"),
            corpus=CORPUS,
            file=gloss_file(),
        output:
            GLOSS_TABLES,
        log:
            f"{LOGS}/glosses.log",
        priority: 3
        conda:
            CONDA
        resources:
            mem_mb=scaled(500, 20),
            runtime=scaled(10, 0.2),
        params:
            corpus=folder_of("corpus"),
            words=WORDS,
            out=subpath(output[0], parent=True),
        message:
            "glosses: one for each sense"
        shell:
            "wsd --log {log} glosses --corpus {params.corpus} --words {params.words}"
            " --glosses {input.file:q} --out {params.out}"

    # All words in one part: they are a few sentences.
    use rule embed as embed_glosses with:
        input:
            modules=modules("embed"),
            model="results/models/{model}.json",
            corpus=GLOSS_TABLES,
        output:
            expand(
                GLOSS_VECTORS,
                kind=[*gloss_vectors.KINDS.values(), "alignment"],
                allow_missing=True,
            ),
        log:
            f"{LOGS}/{{model}}/embed_glosses/{{part}}.log",
        params:
            corpus=folder_of("corpus"),
            words=WORDS,
            out=subpath(output[0], parent=True),
            views=list(gloss_vectors.KINDS.values()),
            pooling=lambda wildcards: ENCODERS[wildcards.model].pooling,
            reads=lambda wildcards: ENCODERS[wildcards.model].input,
            precision=lambda wildcards: ENCODERS[wildcards.model].precision,
            seed=CONFIG.seed,
            device=CONFIG.device,
        message:
            "embed: every layer of {wildcards.model}, the glosses"

    rule zero_shot:
        input:
            modules=modules("zero-shot"),
            corpus=CORPUS,
            glosses=GLOSS_TABLES,
            vectors=lambda wildcards: listings(wildcards.model, gloss_vectors.VIEW),
            gloss_vectors=expand(
                GLOSS_VECTORS,
                kind=gloss_vectors.KINDS.values(),
                part=1,
                allow_missing=True,
            ),
        output:
            expand(ZERO_SHOT, gloss=gloss_vectors.KINDS, allow_missing=True),
        log:
            f"{LOGS}/{{model}}/zero_shot/{{layers}}.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 1.5),
            runtime=scaled(10, 0.1),
        params:
            corpus=folder_of("corpus"),
            embeddings=folder_of("vectors"),
            glosses=folder_of("glosses"),
            gloss_vectors=folder_of("gloss_vectors"),
            words=WORDS,
        message:
            "zero-shot: {wildcards.model}, layers {wildcards.layers}"
        shell:
            "wsd --log {log} zero-shot --corpus {params.corpus} --embeddings {params.embeddings}"
            " --words {params.words} --layers {wildcards.layers} --glosses {params.glosses}"
            " --gloss-vectors {params.gloss_vectors} --out {output}"

    rule gloss_worth:
        input:
            modules=modules("gloss-worth"),
            corpus=CORPUS,
            glosses=GLOSS_TABLES,
            vectors=lambda wildcards: listings(wildcards.model, gloss_vectors.VIEW),
            gloss_vectors=expand(
                GLOSS_VECTORS,
                kind=gloss_vectors.KINDS.values(),
                part=1,
                allow_missing=True,
            ),
        output:
            GLOSS_WORTH,
        log:
            f"{TABLE_LOGS}/{{model}}/gloss_worth.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 1.5),
            runtime=scaled(10, 0.1),
        params:
            corpus=folder_of("corpus"),
            embeddings=folder_of("vectors"),
            glosses=folder_of("glosses"),
            gloss_vectors=folder_of("gloss_vectors"),
            words=WORDS,
            layers=lambda wildcards: ENCODERS[wildcards.model].single,
            seed=CONFIG.seed,
        message:
            "gloss worth: every layer of {wildcards.model}"
        shell:
            "wsd --log {log} gloss-worth --corpus {params.corpus} --embeddings {params.embeddings}"
            " --words {params.words} --layers {params.layers} --glosses {params.glosses}"
            " --gloss-vectors {params.gloss_vectors} --seed {params.seed} --out {output}"
