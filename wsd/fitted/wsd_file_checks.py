"""Check the manifest and the arrays of a model file.

A file can come from a stranger. Each check raises ValueError, which :mod:`wsd.fitted.wsd_file`
turns into the error that the user reads.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.senses import SenseText, sense_texts
from wsd.artifacts.transform_names import check_transform
from wsd.artifacts.view_names import VIEWS
from wsd.classification.estimators.nearest_centroid import METRICS
from wsd.fitted.selected_results import Configuration
from wsd.storage.result_files import require


def checked_configuration(fields: Any) -> Configuration:
    """Return the configuration; refuse one that is malformed or cannot be used on new text."""
    named = Configuration(**fields)
    # Names of result files contain these values.
    names = all(isinstance(value, str) and len(value) < 256 for value in fields.values())
    require(names, "the configuration has a value that is not a name")
    require(set(named.view.split(JOIN)) <= set(VIEWS), f"the view {named.view!r}")
    return named


def check_arrays(
    classifier: Any, train: np.ndarray, gold: np.ndarray, lines: np.ndarray, senses: int
) -> None:
    """Refuse arrays of a word that do not belong together."""
    classes = classifier.classes_
    require(
        train.shape == (len(gold), classifier.n_features_in_)
        and train.dtype.kind == "f"
        and (np.abs(train) < 2).all()  # directions, rounded
        and all(a.ndim == 1 and a.dtype.kind == "i" for a in (classes, gold, lines))
        and len(lines) == len(gold)
        and len(classes)
        and (np.diff(classes) > 0).all()
        and classes[0] >= 0
        and classes[-1] < senses
        and np.isin(gold, classes).all(),
        "its arrays do not belong together",
    )


def check_word_entry(entry: Mapping[str, Any]) -> None:
    """Refuse a manifest entry that :meth:`wsd.fitted.wsd_file.WsdFileWriter.put` cannot write."""
    senses, temperature, threshold = entry["senses"], entry["temperature"], entry["threshold"]
    texts = all(isinstance(text, str) and text for text in (*senses, entry["corpus"]))
    distinct = texts and isinstance(senses, list) and len(set(senses)) == len(senses)
    require(distinct, "the senses are not distinct names")
    for name, value in entry["parameters"].items():
        if name == "transform":
            check_transform(value)
        elif name == "metric":
            require(value in METRICS, f"the metric is not one of {', '.join(METRICS)}")
        else:
            require(_is_number(value), "a parameter is not a number")
    positive = temperature is None or (_is_number(temperature) and temperature > 0)
    require(positive, "the temperature is not a positive number")
    require(threshold is None or _is_number(threshold), "the threshold is not a number")
    check_forms(entry["forms"])


def sense_names(word: str, senses: tuple[str, ...], pairs: Any) -> tuple[SenseText, ...]:
    """Return names and glosses of senses; files of earlier versions lack them (None)."""
    if pairs is None:
        return sense_texts(word, senses)
    lists = isinstance(pairs, list) and all(isinstance(pair, list) for pair in pairs)
    require(lists, "the names of senses are not pairs of a name and a gloss")
    texts = tuple(SenseText(*pair) for pair in pairs)
    strings = all(isinstance(part, str) for text in texts for part in text)
    names = {text.name for text in texts} - {""}
    matching = strings and len(names) == len(texts) == len(senses)
    require(matching, "the names do not match the senses")
    return texts


def check_forms(forms: Any) -> None:
    """Refuse forms of a word that are not words."""
    texts = isinstance(forms, list) and all(isinstance(form, str) and form for form in forms)
    require(texts, "the forms are not a list of words")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
