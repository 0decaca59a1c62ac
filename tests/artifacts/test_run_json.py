"""The map of a run and listings: paths of files, all inside their folder."""

from pathlib import Path

import pytest

from wsd.artifacts.run_json import (
    RunMap,
    WordFiles,
    bare,
    list_folders,
    megabytes,
    read_listing,
    word_file,
    write_listing,
    write_map,
)
from wsd.errors import ResultError
from wsd.storage.atomic import write_text
from wsd.storage.checksums import checksum
from wsd.storage.json import write_json

ABOUT = {"config": {"seed": 2}, "command": "snakemake again", "digests": {"step embed": "ab"}}
K = "@0123456789"


def test_published_paths_have_no_keys() -> None:
    assert bare(f"store/m{K}/{K}/geometry.csv") == "store/m/geometry.csv"
    assert bare(f"full{K}/focal{K}/1.knn{K}.parquet") == "full/focal/1.knn.parquet"
    assert bare("a@012345678/b@0123456789a.csv") == "a@012345678/b@0123456789a.csv"


def made(folder: Path, *names: str) -> list[str]:
    for name in names:
        write_text(folder / name, "x")
    return [f"results/mine/{name}" for name in names]


@pytest.mark.parametrize("place", ["run.json", f"store/runs/a{K}.json"])
def test_a_map_has_the_paths_of_its_run(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "results/mine"
    paths = made(folder, f"store/corpus{K}/words.json", f"store/selection{K}.csv")
    write_map(folder / place, paths, "results/mine", ABOUT)
    run = RunMap(folder / place)
    assert (run.config, run.command, run.digests) == tuple(ABOUT.values())
    assert run.published == {} and run.folder == folder
    assert [*run] == [path.removeprefix("results/mine/") for path in paths]
    assert run.file("corpus/words.json") == folder / f"store/corpus{K}/words.json"
    assert run.has("selection.csv")
    (folder / f"store/selection{K}.csv").unlink()
    for name, where in (("selection.csv", f"store/selection{K}.csv"), ("scores.csv", place)):
        assert not run.has(name)
        with pytest.raises(ResultError, match=f"this run has no {name}") as caught:
            run.file(name)
        assert caught.value.where == str(folder / where) and "snakemake again" in caught.value.fix


def test_the_listings_name_the_words_files(tmp_path: Path) -> None:
    folder = tmp_path / "results/mine"
    vectors = f"store/tiny{K}/embeddings"
    names = [f"{vectors}/{word}{K}/focal.safetensors" for word in ("a", "b")]
    paths = made(folder, *names, f"{vectors}/a{K}/cls.safetensors")
    listings = [folder / vectors / f"focal{K}.{part}.json" for part in (1, 2)]
    for listing, name in zip(listings, names, strict=True):
        write_listing(listing, {folder / name: checksum(folder / name)})
        paths.append(f"results/mine/{listing.relative_to(folder)}")
    write_map(folder / "run.json", paths[-2:], "results/mine", ABOUT)
    words = RunMap(folder / "run.json").words("tiny/embeddings")
    assert [word_file(words, f"{word}/focal.safetensors") for word in "ab"] == [
        folder / name for name in names
    ]
    with pytest.raises(ResultError, match=r"no listing has a/cls\.safetensors") as caught:
        word_file(words, "a/cls.safetensors")
    assert caught.value.where == str(listings[0])


OUTSIDE = ["../other/x.csv", "/etc/passwd", "store/../../other.csv", "store/.."]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_map_and_no_listing_leads_out_of_its_folder(tmp_path: Path, path: str) -> None:
    name, outside = "a/focal.safetensors", tmp_path / "x.json"
    for content, read in (
        ({**ABOUT, "files": {"x.csv": path}}, RunMap),
        ({**ABOUT, "files": {}, "published": {path: None}}, RunMap),
        ({name: "x", path: "x"}, read_listing),
        ({name: "x", path: "x"}, lambda listing: WordFiles([listing]).find(name)),
    ):
        write_json(outside, content)
        with pytest.raises(ResultError, match="a file outside its folder") as caught:
            read(outside)
        assert caught.value.where == str(outside)


def test_a_listing_names_every_file_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / f"report{K}"
    for name in ("index.html", "words/a.html", "data/a.csv"):
        write_text(folder / name, name)
    list_folders([tmp_path / f"report{K}.json"])
    assert read_listing(tmp_path / f"report{K}.json") == {
        f"report{K}/{name}": checksum(folder / name)
        for name in ("data/a.csv", "index.html", "words/a.html")
    }
    # The size of a listing is the size of its files.
    assert megabytes(tmp_path / f"report{K}.json") == (10 + 12 + 10) / 1e6
