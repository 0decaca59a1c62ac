# In:  the corpus and an encoder (hub, package or folder).
# Out: <model>/model.json, the encoder's record;
#      <model>/embeddings/<word>/<view>.safetensors, every layer, and <word>/alignment.json, the word
#      pieces of the focal words; both are listed in embeddings/<view>.<part>.json;
#      <model>/alignment.csv, the alignment of all words.

# Only this step may use the network to reach a hub; `embed` runs offline.
step(
    "model",
    {"_weights": lambda wildcards: FILES.weights_of(model_of(wildcards))},
    FILES.record,
    "model: finding and checking {record}",
    "--name {record} {params.source}",
    mem=(1000,),
    minutes=(60,),
    params={"source": lambda wildcards, input: source_flags(model_of(wildcards), input._weights)},
)

# These steps use all cores, and their results are the same for any number of cores. They run first:
# otherwise cores would be idle until the last job of a single core ends. A GPU runs one job at a time,
# since each job takes as much memory as it can use.
HEAVY = {
    "priority": 2,
    "threads": workflow.resource_settings.cores or 1,
    "gpu": int(CONFIG.uses_gpu),
}


def embed(name, models, corpus, views, listings, message, more):
    """Define a step that embeds. Snakemake knows only its listings.

    A job skips embedded words, so that after a change or a crash it embeds only the missing words.
    """
    step(
        name,
        {"model": record_of, "_corpus": corpus},
        {"listings": update(listings)},
        message,
        f"--corpus {{params.tables}} --words {{params.parts}} --views {' '.join(views)}"
        f" {{params.how}} --threads {{threads}}",
        "vectors",
        folder=str(Path(listings[0]).parent),
        command="embed",
        log=FILES.log(listings[-1]),
        only={"model": keyed("model", models)},
        mem=by_weights(1000, 2),
        minutes=embed_minutes,
        params={"tables": folder_of("_corpus"), "how": vectors_flags, **more},
        **HEAVY,
    )


PART = {"parts": lambda wildcards: list(map(file_name, PARTS[int(wildcards.part)]))}
for rule_name, models, views in (
    ("embed", CONFIG.models, CONFIG.store),
    # Controls are embedded in the first view only.
    ("embed_control", [*CONFIG.random_controls, *CONFIG.finetuned], [CONFIG.page_view]),
):
    embed(
        rule_name,
        models,
        CORPUS,
        views,
        FILES.listings("{model}", [*views, "alignment"], ["{part}"]),
        "embed: every layer of {model}, part {part} of the words",
        PART,
    )

step(
    "alignment",
    {"embeddings": lambda wildcards: FILES.listings(wildcards.model, ["alignment"])},
    FILES.alignment,
    "alignment: the word pieces of the focal words, {model}",
    f"--model {{model}} --words {' '.join(WORDS)}",
    mem=(500,),
)
