# In:  the corpus, and an encoder with a masked-language-model head.
# Out: <model>/substitutes/words.json, which lists a table per word beside it; <model>/baselines/, the
#      predictions of a bag of substitutes; <model>/substitutes.csv, what distinguishes each sense.

SUBSTITUTES = STUDY_FILES["substitutes"]

# As with vectors, Snakemake knows the listing alone, and a word that was asked is left as it is.
step(
    "substitutes",
    {"corpus": CORPUS, "model": record_of},
    {"listing": SUBSTITUTES["substitutes"]},
    "substitutes: what {asked} would say in the focal word's place",
    "--threads {threads}",
    "asked",
    folder=str(Path(SUBSTITUTES["substitutes"]).parent),
    mem=lambda wildcards, attempt: attempt
    * math.ceil(1500 + 3 * weights_mb(MODEL_OF[wildcards.asked])),
    # Two passes, and the products with the vocabulary.
    minutes=lambda wildcards, attempt: 3
    * pass_minutes(MODEL_OF[wildcards.asked], CONFIG.words, attempt),
    **HEAVY,
)

# What needs senses is not there without any.
if CONFIG.dataset.labelled:

    step(
        "sense_substitutes",
        {"corpus": CORPUS, "substitutes": SUBSTITUTES["substitutes"]},
        SUBSTITUTES["sense_substitutes"],
        "substitutes: what sets each sense apart, by {asked}",
        mem=(800, 20),
        minutes=(10, 0.2),
    )

    step(
        "baseline_substitutes",
        {"corpus": CORPUS, "folds": FOLDS, "substitutes": SUBSTITUTES["substitutes"]},
        SUBSTITUTES["bags"],
        "baseline: a bag of the substitutes of {asked}",
        "--name bag_of_substitutes",
        "bags",
        command="baseline",
        priority=1,
        mem=(600, 100),
        minutes=(10, 10),
    )
