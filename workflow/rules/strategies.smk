# In:  the predictions of every strategy, and the logs of their jobs.
# Out: comparison/strategies.csv, the score, the number of labels and the time of each strategy.

# The logs are not inputs, so that no job runs again because its log is missing.
step(
    "strategies",
    {
        "corpus": CORPUS,
        "candidates": FILES.of_every_train(PREDICTIONS),
        "searches": FILES.of_every_train(SEARCH),
        "selection": SELECTED,
        "baselines": STUDIES["strategies"].baselines(FILES),
        "zero_shot": FILES.further_scores.get("zero_shot", []),
        "per_word": FILES.of_models(FILES.per_word),
        "finetuned": FILES.further_scores.get("finetuned", []),
    },
    STUDY_FILES["strategies"]["table"],
    "strategies: the score, the labels and the time of each",
    f"--map {SESSION.map} --logs {LOGS}",
    "strategies",
    mem=(800, 50),
    minutes=(20, 2),
)
