# In:  the corpus and an encoder (hub, package or folder).
# Out: <model>/model.json, the encoder's record;
#      <model>/embeddings/<word>/<view>.safetensors, every layer, and <word>/alignment.json, the word
#      pieces of the focal words; both are listed in embeddings/<view>.<part>.json;
#      <model>/alignment.csv, the alignment of all words, and <model>/long-vectors.csv.


def source_flags(wildcards):
    """Return an encoder's source and shape as flags of `wsd model`."""
    model = model_of(wildcards)
    keys = ("name", "blocks", "width", "random_weights")
    flags = {**model.source, **{key: getattr(model, key) for key in keys}}
    for weights in FILES.weights_of(model):
        flags["path"] = Path(weights).parent
    # The checksums in the key: `wsd model` refuses a file that has changed since.
    sums = {} if model.vectors else {**KEYS.contents(model), **model.sha256}
    return {**flags, "sha256": [f"{file}={checksum}" for file, checksum in sums.items()]}


# Only this step may use the network to reach a hub; `embed` runs offline.
step(
    "model",
    {"_weights": lambda wildcards: FILES.weights_of(model_of(wildcards))},
    FILES.record,
    source_flags,
    mem=(1000,),
    minutes=(60,),
)


READS = {
    "pooling": of_encoder("pooling"),
    "input": lambda wildcards: as_argument(model_of(wildcards).input),
}
STORED = {key: of_encoder(key) for key in ("precision", "store_dtype", "store_layers")}


def embed(name, models, corpus, views, listings, words, minutes):
    """Define a step that embeds. Snakemake knows only its listings.

    A job skips embedded words, so that after a change or a crash it embeds only the missing words.
    """
    step(
        name,
        {"model": record_of, "_corpus": corpus},
        {"listings": update(listings)},
        {
            "corpus": str(Path(corpus).parent),
            "words": words,
            "views": views,
            **READS,
            **STORED,
        },
        folder=str(Path(listings[0]).parent),
        command="embed",
        log=FILES.log(listings[-1]),
        only={"model": keyed("model", models)},
        mem=by_weights(1000, 2),
        minutes=minutes,
        **HEAVY,
    )


for rule_name, models, views in (
    ("embed", CONFIG.models, CONFIG.store),
    # Controls are embedded in the first view only.
    ("embed_control", [*CONFIG.random_controls, *CONFIG.finetuned], [CONFIG.page_view]),
):
    embed(
        rule_name,
        models,
        FILES.corpus,
        views,
        FILES.listings("{model}", [*views, "alignment"], ["{part}"]),
        lambda wildcards: list(map(file_name, FILES.parts[int(wildcards.part)])),
        lambda wildcards, attempt: pass_minutes(
            wildcards, attempt, FILES.parts[int(wildcards.part)]
        ),
    )

step(
    "alignment",
    {"embeddings": vectors_of(["alignment"])},
    {"out": FILES.alignment, "long": FILES.long_vectors},
    {"model": name_of("model"), "words": WORDS},
)
