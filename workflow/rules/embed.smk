# In:  results/<dataset>/corpus and an encoder (hub, package or folder).
# Out: results/models/<model>.json, the encoder's record;
#      results/<dataset>/<model>/embeddings/<word>/<view>.safetensors, every layer, and
#      .../<word>/alignment.json, what the tokenizer made of the focal words: both named by
#      listings, .../embeddings/<view>.<part>.json;
#      .../substitutes/words.json, which lists <word>.parquet beside it, what the encoder would say
#      in the focal word's place; and
#      <tables>/<model>/alignment.csv, the same of all words.


# The only step that may use the network of a hub; `embed` runs offline.
rule model:
    input:
        modules("model"),
    output:
        "results/models/{model}.json",
    log:
        "results/logs/models/{model}.log",
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


# Snakemake knows the listings alone. A job leaves the words as they are that are embedded as it
# would embed them (wsd/encoder/made.py), so that a new word, or a crash, costs that word.
rule embed:
    input:
        modules=modules("embed"),
        model=encoder_record,
        corpus=CORPUS,
    output:
        listings_of_part(CONFIG.store),
    log:
        f"{LOGS}/{{model}}/embed/{{part}}.log",
    wildcard_constraints:
        model="|".join(map(re.escape, CONFIG.models)),
    # Its words keep all cores busy. The vectors are the same for any number. It comes first: behind
    # jobs of one core it would wait for the last of them while the other cores are idle.
    priority: 2
    conda:
        CONDA
    threads: workflow.resource_settings.cores or 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt
        * math.ceil(1000 + 2 * weights_mb(wildcards)),
        runtime=embed_minutes,
        # One job at a time on a GPU: each takes as much of its memory as it can use.
        gpu=int(CONFIG.uses_gpu),
    params:
        corpus=folder_of("corpus"),
        words=lambda wildcards: list(map(file_name, PARTS[int(wildcards.part)])),
        out=subpath(output[0], parent=True),
        views=CONFIG.store,
        pooling=lambda wildcards: ENCODERS[wildcards.model].pooling,
        reads=lambda wildcards: ENCODERS[wildcards.model].input,
        precision=lambda wildcards: ENCODERS[wildcards.model].precision,
        seed=CONFIG.seed,
        device=CONFIG.device,
    message:
        "embed: every layer of {wildcards.model}, part {wildcards.part} of the words"
    shell:
        "wsd --log {log} embed --model {input.model} --corpus {params.corpus}"
        " --words {params.words} --views {params.views} --pooling {params.pooling}"
        " --input {params.reads} --precision {params.precision} --seed {params.seed}"
        " --device {params.device} --threads {threads} --modules {input.modules}"
        " --part {wildcards.part} --out {params.out}"


if CONFIG.twins or CONFIG.finetuned:

    # A control's other views are never looked at.
    use rule embed as embed_control with:
        output:
            listings_of_part(CONFIG.classify[:1]),
        wildcard_constraints:
            model="|".join(map(re.escape, [*CONFIG.twins, *CONFIG.finetuned])),
        params:
            corpus=folder_of("corpus"),
            words=lambda wildcards: list(map(file_name, PARTS[int(wildcards.part)])),
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
        found=lambda wildcards: listings(wildcards.model, "alignment"),
    output:
        f"{TABLES}/{{model}}/alignment.csv",
    log:
        f"{TABLE_LOGS}/{{model}}/alignment.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(500),
        runtime=scaled(10),
    params:
        embeddings=folder_of("found"),
        words=WORDS,
    message:
        "alignment: what the tokenizer of {wildcards.model} made of the focal words"
    shell:
        "wsd --log {log} alignment --model {wildcards.model} --embeddings {params.embeddings}"
        " --words {params.words} --out {output}"


# As with vectors, Snakemake knows the listing alone, and a word that was asked is left as it is.
rule substitutes:
    input:
        modules=modules("substitutes"),
        model="results/models/{model}.json",
        corpus=CORPUS,
    output:
        SUBSTITUTES,
    log:
        f"{LOGS}/{{model}}/substitutes.log",
    priority: 2
    conda:
        CONDA
    threads: workflow.resource_settings.cores or 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt
        * math.ceil(1500 + 3 * weights_mb(wildcards)),
        # Two passes, and the products with the vocabulary.
        runtime=lambda wildcards, attempt: 3
        * pass_minutes(wildcards.model, CONFIG.words, attempt),
        gpu=int(CONFIG.uses_gpu),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        device=CONFIG.device,
        out=subpath(output[0], parent=True),
    message:
        "substitutes: what {wildcards.model} would say in the focal word's place"
    shell:
        "wsd --log {log} substitutes --model {input.model} --corpus {params.corpus}"
        " --words {params.words} --device {params.device} --threads {threads}"
        " --modules {input.modules} --out {params.out}"
