"""`wsd check` reads every file of every run, and one run repairs the damage it finds."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import fake_results
import numpy as np
import pytest
from builders import MakeCorpus, WriteVectors

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import bare, write_listing
from wsd.cli import main
from wsd.corpora import unpack_archive
from wsd.corpora.text_format import read_text
from wsd.run import check as checking
from wsd.run.check import check
from wsd.run.clean import MARK
from wsd.run.verify_checksums import checksum_or_problem
from wsd.storage import atomic
from wsd.storage.checksums import SUMS, noted_checksum, set_aside

QUICKSTART = Path("results/quickstart")
DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": lambda path: path.write_bytes(
        bytes([path.read_bytes()[0] ^ 4, *path.read_bytes()[1:]])
    ),
    "deleted": lambda path: path.unlink(),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished run."""
    root = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        fake_results.made(layers=[0, 1], glosses="corpus", analyses=["geometry", "audit"])
    return root


@pytest.fixture
def ended(whole: Path, here: Path) -> Path:
    """Copy the finished run into the test's current folder."""
    shutil.copytree(whole, here, symlinks=True, dirs_exist_ok=True)
    return here


def again(**changes: object) -> None:
    """Run again."""
    asked = {"layers": [0, 1], "glosses": "corpus", "analyses": ["geometry", "audit"], **changes}
    fake_results.made(**asked)


def kept_files() -> list[Path]:
    """Return every file of the run, stored and published, except checksums."""
    results = [
        path for path in sorted(QUICKSTART.rglob("*")) if path.is_symlink() or path.is_file()
    ]
    # Each start of a run writes its map.
    apart = (SUMS, "runs", MARK)
    return [path for path in results if not {*path.parts} & {*apart}]


def faults(where: Path = Path("results")) -> dict[Path, str]:
    return {path: problem for path, (problem, _) in check(where)[0].problems.items()}


def run_check(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["check", *arguments]) == code
    out, err = capsys.readouterr()
    assert err.count("error:") == (code > 0), err
    return out + err


@pytest.mark.parametrize(("given", "code"), [("none", 2), ("file", 2), ("empty", 6)])
def test_other_folders_are_not_results(
    capsys: pytest.CaptureFixture[str], given: str, code: int
) -> None:
    Path("file").write_text("")
    Path("empty").mkdir()
    assert "what to do" in run_check(capsys, given, code=code)


def test_results_that_are_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert "change to the folder that it is in" in run_check(capsys, code=2)


