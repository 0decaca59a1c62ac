"""What the manifest and the arrays of a model file may say; everything else is refused.

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


def checked_configuration(said: Any) -> Configuration:
    """Refuse what is no configuration, or none for new text."""
    named = Configuration(**said)
    # The results name files by them.
    names = all(isinstance(value, str) and len(value) < 256 for value in said.values())
    require(names, "a configuration that is not of names")
    known = set(named.view.split(JOIN)) <= set(VIEWS)
    require(known and named.is_usable, f"the view {named.view!r}")
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
        and all(of.ndim == 1 and of.dtype.kind == "i" for of in (classes, gold, lines))
        and len(lines) == len(gold)
        and len(classes)
        and (np.diff(classes) > 0).all()
        and classes[0] >= 0
        and classes[-1] < senses
        and np.isin(gold, classes).all(),
        "its arrays do not belong together",
    )


def check_said(said: Mapping[str, Any]) -> None:
    """Refuse what :meth:`wsd.fitted.wsd_file.WsdFileWriter.put` would not say of a word."""
    senses, temperature, threshold = said["senses"], said["temperature"], said["threshold"]
    texts = all(isinstance(text, str) and text for text in (*senses, said["corpus"]))
    distinct = texts and isinstance(senses, list) and len(set(senses)) == len(senses)
    require(distinct, "senses that are no names, or the same twice")
    for name, value in said["parameters"].items():
        if name == "transform":
            check_transform(value)
        elif name == "metric":
            require(value in METRICS, f"a metric that is none of {', '.join(METRICS)}")
        else:
            require(_is_number(value), "a parameter that is no number")
    warm = temperature is None or (_is_number(temperature) and temperature > 0)
    require(warm, "a temperature that is none")
    require(threshold is None or _is_number(threshold), "a threshold that is no number")
    check_forms(said["forms"])


def sense_names(word: str, senses: tuple[str, ...], said: Any) -> tuple[SenseText, ...]:
    """What the senses are called, which a file of an earlier version does not say."""
    if said is None:
        return sense_texts(word, senses)
    pairs = isinstance(said, list) and all(isinstance(pair, list) for pair in said)
    require(pairs, "names of senses that are no pairs")
    found = tuple(SenseText(*pair) for pair in said)
    texts = all(isinstance(part, str) for one in found for part in one)
    names = {one.name for one in found} - {""}
    require(texts and len(names) == len(found) == len(senses), "names that are not its senses'")
    return found


def check_forms(forms: Any) -> None:
    """Refuse forms of a word that are not words."""
    texts = isinstance(forms, list) and all(isinstance(form, str) and form for form in forms)
    require(texts, "forms that are no words")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
