"""`wsd doctor`: its checks, and its messages for everything that keeps a run from starting."""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fake_results
import pytest
import small_noad
import yaml
from checkout import REPOSITORY
from importing import import_corpus
from tiny import tiny_bert

from wsd.artifacts.run_json import list_folders
from wsd.cli import main
from wsd.corpora import noad, noad_checksums
from wsd.encoder import hub as hub_module
from wsd.errors import StorageError
from wsd.run import doctor
from wsd.run.lock import RUN, SHORT, STATE, begin
from wsd.storage import atomic
from wsd.storage.checksums import set_aside

Doctor = Callable[..., tuple[int, str]]
TINY = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doctor:
    """Call `wsd doctor` on a config merged over config.yaml, in its own folder."""
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WSD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hub_module, "hub_cache", lambda: tmp_path / "hub")
    monkeypatch.setattr(hub_module, "cached", lambda hub, revision: None)
    monkeypatch.delenv("WSD_COARSEWSD20_ARCHIVE", raising=False)
    monkeypatch.delenv("WSD_NOAD_ARCHIVE", raising=False)
    tiny_bert(tmp_path / "tiny")

    def asked(**changes: object) -> tuple[int, str]:
        config = {"dataset": "quickstart", "models": [TINY], "layers": ["all"], **changes}
        Path("my.yaml").write_text(yaml.safe_dump(config))
        code = main(["doctor", "--configfile", "my.yaml"])
        return code, capsys.readouterr().out

    return asked


def test_all_is_well(ask: Doctor) -> None:
    code, out = ask()
    assert code == 0, out
    assert out.splitlines()[-1] == ("A run can start: snakemake --cores all --configfile my.yaml")
    for topic in ("versions: python 3.", "machine: ", "device auto: ", "runs: no other",
                  "results: ", "cache of archives: ", "cache of the hub: ",
                  "comes with the program", "model tiny: path tiny: "):  # fmt: skip
        assert topic in out, topic
    for package in ("torch", "transformers", "snakemake", "scikit-learn", "wsd"):
        assert f"{package} " in out
    assert doctor.BAD not in out


def test_pending_downloads_are_reported(ask: Doctor) -> None:
    hub = {"name": "far", "hub": "org/far", "revision": "0" * 40, "blocks": 2, "width": 32}
    code, out = ask(dataset="coarsewsd20", models=[hub])
    assert code == 0, out
    assert "CoarseWSD-20 will be downloaded" in out
    assert "WSD_COARSEWSD20_ARCHIVE=FILE" in out
    assert "model far: hub org/far: not in the cache, will be downloaded" in out


