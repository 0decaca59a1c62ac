"""Check what an export says about itself. A file can come from a stranger.

Each check raises ValueError or a similar error, which :mod:`wsd.studies.board.export_file` turns
into the error that the user reads.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from wsd.artifacts.cv_table import OBJECTIVES
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.layer_choice import MOST_BLOCKS
from wsd.errors import visible
from wsd.storage.result_files import require

DIGEST = re.compile("[0-9a-f]{64}")
DATASET = ("name", "title", "licence", "licence_url", "citation")
# The longest text, and the largest number: a page can show them.
LONGEST, MOST = 1000, 2**53


def corpus_checksum(words: Mapping[str, Any]) -> str:
    """Return one checksum of all words' tables.

    Parameters
    ----------
    words : mapping of word to a mapping with the ``digest`` of its table
    """
    digests = {word: entry["digest"] for word, entry in words.items()}
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def check_about(about: Mapping[str, Any]) -> None:
    """Refuse an ``export.json`` without the facts that a board needs."""
    for key in DATASET:
        _check_text(about["dataset"][key], f"the {key} of the corpus")
    address = about["dataset"]["licence_url"]
    require(not address or address.startswith(("https://", "http://")), "licence_url is not a link")
    require(about["objective"] in OBJECTIVES, f"the objective {about['objective']!r}")
    words = about["corpus"]["words"]
    require(isinstance(words, dict) and words, "it has no words")
    require(list(words) == sorted(words), "its words are not sorted")
    for word, entry in words.items():
        _check_text(word, "a word")
        for sense in entry["senses"]:
            _check_text(sense, f"a sense of {word!r}")
        senses = isinstance(entry["senses"], list) and len(set(entry["senses"]))
        require(senses == len(entry["senses"]) > 0, f"the senses of {word!r} are not distinct")
        for count in ("n_train", "n_test"):
            require(_is_count(entry[count]), f"{count} of {word!r} is not a number")
        require(entry["n_test"], f"{word!r} has no test instance")
        require(DIGEST.fullmatch(entry["digest"]), f"the digest of {word!r}")
    agrees = about["corpus"]["checksum"] == corpus_checksum(words)
    require(agrees, "the checksum of the corpus is not that of its words")
    require(about["models"], "it has no models")
    for name, entry in about["models"].items():
        _check_text(name, "the name of a model")
        record = entry["encoder"]["model"]
        check_record(record)
        require(record["name"] == name, f"the record of {name!r} has the name {record['name']!r}")
        require(record["blocks"] <= MOST_BLOCKS and record["width"] <= MOST, f"shape of {name!r}")
        parameters, seconds = entry["parameters"], entry["embedding_processor_seconds"]
        require(parameters is None or _is_count(parameters), f"parameters of {name!r}")
        finite = type(seconds) in (int, float) and math.isfinite(seconds) and seconds > 0
        require(seconds is None or finite, f"processor seconds of {name!r}")
        for text in entry["selected"].values():
            _check_text(text, f"the configuration of {name!r}")
    for key in ("config", "folds", "spaces", "versions"):
        require(isinstance(about[key], dict), f"{key} is not an object")
    _check_text(about["written_by"], "the version of wsd")


def check_names(line: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Refuse a configuration of an unknown model, view or layer choice."""
    require(line["model"] in about["models"], f"a configuration of the model {line['model']!r}")
    _check_text(line["classifier"], "the name of a classifier")
    blocks = about["models"][line["model"]]["encoder"]["model"]["blocks"]
    parse_features(line["view"], line["layers"], blocks)
    cv = line["objective_cv"]
    require(cv is None or 0 <= cv <= 1, f"a cross-validated score of {cv!r}")


def check_codes(word: str, index: np.ndarray, codes: np.ndarray, senses: int) -> None:
    """Refuse instances that occur twice, and senses that a word does not have."""
    whole = index.dtype.kind == codes.dtype.kind == "i"
    require(whole and (index >= 0).all(), f"an instance of {word!r} has no line")
    require(len(np.unique(index)) == len(index), f"an instance of {word!r} occurs twice")
    require(((codes >= 0) & (codes < senses)).all(), f"a sense that {word!r} does not have")


def _check_text(text: Any, name: str) -> None:
    short = isinstance(text, str) and len(text) <= LONGEST and visible(text) == text
    require(short, f"{name} is not a text, or has a character that cannot be seen")


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST
