"""A run that measures change."""

from itertools import product
from pathlib import Path

import pytest
from checkout import Checkout
from importing import import_corpus

from wsd.storage.csv import read_csv


@pytest.mark.slow
def test_change_between_two_periods(tmp_path: Path) -> None:
    """Import a table with periods, measure, and write the pages; a second run does nothing."""
    checkout, table = Checkout.create(tmp_path / "wsd"), tmp_path / "s.csv"
    uses = product((("1810", "flew"), ("1960", "lifted"), ("1900", "sat")), ("near", "of"), "abcde")
    rows = [f"crane,the crane {verb} {x} {y},{period}" for (period, verb), x, y in uses]
    table.write_text("\n".join(["word,sentence,period", *rows]) + "\n")
    import_corpus([table], out=tmp_path / "mine", name="mine", unlabelled=True)
    config = checkout.configure(
        "own", dataset={"name": "mine", "path": str(tmp_path / "mine")},
        models=[checkout.tiny_model()], layers=[0, 2],
        change={"group": "period", "groups": ["1810", "1960"]},
    )  # fmt: skip
    call = ("--cores", "1", "--no-hooks", "--configfile", config)
    run = checkout.run(*call)
    once = ("copy_corpus", "corpus", "model", "embed", "alignment", "uses_page")
    assert run.jobs == {**dict.fromkeys((*once, "change", "change_page"), 1), "uses": 2}
    results = checkout.root / "results/mine/tiny"
    measured = set(map(tuple, read_csv(results / "change.csv")[["layers", "measure"]].to_numpy()))
    assert {("0", "apd"), ("2", "prototype"), ("bag-of-words", "jsd")} <= measured
    words = read_csv(results / "change-words.csv")
    assert words[["n_first", "n_second"]].to_numpy().tolist() == [[10, 10]]
    assert (results / "change/words/crane.html").exists()
    assert "mine/tiny/change/index.html" in (checkout.root / "results/index.html").read_text()
    assert checkout.run("-n", *call).nothing
