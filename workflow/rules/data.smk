# In:  the archive of CoarseWSD-20 (download or WSD_COARSEWSD20_ARCHIVE) or of NOAD
#      (WSD_NOAD_ARCHIVE) or of DWUG EN (WSD_DWUG_EN_ARCHIVE), wsd/data/<dataset>, or a folder that `wsd import` wrote.
# Out: source/, the files of the corpus, listed in source.json;
#      corpus/<word>.parquet, a checked table per word, listed in words.json;
#      trains/<train>.parquet, the rows of a training set; folds/<train>.parquet, its folds.

OWN = CONFIG.dataset.folder
FROM_NOAD = DATASET in noad_datasets.NOAD
# The listing of the corpus's files, if a step writes them, and their folder.
LISTED = [FILES.source] if FILES.source else []
SOURCE = FILES.source.removesuffix(".json") or f"{PACKAGE}/data/{DATASET}"
# The manifest of the corpus, if a step writes it.
MANIFEST = f"{SOURCE}/{dataset.MANIFEST}" if DATASET in WITH_MANIFEST or OWN else ""
CORPUS = [FILES.corpus]
FOLDS = FILES.folds.replace("{train}", FULL_TRAIN)
# Whether the pages may contain the corpus's sentences.
TEXT_FLAG = "" if CONFIG.sentences else "--no-text"
# Parameters of the steps below. These are functions, since a path or a title may have braces.
TEXTS = {
    "own": lambda wildcards: str(OWN),
    "title": lambda wildcards: CONFIG.dataset.title,
    "source": lambda wildcards: SOURCE,
    "all_words": lambda wildcards: [f"--word={word}" for word in CONFIG.words],
}


if DATASET == "coarsewsd20":

    step(
        "download",
        {},
        {"listings": LISTED},
        "download: CoarseWSD-20, checking every file",
        folder=SOURCE,
        minutes=(60,),
    )

elif FROM_NOAD:

    step(
        "noad",
        {},
        {"listings": LISTED},
        "noad: SemCor and MASC, checking every file",
        f"--name {DATASET} --at-least {CONFIG.dataset.at_least or noad_datasets.AT_LEAST}",
        folder=SOURCE,
        mem=(1500,),
        minutes=(60,),
    )

elif DATASET == "dwug-en":

    step(
        "dwug_en",
        {},
        {"listings": LISTED},
        "dwug-en: DWUG EN, checking every file",
        folder=SOURCE,
        mem=(500,),
        minutes=(60,),
    )

elif OWN:

    step(
        "copy_corpus",
        {
            "_manifest": f"{OWN}/{dataset.MANIFEST}",
            "_files": [f"{OWN}/{file}" for file in CONFIG.dataset.digests],
        },
        {"listings": LISTED},
        "copy-corpus: copying the corpus, checking every file",
        f"{{params.own:q}} --name {DATASET} --title {{params.title:q}}",
        folder=SOURCE,
        minutes=(10, 0.2),
        params=TEXTS,
    )

step(
    "corpus",
    {"_source": LISTED},
    {"_words": CORPUS},
    "corpus: reading and checking every word",
    "--source {params.source:q} {params.all_words:q} "
    + (
        f"--out-of-domain {shlex.quote(f'{SOURCE}/{dataset.FURTHER}')}"
        if CONFIG.dataset.has_out_of_domain
        else ""
    ),
    folder=str(Path(FILES.corpus).parent),
    mem=(500, 20),
    minutes=(10, 0.2),
    params=TEXTS,
)

if DATASET == "coarsewsd20":

    step(
        "training_sets",
        {"corpus": CORPUS, "_source": LISTED},
        FILES.rows,
        "training-sets: the sentences of each further training set",
        f"--source {{params.source}} --trains {' '.join(FILES.other_trains)}",
        mem=(600, 20),
        minutes=(10, 1),
        params=TEXTS,
    )

step(
    "folds",
    {
        "corpus": CORPUS,
        "_rows": lambda wildcards: FILES.rows_of(bare(wildcards.train)),
    },
    FILES.folds,
    "folds: drawing the folds of {train}",
    "{params.rows}",
    "folds",
    priority=1,
    mem=(600, 100),
    minutes=(10, 5),
    params={"rows": lambda wildcards, input: f"--train {input._rows}" if input._rows else ""},
)
