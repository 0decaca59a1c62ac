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


def put(checkout: Checkout) -> Path:
    files = checkout.root / "files"
    files.mkdir(exist_ok=True)
    for split, (data, gold) in LINES.items():
        (files / f"{split}.data.txt").write_text(data)
        (files / f"{split}.gold.txt").write_text(gold)
    data = checkout.root / "data"
    arguments = [str(files / f"{split}.data.txt") for split in LINES]
    assert main(["import", *arguments, "--name", "mine", "--out", str(data)]) == 0
    return data


@pytest.mark.slow
def test_from_the_import_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = Checkout.create(tmp_path / "wsd")
    data = put(checkout)
    first = {**checkout.tiny_model(), "name": "first", "pooling": "first"}
    config = checkout.configure(
        "pairs",
        dataset={"name": "mine", "path": str(data), "title": "My <pairs>"},
        models=[checkout.tiny_model(), first],
        layers=["all", "mean-all", "mix-all"],
        transforms=["none", "remove-1"],
        # Keys without an effect on pairs.
        controls={"random_weights": [1]},
        analyses=["geometry"],
    )
    call = ("--cores", "2", "--configfile", config)
    run = checkout.run(*call)
    counted = {"copy_corpus": 1, "corpus": 1, "model": 2, "embed": 2, "alignment": 2}
    assert dict(run.jobs) == {**counted, "pairs": 2, "pairs_page": 2}
    results = checkout.root / "results"
    for model in ("tiny", "first"):
        table = read_csv(results / f"mine/{model}/pairs.csv")
        assert table["layers"].unique().tolist() == ["0", "1", "2", "mean-all"]
        assert table["transform"].unique().tolist() == ["none", "remove-1"]
        page = (results / f"mine/{model}/pairs.html").read_text()
        assert "My &lt;pairs&gt;" in page and "the <strong>bank</strong> of" in page
        assert str(results / f"mine/{model}/pairs.html") in run.text
        # Only the view that is read.
        vectors = (results / f"mine/{model}/embeddings").glob("*/*.safetensors")
        assert [path.name for path in vectors] == ["focal.safetensors"]
    listed = (results / "index.html").read_text()
    assert 'href="mine/first/pairs.html"' in listed and "My &lt;pairs&gt;" in listed
    assert checkout.run(*call).nothing
    monkeypatch.chdir(checkout.root)
    assert main(["check"]) == 0 == main(["plan", config])

    # The sentences disappear from the page, and nothing is embedded again.
    run = checkout.run(*call, checkout.configure("less", sentences=False))
    assert set(run.jobs) == {"pairs_page"}
    page = (results / "mine/tiny/pairs.html").read_text()
    assert "<strong>bank" not in page and "<bdi>bank.n</bdi> 1" in page

    # A named run shares the vectors; the list names its page.
    run = checkout.run(*call, checkout.configure("other", run="other", layers=["mean-all"]))
    assert set(run.jobs) == {"pairs", "pairs_page"}
    listed = (results / "index.html").read_text()
    assert 'href="mine/runs/other/tiny/pairs.html"' in listed
