# In:  the corpus, its vectors, and a gloss for each sense (config key glosses).
# Out: glosses/words.json, which lists <word>.parquet beside it, the glosses as tables;
#      <model>/gloss-vectors/, every layer of them; <model>/zero-shot/<layers>.<kind>.parquet,
#      predictions without a label; and <model>/gloss-worth.csv, how many sentences a gloss is worth.

# First of all: a gloss that is missing is told before anything is embedded.
step(
    "glosses",
    {"corpus": CORPUS, "_source": LISTED},
    {"_words": FILES.glosses},
    "glosses: one for each sense",
    "--glosses {params.file:q}",
    folder=str(Path(FILES.glosses).parent),
    priority=3,
    mem=(500, 20),
    minutes=(10, 0.2),
    # A function: Snakemake would look for wildcards in a path that has {braces}.
    params={"file": lambda wildcards: gloss_file()},
)

# All words in one part: they are a few sentences.
embed(
    "embed_glosses",
    CONFIG.models,
    [FILES.glosses],
    gloss_vectors.KINDS.values(),
    FILES.gloss_listings(),
    "embed: every layer of {model}, the glosses",
    {"parts": WORDS},
)

# What is compared: sentences, glosses, and the vectors of both.
OF_GLOSSES = {
    "corpus": CORPUS,
    "_glosses": FILES.glosses,
    "embeddings": lambda of: FILES.listings(of.model, [gloss_vectors.VIEW]),
    "gloss_vectors": FILES.gloss_listings()[:-1],
}
GLOSSES = f"--glosses {Path(FILES.glosses).parent}"

step(
    "zero_shot",
    OF_GLOSSES,
    expand(FILES.zero_shot, gloss=gloss_vectors.KINDS, allow_missing=True),
    "zero-shot: {model}, layers {layers}",
    f"{GLOSSES} --layers {{layers}}",
    **OF_SET,
)

step(
    "gloss_worth",
    OF_GLOSSES,
    FILES.gloss_worth,
    "gloss worth: every layer of {model}",
    f"{GLOSSES} --layers {{params.layers}}",
    "gloss-worth",
    params={"layers": lambda of: MODEL_OF[of.model].single},
    **OF_SET,
)
