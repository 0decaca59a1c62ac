# In:  a corpus of pairs, and the vectors of its sentences.
# Out: <model>/pairs.csv and cosines.parquet, the scores of every layer choice;
#      <model>/pairs.html, the page.

PAIRS = STUDY_FILES["pairs"]
PAIRS_FLAG = f"--pairs {Path(FILES.corpus).parent}"

step(
    "pairs",
    {"_corpus": CORPUS, "embeddings": pages_vectors},
    {"_tables": PAIRS["tables"]},
    "pairs: every layer choice of {model}",
    f"{PAIRS_FLAG} --layers {{params.layers}}",
    "pairs",
    folder=PAIRS["folder"],
    mem=(600, 3),
    minutes=(10, 0.1),
    params={"layers": lambda wildcards: model_of(wildcards).unmixed},
)

step(
    "pairs_page",
    {"_corpus": CORPUS, "_scores": PAIRS["tables"], "_source": LISTED},
    PAIRS["page"],
    "pairs-page: the page of {model}",
    f"{PAIRS_FLAG} --scores {{params.scores}} {TEXT_FLAG}",
    mem=(600, 20),
    minutes=(10, 1),
    params={"scores": folder_of("_scores")},
)
