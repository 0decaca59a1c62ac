# In:  a corpus of pairs, and the vectors of its sentences.
# Out: <model>/pairs.csv and cosines.parquet, the scores of every layer choice;
#      <model>/pairs.html, the page.

PAIRS = STUDY_FILES["pairs"]
OF_PAIRS = {"pairs": str(Path(FILES.corpus).parent)}

step(
    "pairs",
    {"_corpus": CORPUS, "embeddings": PAGE_VECTORS},
    {"_tables": PAIRS["tables"]},
    {**OF_PAIRS, "layers": of_encoder("unmixed")},
    mem=(800, 3),
)

step(
    "pairs_page",
    {"_corpus": CORPUS, "_scores": PAIRS["tables"], "_source": LISTED},
    PAIRS["page"],
    {**OF_PAIRS, "scores": lambda wildcards: PAIRS["folder"].format(model=wildcards.model), **TEXT},
)
