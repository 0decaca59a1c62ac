# In:  the corpus, the downloaded files of published systems, and the files of other systems.
# Out: published/<system>.jsonl, the predictions of published systems as `wsd score` takes them;
#      systems/<system>.parquet, the predictions of published and other systems.

SYSTEMS = STUDY_FILES["systems"]


def system_file(wildcards):
    """Return the file with the predictions of a system of the config or of a published system."""
    name = bare(wildcards.system)
    return CONFIG.sections["systems"].get(name) or SYSTEMS["published"].format(name=name)


step(
    "score",
    {"corpus": CORPUS, "_file": system_file},
    SYSTEMS["systems"],
    {"name": name_of("system")},
    words=lambda wildcards: [system_file(wildcards)],
)

if DATASET == "coarsewsd20":

    step(
        "published",
        {"_source": LISTED},
        SYSTEMS["published"],
        {"source": SOURCE, "system": name_of("name")},
    )
