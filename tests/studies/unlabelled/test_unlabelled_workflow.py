"""A run of a corpus without senses."""

from itertools import product
from pathlib import Path

import pytest
from checkout import Checkout
from importing import import_corpus

from wsd.storage.csv import read_csv


@pytest.mark.slow
def test_a_corpus_without_senses(tmp_path: Path) -> None:
    """Embed, uses: no step that needs senses, and the pages at the end."""
    checkout, text = Checkout.create(tmp_path / "wsd"), tmp_path / "s.txt"
    lines = product(("crane", "cranes"), ("flew", "lifted"), "abcde")
    text.write_text("".join(f"the {form} {x} {y}\n" for form, x, y in lines))
    import_corpus([text], out=tmp_path / "mine", name="mine", unlabelled=True, word="crane")
    config = checkout.configure(
        "own", dataset={"name": "mine", "path": str(tmp_path / "mine")},
        models=[checkout.tiny_model()], layers=[0, 2],
    )  # fmt: skip
    call = ("--cores", "1", "--no-hooks", "--configfile", config)
    once = ("copy_corpus", "corpus", "model", "embed", "alignment", "uses_page")
    assert checkout.run(*call).jobs == {**dict.fromkeys(once, 1), "uses": 2}
    uses = checkout.root / "results/mine/uses"
    assert "centred for each form" not in (uses / "tiny/crane.html").read_text()
    assert set(read_csv(uses / "uses.csv")["layers"].astype(str)) == {"0", "2"}
    assert "mine/uses/index.html" in (checkout.root / "results/index.html").read_text()
    refused = checkout.run("fit", "-n", "--configfile", config, code=1)
    assert "MissingRuleException" in refused.text
    again = (*call, "--config", "clusters={centre: form}")
    assert checkout.run(*again).jobs == {"uses": 2, "uses_page": 1}
    assert "centred for each form" in (uses / "tiny/crane.html").read_text()
    assert checkout.run("-n", *again).nothing
