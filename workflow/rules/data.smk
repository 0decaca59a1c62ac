# In:  the archive of CoarseWSD-20, NOAD or DWUG EN (a download, or WSD_COARSEWSD20_ARCHIVE and alike),
#      wsd/data/<dataset>, or a folder that `wsd import` wrote.
# Out: source/, the files of the corpus, listed in source.json;
#      corpus/<word>.parquet, a checked table per word, listed in words.json;
#      trains/<train>.parquet, the rows of a training set; folds/<train>.parquet, its folds.

OWN = CONFIG.dataset.folder
# The listing of the corpus's files, if a step writes them, and their folder.
LISTED = [FILES.source] if FILES.source else []
SOURCE = FILES.source.removesuffix(".json") or f"{PACKAGE}/data/{DATASET}"
# What names the corpus to a step that writes pages: its manifest, if a step writes one.
NAMED = f"{SOURCE}/{dataset.MANIFEST}" if DATASET in WITH_MANIFEST or OWN else DATASET
CORPUS = [FILES.corpus]
FOLDS = FILES.folds.replace("{train}", FULL_TRAIN)
# Whether the pages may contain the corpus's sentences.
TEXT = {"no-text": not CONFIG.sentences}

# Download or copy the corpus, checking every file.
step(
    KEYS.content[0].replace("-", "_"),
    {"_files": [f"{OWN}/{name}" for name in (dataset.MANIFEST, *CONFIG.dataset.digests) if OWN]},
    {"listings": LISTED},
    {
        "name": DATASET if OWN or DATASET in NOAD else None,
        "title": CONFIG.dataset.title if OWN else None,
        "at_least": CONFIG.dataset.at_least,
    },
    words=[str(OWN)] if OWN else [],
    mem=(1500,),
    minutes=(60, 0.2),
)

step(
    "corpus",
    {"_source": LISTED},
    {"_words": CORPUS},
    {
        "source": SOURCE,
        "out-of-domain": CONFIG.dataset.has_out_of_domain and f"{SOURCE}/{dataset.FURTHER}",
    },
    words=[f"--word={word}" for word in CONFIG.words],
)

step(
    "training_sets",
    {"corpus": CORPUS, "_source": LISTED},
    FILES.rows,
    {"source": SOURCE, "trains": FILES.other_trains},
)

step(
    "folds",
    {"corpus": CORPUS, "_rows": lambda wildcards: FILES.rows_of(bare(wildcards.train))},
    FILES.folds,
    {"train": lambda wildcards: FILES.rows_of(bare(wildcards.train))},
    priority=1,
    **DRAWN,
)
