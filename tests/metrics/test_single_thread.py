"""Limit all libraries to one thread, those that load later too."""

import subprocess
import sys

CODE = """
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from wsd.metrics.single_thread import one_thread

def threads():
    return {pool["num_threads"] for pool in threadpool_info()}

with threadpool_limits(2):
    before = threads()
    with one_thread():
        assert threads() == {1}, threads()
    assert threads() == before == {2}, threads()
count = len(threadpool_info())
import sklearn.linear_model
assert len(threadpool_info()) > count
with threadpool_limits(2), one_thread():
    assert threads() == {1}, threads()
"""


def test_every_library_has_one_thread_inside_and_its_own_after() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True)
