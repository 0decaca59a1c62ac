"""The real workflow on a small archive with the layout of NOAD."""

import shutil

import pytest
import small_noad
from browser import Browser, chromium
from checkout import Checkout
from selenium.webdriver.support.ui import Select

__all__ = ["chromium"]

pytestmark = pytest.mark.slow

WORDS = ("cell=2en", "serve=2ev")
ARGUMENTS = ("--cores", "2", "--configfile", "config/one.yaml", "config/noad.yaml")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a checkout with a finished run."""
    folder = tmp_path_factory.mktemp("noad")
    checkout = Checkout.create(folder / "wsd")
    archive, sums = small_noad.write(folder / "made")
    data = checkout.root / "wsd/data"
    shutil.copyfile(sums, data / "noad.sha256")
    (data / "noad.csv").write_text("word,senses\ncell.n,5+5 5+5\nserve.v,5+5 5+5\n")
    checkout.environment["WSD_NOAD_ARCHIVE"] = str(archive)
    checkout.one_word("one")
    checkout.configure("noad", dataset="noad", words="all", tuning={"folds": 2, "repeats": 1})
    jobs = checkout.run(*ARGUMENTS).jobs
    assert (jobs["noad"], jobs["corpus"], jobs["embed"]) == (1, 1, 1)
    return checkout


def test_from_the_archive_to_the_pages(checkout: Checkout) -> None:
    """Can I run NOAD from its archive, and do the pages name its source and terms?"""
    pages = sorted((checkout.root / "results/noad/report").rglob("*.html"))
    words = [page.name for page in pages if page.parent.name == "words"]
    assert words == [f"{word}.html" for word in WORDS] and len(pages) == 4
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "SemCor and MASC with NOAD senses" in text, page
        assert "CC BY 4.0, Google; with the terms of WordNet, SemCor and MASC" in text, page
        assert "https://creativecommons.org/licenses/by/4.0/" in text, page
        assert "Dayu Yuan" in text and "divided into training and test texts" in text, page
    # Snakemake would miss a file that no rule lists.
    (checkout.root / "results/noad/source" / WORDS[0] / "test.data.txt").unlink()
    assert checkout.run(*ARGUMENTS).jobs["noad"] == 1
    assert checkout.run(*ARGUMENTS).nothing


def test_words_are_found_by_part_of_speech(checkout: Checkout, chromium: Browser) -> None:
    """How do I find the verbs on the first page?"""
    index = checkout.root / "results/noad/report/index.html"
    chromium.open(index)
    part = Select(chromium.driver.find_element("id", "part"))
    assert [option.text for option in part.options] == ["all", "noun (1)", "verb (1)"]
    shown = (
        "return [...document.querySelectorAll('.gallery > li, table.words tbody tr')]"
        ".filter((one) => !one.hidden).map((one) => one.querySelector('bdi').textContent)"
    )
    assert chromium.js(shown) == ["cell.n", "serve.v"] * 2
    part.select_by_value("verb")
    assert chromium.js(shown) == ["serve.v"] * 2
    assert chromium.driver.find_element("id", "filter-count").text == "1 of 2"
    # The address contains the filter, and the page applies it when it opens.
    chromium.open(f"{index.as_uri()}#part=noun")
    assert chromium.js(shown) == ["cell.n"] * 2
    chromium.assert_quiet()
