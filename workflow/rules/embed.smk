# In:  the corpus and an encoder (hub, package or folder).
# Out: <model>/model.json, the encoder's record;
#      <model>/embeddings/<word>/<view>.safetensors, every layer, and .../<word>/alignment.json, what
#      the tokenizer made of the focal words: both named by listings, .../<view>.<part>.json;
#      <model>/substitutes/words.json, which lists <word>.parquet beside it, what the encoder would
#      say in the focal word's place; and
#      <model>/alignment.csv, what the tokenizer made of all words.

# The only step that may use the network of a hub; `embed` runs offline.
step(
    "model",
    {"_weights": lambda wildcards: FILES.weights_of(MODEL_OF[wildcards.record])},
    FILES.record,
    "model: finding and checking {record}",
    "--name {record} {params.source}",
    mem=(1000,),
    minutes=(60,),
    params={
        "source": lambda wildcards, input: source_flags(
            MODEL_OF[wildcards.record], input._weights
        )
    },
)

# Words keep all cores busy, and the vectors are the same for any number. These steps come first:
# behind jobs of one core they would wait for the last of them while the other cores are idle. One
# job at a time on a GPU: each takes as much of its memory as it can use.
HEAVY = {
    "priority": 2,
    "threads": workflow.resource_settings.cores or 1,
    "gpu": int(CONFIG.uses_gpu),
}


def embed(name, models, corpus, views, listings, says, more):
    """Note a rule that embeds. Snakemake knows the listings alone. A job leaves the words as they
    are that are there, so that a new word, or a crash, costs that word.
    """
    step(
        name,
        {"model": record_of, "_corpus": corpus},
        {"listings": update(listings)},
        says,
        f"--corpus {{params.tables}} --words {{params.parts}} --views {' '.join(views)}"
        f" {{params.how}} --seed {CONFIG.seed} --threads {{threads}}",
        "vectors",
        folder=str(Path(listings[0]).parent),
        command="embed",
        log=FILES.log(listings[-1]),
        only={"model": keyed("model", models)},
        mem=lambda wildcards, attempt: attempt
        * math.ceil(1000 + 2 * weights_mb(MODEL_OF[wildcards.model])),
        minutes=embed_minutes,
        params={"tables": folder_of("_corpus"), "how": vectors_flags, **more},
        **HEAVY,
    )


OF_PART = {"parts": lambda wildcards: list(map(file_name, PARTS[int(wildcards.part)]))}
for rule_name, models, views in (
    ("embed", CONFIG.models, CONFIG.store),
    # A control's other views are never looked at.
    ("embed_control", [*CONFIG.random_controls, *CONFIG.finetuned], [CONFIG.page_view]),
):
    embed(
        rule_name,
        models,
        CORPUS,
        views,
        FILES.listings("{model}", [*views, "alignment"], ["{part}"]),
        "embed: every layer of {model}, part {part} of the words",
        OF_PART,
    )

step(
    "alignment",
    {"embeddings": lambda wildcards: FILES.listings(wildcards.model, ["alignment"])},
    FILES.alignment,
    "alignment: what the tokenizer of {model} made of the focal words",
    f"--model {{model}} --words {' '.join(WORDS)}",
    mem=(500,),
)
