# In:  the corpus, its vectors, and a gloss for each sense (config key glosses).
# Out: glosses/words.json, which lists <word>.parquet beside it, the glosses as tables;
#      <model>/gloss-vectors/, every layer of them; <model>/zero-shot/<layers>.<kind>.parquet,
#      predictions without a label; and <model>/gloss-worth.csv, how many sentences a gloss is worth.

from wsd.studies.glosses import names

GLOSS_FILES = STUDY_FILES["glosses"]

# First of all: a gloss that is missing is told before anything is embedded.
step(
    "glosses",
    {"corpus": CORPUS, "_source": LISTED},
    {"_words": GLOSS_FILES["glosses"]},
    "glosses: one for each sense",
    "--glosses {params.file:q}",
    folder=str(Path(GLOSS_FILES["glosses"]).parent),
    priority=3,
    mem=(500, 20),
    minutes=(10, 0.2),
    # A function: Snakemake would look for wildcards in a path that has {braces}.
    params={"file": lambda wildcards: STUDIES["glosses"].source(CONFIG) or MANIFEST},
)

# All words in one part: they are a few sentences.
embed(
    "embed_glosses",
    CONFIG.models,
    [GLOSS_FILES["glosses"]],
    names.KINDS.values(),
    GLOSS_FILES["vectors"],
    "embed: every layer of {model}, the glosses",
    {"parts": WORDS},
)

# What is compared: sentences, glosses, and the vectors of both.
OF_GLOSSES = {
    "corpus": CORPUS,
    "_glosses": GLOSS_FILES["glosses"],
    "embeddings": lambda of: FILES.listings(of.model, [names.VIEW]),
    "gloss_vectors": GLOSS_FILES["vectors"][:-1],
}
GLOSSES = f"--glosses {Path(GLOSS_FILES['glosses']).parent}"

step(
    "zero_shot",
    OF_GLOSSES,
    expand(GLOSS_FILES["zero_shot"], gloss=names.KINDS, allow_missing=True),
    "zero-shot: {model}, layers {layers}",
    f"{GLOSSES} --layers {{layers}}",
    **OF_SET,
)

step(
    "gloss_worth",
    OF_GLOSSES,
    GLOSS_FILES["gloss_worth"],
    "gloss worth: every layer of {model}",
    f"{GLOSSES} --layers {{params.layers}}",
    "gloss-worth",
    params={"layers": lambda of: MODEL_OF[of.model].single},
    **OF_SET,
)
