"""The workflow on NOAD, run for real: a made-up archive in the place of the real one."""

import shutil
from pathlib import Path

import made_noad
import pytest
from checkout import Checkout

WORDS = ("cell=2en", "serve=2ev")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    folder = tmp_path_factory.mktemp("noad")
    checkout = Checkout.create(folder / "wsd")
    archive, sums = made_noad.write(folder / "made")
    data = checkout.root / "wsd/data"
    shutil.copyfile(sums, data / "noad.sha256")
    (data / "noad.csv").write_text("word,senses\ncell.n,5+5 5+5\nserve.v,5+5 5+5\n")
    checkout.environment["WSD_NOAD_ARCHIVE"] = str(archive)
    return checkout


@pytest.fixture(scope="module")
def config(checkout: Checkout) -> dict:
    return {
        "dataset": "noad",
        "models": [checkout.tiny_model()],
        "layers": [1],
        "tuning": {"folds": 2, "repeats": 1},
        "classifiers": [{"name": "nearest_centroid"}],
        "controls": {"baselines": False},
        "projections": ["pca"],
    }


@pytest.mark.slow
def test_from_the_archive_to_the_pages(checkout: Checkout, config: dict) -> None:
    path = checkout.configure("small", **config)
    jobs = checkout.run("--cores", "2", "--configfile", path).jobs
    assert (jobs["noad"], jobs["corpus"], jobs["embed"]) == (1, 1, 1)
    report = checkout.root / "results/noad/report"
    pages = sorted(report.rglob("*.html"))
    assert {f"{word}.html" for word in WORDS} <= {page.name for page in pages}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "SemCor and MASC with NOAD senses" in text, page
        assert "https://creativecommons.org/licenses/by/4.0/" in text, page
        assert "Dayu Yuan" in text, page
    assert checkout.run("--cores", "2", "--configfile", path).nothing
    # A file that no rule names is missed all the same.
    (checkout.root / "results/noad/source" / WORDS[0] / "test.data.txt").unlink()
    assert checkout.run("--cores", "2", "--configfile", path).jobs["noad"] == 1
    assert checkout.run("--cores", "2", "--configfile", path).nothing


@pytest.mark.slow
def test_what_is_no_archive_ends_the_run_with_nothing_written(
    checkout: Checkout, config: dict, tmp_path: Path
) -> None:
    changed = {name: of.replace(b"soup", b"soap") for name, of in made_noad.FILES.items()}
    archive, _ = made_noad.write(tmp_path, changed)
    table = "word,senses\ncell.n,10+1 10+1\nserve.v,10+1 10+1\n"
    (checkout.root / "wsd/data/noad.csv").write_text(table)
    path = checkout.configure("bad", **{**config, "dataset": "noad-semcor-masc"})
    run = checkout.run("--cores", "1", "--configfile", path, code=1, WSD_NOAD_ARCHIVE=str(archive))
    assert "semcor/br-0.xml is not the file it should be" in run.text
    assert not list((checkout.root / "results/noad-semcor-masc").rglob("*.txt"))