def test_a_whole_run(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes nothing, so that it works in read-only folders."""
    Path("config").mkdir()
    Path("config/config.yaml").write_text("layer: [")  # a broken config is no matter
    before = {path: path.lstat().st_mtime_ns for path in ended.rglob("*")}
    out = run_check(capsys)
    count = re.search(r"results: (\d+) files read, all match their checksums", out)
    assert count and int(count[1]) >= len([path for path in kept_files() if not path.is_symlink()])
    assert run_check(capsys, "results/quickstart").count("without a name") == 1
    assert {path: path.lstat().st_mtime_ns for path in ended.rglob("*")} == before


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGE)
def test_every_damaged_file_is_found(
    ended: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(checking, "found_words", lambda *_: [])
    paths = kept_files()
    assert len(paths) > 100 and faults() == {}
    for path in paths:
        link = path.readlink() if path.is_symlink() else None
        before = path.read_bytes()
        DAMAGE[how](path)
        # A link leads to the file in the store.
        where = path if link is None or how == "deleted" else path.resolve().relative_to(ended)
        assert where in faults(), path
        if link:
            path.unlink(missing_ok=True)
            path.symlink_to(link)
        path.write_bytes(before)
    assert faults() == {}


@pytest.mark.slow
def test_one_run_repairs_each_kind_of_file(ended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "found_words", lambda *_: [])
    kinds = {re.sub(r"apple|crane", "", bare(str(path))): path for path in kept_files()}
    assert len(kinds) > 80
    for number, name in enumerate(kinds.values()):
        how = [*DAMAGE][number % len(DAMAGE)]
        DAMAGE[how](name)
        ((path, (_, fix)),) = [*check(Path("results"))[0].problems.items()][:1]
        assert "run `snakemake --cores all --configfile my.yaml` again" in fix, path
        again()
        assert faults() == {}, (how, name)


@pytest.mark.parametrize(
    "place", ["store/comparison@*.csv", "store/corpus@*/crane.parquet", "comparison.csv"]
)
def test_a_damaged_checksum_is_found_and_repaired(ended: Path, place: str) -> None:
    """Steps and readers of the tables rely on it."""
    (path,) = QUICKSTART.glob(place)
    (path.parent / SUMS / path.name).write_text("")
    assert [*faults()] == [path]
    again()
    assert faults() == {}
    assert noted_checksum(path) == checksum_or_problem(path)


def test_a_missing_checksum_is_found_and_repaired(ended: Path) -> None:
    (path,) = QUICKSTART.glob("store/comparison@*.csv")
    (path.parent / SUMS / path.name).unlink()
    assert faults() == {path: "has no checksum next to it"}
    again()
    assert faults() == {}


def test_links_that_lead_elsewhere(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("apple.parquet", "crane.parquet", "words.json")
    nowhere, other, own = (QUICKSTART / "corpus" / name for name in names)
    for link, to in ((nowhere, "gone"), (other, Path("mine.parquet").absolute())):
        link.unlink()
        link.symlink_to(to)
    Path("mine.parquet").write_text("mine")
    words = own.read_bytes()
    own.unlink()
    own.write_bytes(words)  # as a copy that follows links
    table = QUICKSTART / "scores.csv"
    table.unlink()
    table.symlink_to(Path("mine.parquet").absolute())
    actual = faults()
    assert actual[nowhere] == "is a link that leads nowhere"
    assert actual[other].startswith("does not lead to results/quickstart/store/corpus@")
    assert actual[own].startswith("does not lead to results/quickstart/store/corpus@")
    assert actual[table] == "is a link, and should be a file"
    assert len(actual) == 4
    again()
    assert faults() == {} and Path("mine.parquet").read_text() == "mine"


def test_folders_that_are_links_are_read(ended: Path) -> None:
    (model,) = (path for path in QUICKSTART.glob("store/tiny@*") if (path / "embeddings").exists())
    shutil.move(model, ended / "other-disk")
    model.symlink_to(ended / "other-disk")
    shutil.move("results", ended / "all")
    Path("results").symlink_to(ended / "all")
    assert faults() == {}
    path = next(model.glob("embeddings/*/focal.safetensors"))
    DAMAGE["flipped"](path)
    assert [*faults()] == [path]
    stray = model / "stray.csv"
    stray.write_text("of no run")
    assert set(faults()) == {path, stray}
    # A link to its own parent does not cause an endless loop.
    (model / "loop").symlink_to(model.absolute())
    assert set(faults()) == {path, stray}


@pytest.fixture
def no_entry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Remove the permission to read a folder, from root too."""
    closed: list[str] = []

    def refusing(function: Callable) -> Callable:
        def call(path: object, *arguments: object, **options: object) -> object:
            if any(str(path).startswith(entry) for entry in closed):
                raise PermissionError(13, "Permission denied", str(path))
            return function(path, *arguments, **options)

        return call

    for name in ("scandir", "stat", "lstat", "open"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    yield lambda path: closed.append(str(path))
    closed.clear()


def test_a_folder_that_cannot_be_read_is_named(
    ended: Path, no_entry: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder,) = QUICKSTART.glob("store/comparison@*/")
    no_entry(folder)
    text = run_check(capsys, code=6)
    assert f"{folder}: cannot be read: Permission denied" in text
    assert f"{folder / 'words.csv'}: cannot be read" in text
    assert "change the permissions, so that you can read it" in text
    no_entry(QUICKSTART)
    assert faults() == {QUICKSTART: "cannot be read: Permission denied"}


def test_a_broken_link_as_a_dataset(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("results/mine").symlink_to("gone")
    assert "results/mine: is a link that leads nowhere" in run_check(capsys, code=6)


def test_damage_outside_of_runs_is_set_aside(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stray = QUICKSTART / "store/tiny@0000000000/geometry@0000000000.csv"
    atomic.write_text(stray, "a,b\n")
    assert faults() == {}
    stray.write_text("a,c\n")
    text = run_check(capsys, code=6)
    assert "`wsd check --set-aside` renames the" in text and "snakemake" not in text
    assert f"{stray}: the file has changed since it was written" in text
    assert "kept as geometry@0000000000.csv.damaged" in run_check(capsys, "--set-aside", code=6)
    assert stray.with_name(f"{stray.name}.damaged").exists() and faults() == {}


def test_the_map_of_a_run_is_read_too(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = QUICKSTART / "run.json"
    DAMAGE["halved"](path)
    text = run_check(capsys, code=6)
    assert f"{path}: the file has changed since it was written" in text
    path.unlink()
    # The published tables show that the run once ended.
    assert faults() == {path: "is not there"}
    again()
    assert faults() == {}


def test_a_run_that_is_not_finished_is_no_error(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_results.begin(fake_results.session(seed=7))
    text = run_check(capsys)
    unfinished = "a run was started, and is not finished: `snakemake --cores all --configfile"
    assert f"results/quickstart: {unfinished}" in text
    fake_results.begin(fake_results.session("b", seed=7))
    assert f"results/quickstart/runs/b: {unfinished}" in run_check(capsys)


def test_a_map_that_leads_out_of_the_results_is_refused(ended: Path) -> None:
    path = QUICKSTART / "run.json"
    for key, paths in (("files", {"x": "../../tiny/config.json"}), ("published", {"../x": None})):
        atomic.write_text(path, json.dumps({**json.loads(path.read_text()), key: paths}))
        assert "a file outside the folder of the dataset" in faults()[path]


def test_the_files_of_a_config_must_exist(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again()
    assert "files read" in run_check(capsys, "--configfile", "my.yaml")
    assert "a run without its config" in run_check(capsys, "--run", "a", code=2)
    # Every missing file is named, those of words too.
    kinds = (".parquet", ".safetensors")
    gone = [path for path in kept_files() if not path.is_symlink() and path.suffix in kinds]
    assert len(gone) > 12
    for path in gone:
        path.unlink()
    text = run_check(capsys, "--configfile", "my.yaml", code=6)
    for path in gone:
        assert f"{path}: is not there\n" in text
    # Another run computes them.
    assert "run `snakemake --cores all --configfile my.yaml` again" in text
    again()
    assert "files read" in run_check(capsys, "--configfile", "my.yaml")


def test_results_of_another_config(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For example, a user restored an earlier folder."""
    shutil.copytree("results", "earlier", symlinks=True)
    again(layers=[0], seed=2)
    assert "files read" in run_check(capsys, "--configfile", "my.yaml")
    shutil.rmtree("results")
    shutil.move("earlier", "results")
    assert "files read" in run_check(capsys)
    text = run_check(capsys, "--configfile", "my.yaml", code=6)
    assert "results/quickstart/run.json: belongs to another config" in text
    assert re.search(r"store/tiny@\w+/embeddings/other@\w+\.1\.json: is not there", text)
    assert "embeddings/focal" not in text
    again(layers=[0], seed=2)
    assert "files read" in run_check(capsys, "--configfile", "my.yaml")


def test_the_published_files_of_a_config_must_exist(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again()
    (QUICKSTART / "run.json").unlink()
    (QUICKSTART / "report/index.html").unlink()
    text = run_check(capsys, "--configfile", "my.yaml", code=6)
    assert text.count("is not there") == 2
    for name in ("run.json", "report/index.html"):
        assert f"{QUICKSTART / name}: is not there" in text


def test_a_run_of_a_config_by_its_name(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"layers": [0, 1], "glosses": "corpus", "analyses": ["geometry", "audit"]}
    fake_results.session("a", **asked)
    text = run_check(capsys, "--configfile", "my.yaml", "--run", "a", code=6)
    assert "results/quickstart/runs/a/scores.csv: is not there" in text
    # Only the pages differ, because they name the command.
    assert {*re.findall(r"store/([^@\n]+)@.*is not there", text)} == {"report"}
    fake_results.made("a", **asked)
    assert "files read" in run_check(capsys, "--configfile", "my.yaml", "--run", "a")
    Path("results/quickstart/runs/a/scores.csv").unlink()
    text = run_check(capsys, code=6)
    command = "snakemake --cores all --configfile my.yaml --config 'run=\"a\"'"
    assert "runs/a/scores.csv: is not there" in text and f"run `{command}` again" in text


@pytest.mark.parametrize("name", ["embeddings", "model", "words", "runs-1", "finetune"])
def test_any_name_of_a_model_a_run_and_a_word(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    model = {**fake_results.SMALL["models"][0], "name": name}
    fake_results.made(name, models=[model])
    assert faults() == {}
    for path in QUICKSTART.glob("store/*/model.json"):
        before = path.read_bytes()
        DAMAGE["flipped"](path)
        assert [*faults()] == [path]
        path.write_bytes(before)


@pytest.mark.parametrize("word", ["crane", "model", "finetune"])
def test_damaged_vectors_of_any_word_are_found(
    make_corpus: MakeCorpus, write_vectors: WriteVectors, word: str
) -> None:
    folder = Path("results/q/store/tiny@0123456789")
    vectors = folder / f"embeddings/{word}@0123456789/focal.safetensors"
    table = make_corpus([("train", 0), ("test", 1)], word=word)
    write_vectors(vectors, table, np.ones((2, 2, 3), dtype=np.float32))
    # The weights of a model are not vectors.
    atomic.write_text(folder / "finetune/full@0123456789/model/model.safetensors", "weights")
    assert faults() == {}
    DAMAGE["halved"](vectors)
    assert [*faults()] == [vectors]


def test_the_share_of_sentences_with_their_word(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_results.made()
    tables = {path.stem: path for path in QUICKSTART.glob("store/corpus@*/*.parquet")}
    crane = read_text(DATA / "quickstart" / "crane", "crane")
    is_test = crane.split == "test"
    # No test sentence of the other word has a form of its training sentences.
    tokens = tuple(("no",) if test else ("it",) for test in is_test)
    corpus_table.write(
        tables["apple"], replace(crane, word="apple", tokens=tokens, position=crane.position * 0)
    )
    listing = tables["apple"].with_name("words.json")
    write_listing(listing, {path: noted_checksum(path) for path in tables.values()})
    actual, both = is_test.sum(), 2 * is_test.sum()
    line = f"results/quickstart: finds the focal word in {actual} of {both} test sentences\n"
    assert line in run_check(capsys) and line in run_check(capsys, "results/quickstart")
    # These words have the names of the tables of pairs.
    for word in ("pairs", "model"):
        tables[word] = listing.with_name(f"{word}.parquet")
        corpus_table.write(tables[word], replace(crane, word=word))
    write_listing(listing, {path: noted_checksum(path) for path in tables.values()})
    assert f"in {3 * actual} of {4 * actual} test sentences" in run_check(capsys, code=6)
    # A damaged table is reported and not counted.
    DAMAGE["halved"](tables["apple"])
    assert f"in {3 * actual} of {3 * actual} test sentences" in run_check(capsys, code=6)


def test_a_damaged_file_of_the_download_is_ignored() -> None:
    source, names = Path("source"), ["crane/train.gold.txt", "crane/test.gold.txt"]
    for name in names:
        atomic.write_text(source / name, "0\n")
    set_aside(source / names[0])
    unpack_archive.refuse_foreign_files(source, names)
