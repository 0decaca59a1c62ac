# In:  results/<dataset>/corpus/<word>.parquet and an encoder (hub, package or folder).
# Out: results/models/<model>.json, the encoder's record;
#      results/<dataset>/<model>/embeddings/<word>/<view>.safetensors, every layer;
#      .../<word>/alignment.json, what the tokenizer made of the focal words, and
#      <tables>/<model>/alignment.csv, the same of all words.


# The only step that may use the network of a hub; `embed` runs offline.
rule model:
    input:
        modules("model"),
    output:
        "results/models/{model}.json",
    log:
        "results/logs/models/{model}.log",
    benchmark:
        "results/benchmarks/models/{model}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(60),
    params:
        source=model_source,
        sha256=model_checksums,
        blocks=lambda wildcards: ENCODERS[wildcards.model].blocks,
        width=lambda wildcards: ENCODERS[wildcards.model].width,
    message:
        "model: finding and checking {wildcards.model}"
    shell:
        "wsd --log {log} model --name {wildcards.model} {params.source}"
        " --sha256 {params.sha256:q} --blocks {params.blocks} --width {params.width}"
        " --out {output}"


ALIGNMENT = f"{RESULTS}/{{model}}/embeddings/{{word}}/alignment.json"


rule embed:
    input:
        modules=modules("embed"),
        model="results/models/{model}.json",
        corpus=f"{RESULTS}/corpus/{{word}}.parquet",
    output:
        expand(
            "{results}/{{model}}/embeddings/{{word}}/{view}.safetensors",
            results=RESULTS,
            view=CONFIG.store,
        ),
        alignment=ALIGNMENT,
    log:
        f"{LOGS}/{{model}}/embed/{{word}}.log",
    benchmark:
        f"{BENCHMARKS}/{{model}}/embed/{{word}}.tsv"
    wildcard_constraints:
        model="|".join(map(re.escape, CONFIG.models)),
    conda:
        CONDA
    # Words side by side share the cores best; more than one each only so that the largest word
    # is not the last to finish. The vectors are the same for any number.
    threads: max(1, (workflow.resource_settings.cores or 1) // 4)
    resources:
        mem_mb=lambda wildcards, attempt: attempt
        * math.ceil(1000 + 2 * weights_mb(wildcards)),
        runtime=embed_minutes,
        # One job at a time on a GPU: each takes as much of its memory as it can use.
        gpu=int(CONFIG.uses_gpu),
    params:
        out=subpath(output[0], parent=True),
        views=CONFIG.store,
        pooling=lambda wildcards: ENCODERS[wildcards.model].pooling,
        reads=lambda wildcards: ENCODERS[wildcards.model].input,
        precision=lambda wildcards: ENCODERS[wildcards.model].precision,
        seed=CONFIG.seed,
        device=CONFIG.device,
    message:
        "embed: {wildcards.word}, every layer of {wildcards.model}"
    shell:
        "wsd --log {log} embed --model {input.model} --corpus {input.corpus}"
        " --views {params.views} --pooling {params.pooling} --input {params.reads}"
        " --precision {params.precision} --seed {params.seed} --device {params.device}"
        " --threads {threads} --out {params.out}"


if CONFIG.twins:

    # A twin's other views are never looked at.
    use rule embed as embed_twin with:
        output:
            f"{RESULTS}/{{model}}/embeddings/{{word}}/{CONFIG.classify[0]}.safetensors",
            alignment=ALIGNMENT,
        wildcard_constraints:
            model="|".join(map(re.escape, CONFIG.twins)),
        params:
            out=subpath(output[0], parent=True),
            views=CONFIG.classify[0],
            pooling=lambda wildcards: ENCODERS[wildcards.model].pooling,
            reads=lambda wildcards: ENCODERS[wildcards.model].input,
            precision=lambda wildcards: ENCODERS[wildcards.model].precision,
            seed=CONFIG.seed,
            device=CONFIG.device,


rule alignment:
    input:
        modules=modules("alignment"),
        found=expand(ALIGNMENT, word=WORDS, allow_missing=True),
    output:
        f"{TABLES}/{{model}}/alignment.csv",
    log:
        f"{TABLE_LOGS}/{{model}}/alignment.log",
    benchmark:
        f"{TABLE_BENCHMARKS}/{{model}}/alignment.tsv"
    conda:
        CONDA
    resources:
        mem_mb=scaled(500),
        runtime=scaled(10),
    params:
        embeddings=folder_of("found", up=2),
        words=WORDS,
    message:
        "alignment: what the tokenizer of {wildcards.model} made of the focal words"
    shell:
        "wsd --log {log} alignment --model {wildcards.model} --embeddings {params.embeddings}"
        " --words {params.words} --out {output}"
