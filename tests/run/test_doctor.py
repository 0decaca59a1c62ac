"""What `wsd doctor` sees, and what it says of each thing that keeps a run from starting."""

import fcntl
import json
import os
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import made_noad
import pytest
import yaml
from checkout import REPOSITORY
from importing import import_corpus
from tiny import tiny_bert

from wsd.cli import main
from wsd.corpora import noad, noad_archive
from wsd.encoder import hub as hub_module
from wsd.errors import StorageError
from wsd.run import doctor, steps
from wsd.run.config_files import read_configs
from wsd.run.lock import JOBS_LOCK, RUN_LOCK, begin
from wsd.run.noted import STATE
from wsd.run.sharing import differing
from wsd.storage import atomic
from wsd.storage.json import write_json

Doctor = Callable[..., tuple[int, str]]
TINY = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doctor:
    """Call `wsd doctor` on a config laid over config.yaml, in a folder of its own."""
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


def test_what_has_yet_to_be_fetched_is_said(ask: Doctor) -> None:
    hub = {"name": "far", "hub": "org/far", "revision": "0" * 40, "blocks": 2, "width": 32}
    code, out = ask(dataset="coarsewsd20", models=[hub])
    assert code == 0, out
    assert "CoarseWSD-20 will be downloaded" in out
    assert "WSD_COARSEWSD20_ARCHIVE=FILE" in out
    assert "model far: hub org/far: not in the cache, will be fetched" in out


