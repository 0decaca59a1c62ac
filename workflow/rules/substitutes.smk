# In:  the corpus, and an encoder with a masked-language-model head.
# Out: <model>/substitutes/words.json, which lists a table per word in its folder; <model>/baselines/,
#      the predictions of a bag of substitutes; <model>/substitutes.csv, those of each sense.

SUBSTITUTES = STUDY_FILES["substitutes"]

# As with vectors, Snakemake knows only the listing, and a job skips words that are done.
step(
    "substitutes",
    {"corpus": CORPUS, "model": record_of},
    {"listing": SUBSTITUTES["substitutes"]},
    folder=str(Path(SUBSTITUTES["substitutes"]).parent),
    mem=by_weights(1500, 3),
    # Two passes, and the products with the vocabulary.
    minutes=lambda wildcards, attempt: 3 * pass_minutes(wildcards, attempt),
    **HEAVY,
)

# These steps need senses.
step(
    "sense_substitutes",
    {"corpus": CORPUS, "substitutes": SUBSTITUTES["substitutes"]},
    SUBSTITUTES["sense_substitutes"],
)

step(
    "baseline_substitutes",
    {"corpus": CORPUS, "folds": FOLDS, "embeddings": SUBSTITUTES["substitutes"]},
    SUBSTITUTES["bags"],
    {
        "view": "substitutes",
        "layers": "masked",
        "estimator": "bag_of_words",
        "name": "bag_of_substitutes",
    },
    command="classify",
    priority=1,
    **DRAWN,
)
