"""Write a model file to a full disk."""

import errno
import gc
import sys
from pathlib import Path

import pytest

from wsd.fitted.wsd_file import write_wsd_file


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive does not try to write again when it is deleted."""
    unraisable: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with pytest.raises(OSError) as error:
        write_wsd_file(Path("/dev/full"), [], {"x": "x" * 10**6}, lambda manifest: "card", {})
    assert error.value.errno == errno.ENOSPC
    del error
    gc.collect()
    assert unraisable == []