def test_of_noad_its_folder_counts_if_it_is_whole(
    ask: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out = ask(dataset="noad")
    assert code == 0 and "NOAD will be downloaded" in out and "WSD_NOAD_ARCHIVE=FILE" in out
    table, source = tmp_path / "noad.csv", tmp_path / "results/noad/source"
    table.write_text("word,senses\ncell.n,5+5 5+5\nserve.v,5+5 5+5\n")
    archive, sums = made_noad.write(tmp_path / "made")
    made_up = replace(noad_archive.ARCHIVE, checksums=sums)
    monkeypatch.setattr(noad_archive, "ARCHIVE", made_up)
    monkeypatch.setattr("wsd.artifacts.noad.TABLE", table)
    with monkeypatch.context() as patch:
        patch.setenv(made_up.variable, str(archive))
        noad.make(source, "noad")
    # A dataset of its own, which has not read the table yet.
    code, out = ask(dataset="noad", at_least=10)
    assert code == 0 and "all 10 files are as they were made: results/noad/source" in out
    (source / "serve=2ev/train.gold.txt").unlink()
    code, out = ask(dataset="noad", at_least=10)
    assert code == 0 and "NOAD will be downloaded" in out


def other_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    (root / "results" / STATE).mkdir(parents=True)
    lock = (root / "results" / STATE / RUN_LOCK).open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    monkeypatch.setattr(doctor, "_kept_open", lock, raising=False)
    return {}


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
        (other_run, "runs: another run is at work in this folder"),
        (no_room, "results: 0.0 GB free"),
        (no_model, "model tiny: there is no folder tiny"),
        (changed_model, "model tiny: model tiny is not the one that the config names"),
        (no_gpu, "device: no GPU can be used here"),
        (no_archive, "corpus: the archive does not exist"),
        (bad_archive, "corpus: not a tar.gz archive"),
    ],
)
def test_what_keeps_a_run_from_starting_is_said(
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
    assert out.splitlines()[-1] == "1 thing to put right first, marked BAD."


def test_what_an_earlier_run_left_is_said_and_left(ask: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "results" / "quickstart"
    atomic.write_text(folder / "scores.csv", "a,b\n")
    (folder / "scores.csv").write_text("a,c\n")
    (folder / ".x.csv.k3.part").write_text("half")
    unfinished = folder / "tiny" / "embeddings" / "crane" / ".unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "journal.jsonl").write_text("")
    (folder / "old.csv.damaged").write_text("")
    before = sorted(tmp_path.rglob("*"))
    code, out = ask()
    assert code == 0, out
    for said in ("left half-written: 1 files", "unfinished: ", "damaged: ", "set aside: "):
        assert f"note  {said}" in out
    assert sorted(set(tmp_path.rglob("*")) - {tmp_path / "my.yaml"}) == before


def test_results_of_another_config_are_named(ask: Doctor, tmp_path: Path) -> None:
    made = read_configs([Path("config/config.yaml")])
    made |= {"dataset": "quickstart", "layers": ["all"], "models": [TINY]}
    provenance = tmp_path / "results/quickstart/provenance.json"
    write_json(provenance, {"config": made})
    assert "note  settings" not in ask()[1]
    code, out = ask(seed=2, words=["crane"])
    assert code == 0
    assert "note  settings: results/quickstart was made with another config: seed, words" in out


def test_results_of_other_code_are_named(ask: Doctor, tmp_path: Path) -> None:
    """A note says which modules made a result; those of now are no news, nor what is gone."""
    ask()
    now, notes = steps.checksum("classify"), tmp_path / "results" / STATE / "metadata"
    notes.mkdir(parents=True)

    def put(result: str, said: object, there: bool = True) -> None:
        if there:
            atomic.write_text(tmp_path / result, "x")
        name = urlsafe_b64encode(result.encode()).decode()
        (notes / name).write_text(json.dumps(said))

    def made(step: str, checksum: str) -> dict[str, object]:
        sums = {f"results/.steps/{step}.sha256": f"sha256:{checksum}", "results/x": "sha256:1"}
        return {"input_checksums": sums}

    put("results/quickstart/a.txt", made("classify", now))
    put("results/quickstart/b.txt", {"code": "nobody noted what made the file"})
    put("results/quickstart/c.txt", made("classify", "0" * 64), there=False)
    # What older versions noted file by file is a folder's now, or a listing's.
    put("results/quickstart/words/a.html", made("report", "0" * 64))
    put("results/quickstart/words", made("report", steps.checksum("report")), there=False)
    put("results/quickstart/tiny/embeddings/crane/focal.safetensors", made("embed", "0" * 64))
    assert "note  code" not in ask()[1]
    put("results/quickstart/d.txt", made("classify", "0" * 64))
    put("results/quickstart/e.txt", made("classify", "1" * 64))
    put("results/quickstart/f.txt", made("gone", now))
    (notes / urlsafe_b64encode(b"results/quickstart/g.txt").decode()).write_text("{")
    code, out = ask()
    assert code == 0
    said = "note  code: files made by another version of wsd, by step: classify (2), gone (1)"
    assert said in out


def test_runs_are_listed_and_compared(ask: Doctor, tmp_path: Path) -> None:
    made = read_configs([Path("config/config.yaml")])
    made |= {"dataset": "quickstart", "layers": ["all"], "models": [TINY]}
    for tables, config in (
        (".", made),
        ("runs/same", {**made, "run": "same", "layers": [1], "analyses": ["geometry"]}),
        ("runs/other", {**made, "run": "other", "seed": 2, "words": ["crane"]}),
    ):
        folder = tmp_path / "results/quickstart" / tables
        write_json(folder / "provenance.json", {"config": config})
        atomic.write_text(folder / "selection.csv", "")
    code, out = ask()
    assert code == 0
    assert "tables: results/quickstart: the run without a name, run other, run same" in out
    assert "note  settings" not in out
    (line,) = (line for line in out.splitlines() if line.startswith("note  shared"))
    assert "run other of results/quickstart has other words, seed:" in line
    # A run's own tables are those that its config is compared with.
    assert (
        "results/quickstart/runs/same was made with another config: analyses, layers\n"
        in (ask(run="same")[1])
    )
    assert main(["doctor", "--configfile", "my.yaml", "--run", "new"]) == 0


@pytest.mark.parametrize(
    ("other", "keys"),
    [
        ({}, []),
        ({"layers": [1], "controls": {}, "projections": ["tsne"], "run": "x"}, []),
        ({"classifiers": [{"name": "lda"}], "models": [{**TINY, "name": "b"}]}, []),
        ({"trains": ["full"]}, []),
        ({"tuning": {"folds": 4}}, ["tuning"]),
        ({"device": "cpu"}, ["device"]),
        ({"views": {"store": ["cls"], "classify": ["focal"]}}, ["views.store"]),
        ({"views": {"store": ["focal"], "classify": ["cls"]}}, []),
        ({"classifiers": [{"name": "knn", "k": 1}]}, ["classifiers knn (k)"]),
        ({"models": [{**TINY, "pooling": "last"}]}, ["models tiny (pooling)"]),
        # A default that is written out, and a checksum that is left out.
        ({"models": [{**TINY, "pooling": "mean", "input": "plain"}]}, []),
        ({"models": [{**TINY, "sha256": {"a": "0" * 64}}]}, ["models tiny (sha256)"]),
        ({"systems": [{"name": "theirs", "file": "b"}]}, ["systems theirs (file)"]),
        ({"trains": ["full", "5pct"]}, ["trains"]),
        ({"glosses": "none"}, []),
        ({"glosses": "mine.tsv"}, ["glosses"]),
        ({"finetune": {"rate": [1e-4]}}, []),
        ({"finetune": {"rate": [1e-3]}}, ["finetune"]),
        ({"finetune": {"rate": [1e-3], "trains": ["1pct"]}}, []),
        ({"finetune": {"rate": [1e-3], "trains": ["1pct", "full"]}}, ["finetune"]),
        ({"finetune": None}, []),
    ],
)
def test_what_two_configs_make_again_in_turn(other: dict, keys: list[str]) -> None:
    one = {
        "tuning": {"folds": 3},
        "views": {"store": ["focal"], "classify": ["focal"]},
        "classifiers": [{"name": "knn", "k": 5}],
        "models": [TINY],
        "systems": [{"name": "theirs", "file": "a"}],
        "trains": ["full", "1pct"],
        "glosses": "corpus",
        "finetune": {"rate": [1e-4]},
    }
    assert differing(one, {**one, **other}) == differing({**one, **other}, one) == keys


def test_the_shipped_sweep_and_study_share_all_that_both_have() -> None:
    """As README says: the study as a run beside the sweep."""
    under = [Path("config/config.yaml"), Path("config/minilm.yaml")]
    study = [*under, Path("config/study.yaml")]
    assert differing(read_configs(under), read_configs(study, "study")) == []


def test_a_whole_archive_is_verified(ask: Doctor, archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(archive))
    code, out = ask(dataset="coarsewsd20")
    assert code == 0 and "the archive is at hand, verified" in out


def imported(root: Path) -> Path:
    """A corpus as `wsd import` writes it."""
    rows = [
        {"word": "cell", "sense": sense, "sentence": f"{x} [[cell]] {x} {sense}", "split": split}
        for sense in ("prison", "battery")
        for x, split in zip("abcdefghij", ("train", "test") * 5, strict=True)
    ]
    (root / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_corpus([root / "rows.jsonl"], out=root / "mine", name="mine", about={"title": "Cells"})
    return root / "mine"


def test_a_corpus_of_ones_own_is_checked(ask: Doctor, tmp_path: Path) -> None:
    folder = imported(tmp_path)
    dataset = {"name": "mine", "path": "mine"}
    code, out = ask(dataset=dataset)
    assert code == 0, out
    assert "ok    corpus: Cells: all 5 files are as they were made: mine" in out
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


def test_a_corpus_too_small_to_fold_is_said(
    ask: Doctor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path)
    dataset = {"name": "mine", "path": "mine"}
    assert ask(dataset=dataset, tuning={"folds": 6}) == (2, "")
    assert main(["plan", "my.yaml"]) == 2
    assert "for 6 folds (at most: cell 5)" in capsys.readouterr().err


def in_place_of(path: Path, kind: str) -> None:
    """A file, folder or pipe where something else should be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    {"file": path.touch, "folder": path.mkdir, "pipe": lambda: os.mkfifo(path)}[kind]()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("results", "file"),
        (f"results/{STATE}", "file"),
        (f"results/{STATE}/metadata", "file"),
        (f"results/{STATE}/incomplete", "file"),
        ("results/.steps", "file"),
        (f"results/{STATE}/{RUN_LOCK}", "folder"),
        (f"results/{STATE}/{RUN_LOCK}", "pipe"),
        (f"results/{STATE}/{JOBS_LOCK}", "folder"),
        (f"results/{STATE}/{JOBS_LOCK}", "pipe"),
    ],
)
def test_what_stands_in_the_place_of_a_lock_or_folder(ask: Doctor, path: str, kind: str) -> None:
    in_place_of(Path(path), kind)
    code, out = ask()
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith(doctor.BAD)]
    assert line.startswith(f"BAD   {path}: a ") and "stands where" in line
    with pytest.raises(StorageError, match="stands where"):
        begin(Path("results"))


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
