"""Write a model file to a full disk."""

import errno
import gc
import sys
from pathlib import Path

import pytest

from wsd.fitted.wsd_file import WsdFileWriter


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive does not try to write again when it is deleted."""
    unraisable: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    writer = WsdFileWriter(Path("/dev/full"))
    with pytest.raises(OSError) as error:
        for _ in range(9):
            writer._add("words/0.safetensors", bytes(100_000))
    assert error.value.errno == errno.ENOSPC
    del writer, error
    gc.collect()
    assert unraisable == []