def test_dwug_en_is_downloaded(ask: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WSD_DWUG_EN_ARCHIVE", raising=False)
    code, out = ask(dataset="dwug-en", words="all")
    assert code == 0 and "DWUG EN will be downloaded" in out and "WSD_DWUG_EN_ARCHIVE=FILE" in out


def test_complete_files_of_noad_count(
    ask: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out = ask(dataset="noad")
    assert code == 0 and "NOAD will be downloaded" in out and "WSD_NOAD_ARCHIVE=FILE" in out
    table = tmp_path / "noad.csv"
    table.write_text("word,senses\ncell.n,5+5 5+5\nserve.v,5+5 5+5\n")
    archive, sums = small_noad.write(tmp_path / "made")
    made_up = replace(noad_checksums.ARCHIVE, checksums=sums)
    monkeypatch.setattr(noad_checksums, "ARCHIVE", made_up)
    monkeypatch.setattr("wsd.artifacts.noad_datasets.TABLE", table)
    source = Path(fake_results.session(dataset="noad", at_least=10, words="all").files.source)
    with monkeypatch.context() as patch:
        patch.setenv(made_up.variable, str(archive))
        noad.write_dataset(source.with_suffix(""), "noad", 10)
    list_folders([source])
    # Another dataset, whose table is not in memory yet.
    code, out = ask(dataset="noad", at_least=10)
    assert code == 0 and "all 15 files are here, verified" in out
    (source.with_suffix("") / "serve=2ev/train.gold.txt").unlink()
    code, out = ask(dataset="noad", at_least=10)
    assert code == 0 and "NOAD will be downloaded" in out


def other_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    """A run that makes the same files."""
    planned = fake_results.session().made[:2]
    (root / "results" / STATE).mkdir(parents=True)
    lock = (root / "results" / STATE / f"there-1{RUN}").open("w")
    content = {"pid": 1, "host": "there", "since": "noon", "command": "x", "planned": planned}
    print(json.dumps(content), file=lock, flush=True)
    fcntl.flock(lock, fcntl.LOCK_EX)
    monkeypatch.setattr(doctor, "_kept_open", lock, raising=False)
    return fake_results.SMALL


def no_room(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    usage = shutil.disk_usage(root)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    return {}


def no_model(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    shutil.rmtree(root / "tiny")
    return {}


def changed_model(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    model = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}
    return {"models": [{**model, "sha256": {"config.json": "0" * 64}}]}


def no_gpu(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    return {"device": "cuda"}


def no_archive(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(root / "gone.tar.gz"))
    return {"dataset": "coarsewsd20"}


def bad_archive(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    (root / "bad.tar.gz").write_bytes(b"not an archive")
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(root / "bad.tar.gz"))
    return {"dataset": "coarsewsd20"}


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (other_run, "runs: another run is computing results/quickstart/store/"),
        (no_room, "results: 0.0 GB free"),
        (no_model, "model tiny: there is no folder tiny"),
        (changed_model, "model tiny: model tiny is not the one in the config"),
        (no_gpu, "device: no GPU can be used here"),
        (no_archive, "corpus: the archive does not exist"),
        (bad_archive, "corpus: not a tar.gz archive"),
    ],
)
def test_everything_that_blocks_a_run_is_reported(
    ask: Doctor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[Path, pytest.MonkeyPatch], dict],
    says: str,
) -> None:
    code, out = ask(**fault(tmp_path, monkeypatch))
    assert code == 1, out
    (line,) = (i for i, line in enumerate(out.splitlines()) if line.startswith(doctor.BAD))
    assert out.splitlines()[line].startswith(f"{doctor.BAD}   {says}")
    assert out.splitlines()[line + 1].startswith("        what to do: ")
    assert out.splitlines()[-1] == "1 thing to fix first, marked BAD."


def test_a_run_on_other_files_does_not_matter(ask: Doctor, tmp_path: Path) -> None:
    (tmp_path / "results" / STATE).mkdir(parents=True)
    with (tmp_path / "results" / STATE / f"there-1{RUN}").open("w") as lock:
        print(json.dumps({"command": "snakemake x", "planned": ["results/x"]}), file=lock)
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, out = ask()
    assert code == 0 and "ok    runs: others are computing other files: snakemake x" in out


def seal(root: Path) -> dict[Path, int]:
    mine = ("my.yaml", "tiny")
    results = {path: path.lstat().st_mtime_ns for path in root.rglob("*") if path.name not in mine}
    return {path: value for path, value in results.items() if root / "config" not in path.parents}


def test_leftovers_are_reported_and_kept(ask: Doctor, tmp_path: Path) -> None:
    session = fake_results.made()
    store = tmp_path / session.files.store
    table = next(store.glob("comparison@*.csv"))
    table.write_bytes(table.read_bytes()[:-2])
    page = next(store.glob("report@*/index.html"))
    page.unlink()
    (store / ".x.csv.k3.part").write_text("half")
    atomic.write_text(store / "old.csv", "")
    set_aside(store / "old.csv")
    # The file belongs to no run of this config, so `wsd check` reports it.
    atomic.write_text(store / "other@0123456789.csv", "a")
    (store / "other@0123456789.csv").write_text("b")
    before = seal(tmp_path)
    code, out = ask(**fake_results.SMALL)
    assert code == 0, out
    for output in ("left half-written: 1 files", "set aside: 1 damaged files"):
        assert f"note  {output}" in out
    assert out.count("note  damaged: ") == 2
    assert (
        f"damaged: {table.relative_to(tmp_path)}: the file has changed since it was written" in out
    )
    assert f"damaged: {page.relative_to(tmp_path)}: is not there" in out
    assert seal(tmp_path) == before
    # A run does what the message promises.
    fake_results.run(fake_results.session())
    out = ask(**fake_results.SMALL)[1]
    assert "damaged: " not in out and "half-written" not in out
    assert "set aside: 2 damaged files" in out


def test_existing_files_and_tables_are_counted(ask: Doctor) -> None:
    count = len(fake_results.session().made)
    assert (
        f"ok    files: 0 of the {count} files that this config asks" in ask(**fake_results.SMALL)[1]
    )
    fake_results.made()
    fake_results.made("b", seed=2)
    code, out = ask(**fake_results.SMALL)
    assert code == 0
    assert "ok    tables: results/quickstart: the run without a name, run b\n" in out
    assert f"ok    files: {count} of the {count} files that this config asks for are there" in out
    out = ask(**{**fake_results.SMALL, "seed": 3})[1]
    actual = re.search(rf"files: (\d+) of the {count} files", out)
    assert actual and 5 < int(actual[1]) < count - 5
    out = ask(**{**fake_results.SMALL, "seed": 2, "run": "b"})[1]
    # Its pages name the command that made them.
    assert f"files: {count - 2} of the {count} files" in out
    Path("my.yaml").write_text(yaml.safe_dump({**fake_results.SMALL, "seed": 2}))
    assert main(["doctor", "--configfile", "my.yaml", "--run", "new"]) == 0


def test_results_of_an_earlier_version_are_named(ask: Doctor) -> None:
    old = Path("results/quickstart/tiny/embeddings/crane/focal.safetensors")
    atomic.write_text(old, "vectors")
    out = ask(**fake_results.SMALL)[1]
    assert "note  earlier version: results/quickstart has 1 files of vectors without a" in out
    assert "keeps vectors whose provenance matches" in out
    shutil.rmtree("results")
    fake_results.made()
    assert "earlier version" not in ask(**fake_results.SMALL)[1]


def test_a_whole_archive_is_verified(ask: Doctor, archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(archive))
    code, out = ask(dataset="coarsewsd20")
    assert code == 0 and "the archive is available, verified" in out


def imported(root: Path) -> Path:
    """Write a corpus as `wsd import` does."""
    rows = [
        {"word": "cell", "sense": sense, "sentence": f"{x} [[cell]] {x} {sense}", "split": split}
        for sense in ("prison", "battery")
        for x, split in zip("abcdefghij", ("train", "test") * 5, strict=True)
    ]
    (root / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_corpus([root / "rows.jsonl"], out=root / "mine", name="mine", about={"title": "Cells"})
    return root / "mine"


def test_your_own_corpus_is_checked(ask: Doctor, tmp_path: Path) -> None:
    folder = imported(tmp_path)
    dataset = {"name": "mine", "path": "mine"}
    code, out = ask(dataset=dataset)
    assert code == 0, out
    assert "ok    corpus: Cells: all 5 files are unchanged: mine" in out
    assert "comes with the program" not in out
    (folder / "cell" / "test.gold.txt").write_text("1\n")
    code, out = ask(dataset=dataset)
    assert code == 1, out
    assert "BAD   corpus: Cells: 1 files are not what was imported, such as mine/cell/test" in out
    (folder / "cell" / "train.gold.txt").unlink()
    code, out = ask(dataset=dataset)
    assert code == 1 and "BAD   corpus: Cells: 1 files are missing, such as mine/cell/train" in out
    assert "        what to do: import again" in out


def test_away_from_any_checkout(ask: Doctor, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "config")
    code, out = ask()
    assert code == 0, out


def test_a_corpus_too_small_to_fold_is_reported(
    ask: Doctor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path)
    dataset = {"name": "mine", "path": "mine"}
    assert ask(dataset=dataset, tuning={"folds": 6}) == (2, "")
    assert main(["plan", "my.yaml"]) == 2
    assert "for 6 folds (at most: cell 5)" in capsys.readouterr().err


def in_place_of(path: Path, kind: str) -> None:
    """Put a file, folder or pipe in the wrong place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    {"file": path.touch, "folder": path.mkdir, "pipe": lambda: os.mkfifo(path)}[kind]()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("results", "file"),
        (f"results/{STATE}", "file"),
        (f"results/{STATE}/{SHORT}", "folder"),
        (f"results/{STATE}/{SHORT}", "pipe"),
    ],
)
def test_a_wrong_file_where_a_lock_or_folder_should_be(ask: Doctor, path: str, kind: str) -> None:
    in_place_of(Path(path), kind)
    code, out = ask()
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith(doctor.BAD)]
    assert line.startswith(f"BAD   {path}: this should be a ")
    with pytest.raises(StorageError, match="this should be a "):
        begin(Path("results"), [])


def test_a_checkout_with_a_brace_in_its_folder(
    ask: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a {b} c", "one { c"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert ask(models=[{**TINY, "path": str(tmp_path / "tiny")}])[0] == 0
        Path("Snakefile").touch()
        code, out = ask(models=[{**TINY, "path": str(tmp_path / "tiny")}])
        assert code == 1 and f"{name}' has braces" in out and "rename the folder" in out
