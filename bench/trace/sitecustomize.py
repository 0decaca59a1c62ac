"""Where a `wsd` process spends its processor time; loaded by bench/sweep.py into each of them.

Python imports a module of this name by itself when it starts, from PYTHONPATH. At its end the
process adds a line of JSON to WSD_TRACE: the step, and the seconds in the model's forward pass,
in fitting classifiers (on folds as well, with the scores of the held-out rows), in imports, and in
all.
"""

import atexit
import builtins
import importlib.abc
import importlib.machinery
import json
import os
import sys
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

SECONDS = Counter()
LOCK = threading.Lock()
LOCAL = threading.local()
# Module, what is called, and what its time is; a forward pass runs on a thread of its own.
CALLS = [
    ("wsd.encoder.encoder", "Encoder._forward", "forward", time.thread_time),
    ("wsd.classification.cross_validation", "score_word", "fit", time.process_time),
    *(
        (f"wsd.classification.estimators.{module}", f"{name}.fit", "fit", time.process_time)
        for module, name in [
            ("bag_of_words", "BagOfWords"),
            ("nearest_centroid", "NearestCentroid"),
            ("knn", "KNN"),
            ("lda", "LDA"),
            ("logistic", "Logistic"),
            ("scalar_mix", "MixedLogistic"),
        ]
    ),
]


def timed(function, kind, clock):
    """The function, its outermost calls added to the time of their kind."""

    def wrapper(*args, **kwargs):
        if getattr(LOCAL, "inside", None):
            return function(*args, **kwargs)
        LOCAL.inside, start = kind, clock()
        try:
            return function(*args, **kwargs)
        finally:
            LOCAL.inside = None
            with LOCK:
                SECONDS[kind] += clock() - start

    return wrapper


class Patched(importlib.abc.MetaPathFinder):
    """Puts the clocks in when a module is imported, and imports none itself."""

    def find_spec(self, fullname, path=None, target=None):
        calls = [call for call in CALLS if call[0] == fullname]
        if not calls:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            for _, name, kind, clock in calls:
                *owner, last = name.split(".")
                place = getattr(module, owner[0]) if owner else module
                setattr(place, last, timed(getattr(place, last), kind, clock))

        spec.loader.exec_module = exec_module
        return spec


def write():
    program, *argv = sys.argv
    if Path(program).name != "wsd":
        return
    words = (a for before, a in pairwise(["", *argv]) if a[0] != "-" and before != "--log")
    step = next(words, "")
    line = {"step": step, "all": time.process_time(), **SECONDS}
    with Path(os.environ["WSD_TRACE"]).open("a") as file:
        file.write(json.dumps(line) + "\n")


if "WSD_TRACE" in os.environ:
    sys.meta_path.insert(0, Patched())
    builtins.__import__ = timed(builtins.__import__, "import", time.thread_time)
    atexit.register(write)
