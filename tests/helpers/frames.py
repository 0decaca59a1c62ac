"""A small labelled frame, as a notebook would hold it, and its files."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

SENTENCES = {
    "bank_money": ("The bank refused the loan.", "My bank closes at noon."),
    "bank_river": ("Willows lean over the bank.", "An otter slid down the bank."),
}


def bank(**columns: Any) -> pd.DataFrame:
    """Return four sentences of two senses with the characters of the word."""
    rows = [("bank", sense, text) for sense, texts in SENTENCES.items() for text in texts]
    frame = pd.DataFrame(rows, columns=["word", "sense", "sentence"])
    start = frame["sentence"].str.index("bank")
    return frame.assign(**{"start": start, "end": start + 4, **columns})


def save_to_disk(folder: Path, frame: pd.DataFrame, features: dict[str, Any] | None = None) -> Path:
    """Write a folder as ``Dataset.save_to_disk`` does."""
    folder.mkdir(parents=True)
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": features or {}}})}
    )
    with pa.ipc.new_stream(str(folder / "data-00000-of-00001.arrow"), table.schema) as stream:
        stream.write_table(table)
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}
    (folder / "state.json").write_text(json.dumps(state))
    return folder


def save_dict(folder: Path, **splits: pd.DataFrame) -> Path:
    """Write a folder as ``DatasetDict.save_to_disk`` does."""
    for name, frame in splits.items():
        save_to_disk(folder / name, frame)
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": [*splits]}))
    return folder
