# In:  the predictions of every strategy, and the logs of the jobs that made them.
# Out: comparison/strategies.csv, what each strategy scores, on how many labels, in what time.

# The logs are no inputs: what did not leave its time here is not run again for it.
step(
    "strategies",
    {
        "corpus": CORPUS,
        "candidates": FILES.of_every_train(PREDICTIONS),
        "searches": FILES.of_every_train(SEARCH),
        "selection": CHOSEN,
        "baselines": STUDIES["strategies"].baselines(FILES),
        "zero_shot": FILES.further_scores.get("zero_shot", []),
        "per_word": FILES.of_models(FILES.per_word),
        "finetuned": FILES.further_scores.get("finetuned", []),
    },
    STUDY_FILES["strategies"]["table"],
    "strategies: what each scores, on how many labels, in what time",
    f"--map {SESSION.map} --logs {LOGS}",
    "strategies",
    mem=(800, 50),
    minutes=(20, 2),
)
