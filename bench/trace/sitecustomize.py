"""Record where each `wsd` process spends its processor time, for bench/sweep.py.

Python imports a module of this name from PYTHONPATH when it starts. When the process ends, it
appends a line of JSON to the file WSD_TRACE: the step and its seconds in the forward pass, in
fitting classifiers (with cross-validation and its scores), in imports, and in all, and its peak
memory in MB.
"""

import atexit
import builtins
import importlib.abc
import importlib.machinery
import json
import os
import re
import sys
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

SECONDS = Counter()
LOCK = threading.Lock()
LOCAL = threading.local()
# Module, function, kind of time and clock. Forward passes run on several threads.
TIMED_CALLS = [
    ("wsd.encoder.encoder", "Encoder._forward", "forward", time.thread_time),
    ("wsd.classification.classify", "score_word", "fit", time.process_time),
    *(
        (f"wsd.classification.estimators.{module}", f"{name}.fit", "fit", time.process_time)
        for module, name in [
            ("vector_classifiers", "NearestCentroid"),
            ("vector_classifiers", "KNN"),
            ("vector_classifiers", "LDA"),
            ("logistic", "BagOfWords"),
            ("logistic", "Logistic"),
            ("scalar_mix", "MixedLogistic"),
        ]
    ),
]


def timed(function, kind, clock):
    """Wrap a function to add the time of its outermost calls to ``kind``."""

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


class TimingFinder(importlib.abc.MetaPathFinder):
    """Wrap the timed functions of a module when the program imports it."""

    def find_spec(self, fullname, path=None, target=None):
        calls = [call for call in TIMED_CALLS if call[0] == fullname]
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
    # Not getrusage, whose maximum includes that of the process that started this one.
    kilobytes = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]
    peak = int(kilobytes) / 1000
    line = {"step": step, "all": time.process_time(), "peak": peak, **SECONDS}
    with Path(os.environ["WSD_TRACE"]).open("a") as file:
        file.write(json.dumps(line) + "\n")


if "WSD_TRACE" in os.environ:
    sys.meta_path.insert(0, TimingFinder())
    builtins.__import__ = timed(builtins.__import__, "import", time.thread_time)
    atexit.register(write)
