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
    {"glosses": STUDIES["glosses"].source(CONFIG) or NAMED},
    priority=3,
)

# Glosses are only a few sentences: all words are one part.
embed(
    "embed_glosses",
    CONFIG.models,
    GLOSS_FILES["glosses"],
    [*gloss_names.KINDS.values()],
    GLOSS_FILES["vectors"],
    WORDS,
    minutes=(20,),
)

step(
    "zero_shot",
    {
        "corpus": CORPUS,
        "_glosses": GLOSS_FILES["glosses"],
        "embeddings": vectors_of([gloss_names.VIEW]),
        "gloss_vectors": GLOSS_FILES["vectors"][:-1],
    },
    expand(GLOSS_FILES["zero_shot"], gloss=gloss_names.KINDS, allow_missing=True),
    {"glosses": str(Path(GLOSS_FILES["glosses"]).parent)},
    **VECTORS,
)
