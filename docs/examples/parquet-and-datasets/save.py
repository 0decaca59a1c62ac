"""Write a table of sentences as Parquet."""

import pandas as pd

pd.DataFrame(
    {
        "word": "bank",
        "sense": ["bank_money", "bank_money", "bank_river", "bank_river"],
        "sentence": [
            "The bank refused the loan.",
            "My bank closes its counters at noon.",
            "Willows lean over the bank.",
            "An otter slid down the bank.",
        ],
        "start": [4, 3, 22, 23],
        "end": [8, 7, 26, 27],
    }
).to_parquet("bank.parquet")
