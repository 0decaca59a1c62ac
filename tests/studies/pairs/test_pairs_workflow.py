"""A corpus of pairs in the workflow: from the import to the page and the list of reports."""

from pathlib import Path

import pytest
from checkout import Checkout

from wsd.cli import main
from wsd.storage.csv import read_csv

# The test pair differs in a capital alone, which the encoder does not read, and is said to be of
# two senses: wrong in every layer.
LINES = {
    "train": (
        "crane\tN\t1-1\tthe crane flew\ta crane lifted\ncrane\tN\t1-1\tit crane\tit crane\n",
        "F\nT\n",
    ),
    "dev": ("mint\tN\t1-1\tthe mint grew\ta mint paid\n", "F\n"),
    "test": ("bank\tN\t1-1\tthe bank of\tThe bank of\n", "F\n"),
}


@pytest.mark.slow
def test_from_the_import_to_the_page(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "wsd")
    for split, (data, gold) in LINES.items():
        (tmp_path / f"{split}.data.txt").write_text(data)
        (tmp_path / f"{split}.gold.txt").write_text(gold)
    files = [str(tmp_path / f"{split}.data.txt") for split in LINES]
    assert main(["import", *files, "--name", "mine", "--out", str(tmp_path / "data")]) == 0
    config = checkout.configure(
        "pairs",
        dataset={"name": "mine", "path": str(tmp_path / "data"), "title": "My <pairs>"},
        models=[{**checkout.tiny_model(), "pooling": "first"}],
        layers=["all", "mean-all", "mix-all"],
        transforms=["none", "remove-1"],
    )
    call = ("--cores", "2", "--configfile", config)
    run = checkout.run(*call)
    steps = ("copy_corpus", "corpus", "model", "embed", "alignment", "pairs", "pairs_page")
    assert run.jobs == dict.fromkeys(steps, 1)
    results = checkout.root / "results"
    table = read_csv(results / "mine/tiny/pairs.csv")
    assert table["layers"].unique().tolist() == ["0", "1", "2", "mean-all"]
    assert table["transform"].unique().tolist() == ["none", "remove-1"]
    page = results / "mine/tiny/pairs.html"
    assert "My &lt;pairs&gt;" in page.read_text() and "<strong>bank</strong>" in page.read_text()
    assert str(page) in run.text
    listed = (results / "index.html").read_text()
    assert 'href="mine/tiny/pairs.html"' in listed and "My &lt;pairs&gt;" in listed

    # A named run shares the vectors; its page has no sentences, and the list names it.
    changed = {"run": "other", "layers": ["mean-all"], "sentences": False}
    run = checkout.run(*call, checkout.configure("other", **changed))
    assert set(run.jobs) == {"pairs", "pairs_page"}
    page = results / "mine/runs/other/tiny/pairs.html"
    assert "<strong>bank" not in page.read_text() and "<bdi>bank.n</bdi> 1" in page.read_text()
    assert 'href="mine/runs/other/tiny/pairs.html"' in (results / "index.html").read_text()
    assert checkout.run(*call, str(checkout.root / "config/other.yaml")).nothing
