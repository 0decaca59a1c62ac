# In:  the corpus, its vectors, and a gloss for each sense (config key glosses).
# Out: glosses/words.json, which lists <word>.parquet in its folder, the glosses as tables;
#      <model>/gloss-vectors/, every layer; <model>/zero-shot/<layers>.<kind>.parquet, predictions
#      without a label.

from wsd.studies.glosses import gloss_names

GLOSS_FILES = STUDY_FILES["glosses"]

# This step runs first, so that a missing gloss is an error before anything is embedded.
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
    # A function: in plain text, Snakemake would take {braces} for wildcards.
    params={"file": lambda wildcards: STUDIES["glosses"].source(CONFIG) or MANIFEST},
)

# All words are one part, since glosses are only a few sentences.
embed(
    "embed_glosses",
    CONFIG.models,
    [GLOSS_FILES["glosses"]],
    gloss_names.KINDS.values(),
    GLOSS_FILES["vectors"],
    "embed: every layer of {model}, the glosses",
    {"parts": WORDS},
)

step(
    "zero_shot",
    {
        "corpus": CORPUS,
        "_glosses": GLOSS_FILES["glosses"],
        "embeddings": lambda wildcards: FILES.listings(wildcards.model, [gloss_names.VIEW]),
        "gloss_vectors": GLOSS_FILES["vectors"][:-1],
    },
    expand(GLOSS_FILES["zero_shot"], gloss=gloss_names.KINDS, allow_missing=True),
    "zero-shot: {model}, layers {layers}",
    f"--glosses {Path(GLOSS_FILES['glosses']).parent} --layers {{layers}}",
    **LIGHT,
)
