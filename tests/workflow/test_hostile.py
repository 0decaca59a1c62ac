"""Hostile words in every step, other folders, and text that steers a terminal."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY, Checkout
from log_state import logs_as_before

from wsd.cli import main
from wsd.errors import WsdError, visible
from wsd.storage.file_names import file_name


@pytest.mark.slow
def test_a_hostile_corpus_through_the_workflow(tmp_path: Path) -> None:
    """My words have slashes, quotes and spaces: does a run treat them as text?"""
    checkout = Checkout.create(tmp_path / "repository")
    data = checkout.root / "wsd/data"
    words = {"apple": "../a b/{model}", "bank": "CON", "spring": "-x *é'\"$(touch pwned);"}
    # The focal words are not forms of the corpus's words.
    (data / "quickstart/dataset.json").write_text(json.dumps({"any_form": True}))
    sizes = data / "sizes.csv"
    text = sizes.read_text()
    for folder in (data / "quickstart").glob("*/"):
        if folder.name in words:
            folder.rename(folder.with_name(file_name(words[folder.name])))
        else:
            shutil.rmtree(folder)
    for old, word in words.items():
        quoted = '"' + word.replace('"', '""') + '"'
        text = text.replace(f"quickstart,{old},", f"quickstart,{quoted},")
    sizes.write_text(text)
    checkout.one_word("one")
    config = checkout.configure("hostile", words=[*words.values()], controls={"baselines": True})
    files = ("--configfile", "config/one.yaml", config)
    run = checkout.run("--cores", "2", "--no-hooks", *files)
    results = checkout.root / "results/quickstart"
    for word in words.values():
        assert (results / "report/words" / f"{file_name(word)}.html").is_file()
        assert (results / "tiny/embeddings" / file_name(word) / "focal.safetensors").is_file()
    assert not list(tmp_path.rglob("pwned")) and run.jobs["embed"] == 1


@pytest.mark.slow
def test_called_from_another_folder(tmp_path: Path) -> None:
    """Can I call the workflow from another folder, with paths relative to that one?"""
    (tmp_path / "work").mkdir()
    away = Checkout(tmp_path / "work", {"PYTHONPATH": str(REPOSITORY)})
    call = ("-s", str(REPOSITORY / "Snakefile"), "-n")
    call += ("--configfile", str(REPOSITORY / "config/quickstart.yaml"))
    assert away.run(*call).jobs["embed"] == 1
    # Python would use UTF-8 in this locale unless the test prevents it.
    kept = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    refused = away.run(*call, code=1, **kept)
    assert "PYTHONUTF8=1" in refused.text and "UnicodeEncodeError" not in refused.text
    # Snakemake cannot escape braces in the path of an input.
    inside = Checkout.create(tmp_path / "one { c").run("-n", code=1).text
    assert "the folder of the program" in inside and "Traceback" not in inside


STEER = "\x1b]0;pwned\x07\x1b[2J\u202e\x9b31m\r"


def test_an_error_cannot_steer_a_terminal() -> None:
    """Can text in an error steer my terminal?"""
    text = str(WsdError(f"a {STEER}\nerror: another", where=STEER, fix="x\u2028y"))
    assert visible(text, "\n") == text and "\\x1b[2J" in text
    assert [line for line in text.splitlines() if not line.startswith(" ")] == [text.split("\n")[0]]


def test_a_label_in_a_corpus_cannot_steer_a_terminal(tmp_path: Path, capsys) -> None:
    """Can a label in somebody's corpus steer my terminal, or my log?"""
    (tmp_path / "crane").mkdir()
    (tmp_path / "crane/classes_map.txt").write_text(json.dumps({"0": STEER, "1": STEER}))
    with logs_as_before():
        arguments = ["--source", str(tmp_path), "--word", "crane", "--out", str(tmp_path / "o")]
        assert main(["--log", str(tmp_path / "log"), "corpus", *arguments]) == 3
    message = capsys.readouterr().err
    assert visible(message, "\n") == message and "\\x1b]0;pwned\\x07" in message
    lines = (tmp_path / "log").read_text()
    assert visible(lines, "\n") == lines
    assert "".join(json.loads(line)["message"] + "\n" for line in lines.splitlines()) == message


def test_a_terminal_with_few_characters(tmp_path: Path) -> None:
    """My terminal has only ASCII: do I see an escape instead of a traceback?"""
    (tmp_path / "summary.csv").write_text(
        "train,test,model,view,layers,classifier,mean_macro_f1,mean_balanced_accuracy,"
        "mean_word_accuracy,micro_accuracy\nfull,test,銀é,focal,1,knn,.5,.5,.5,.5\n"
    )
    columns = "train,scope,selected,model,view,layers,classifier,objective\n"
    (tmp_path / "selection.csv").write_text(columns)
    call = [sys.executable, "-m", "wsd.cli", "leaderboard", str(tmp_path / "summary.csv")]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(call, capture_output=True, env=env)
    assert done.returncode == 0 and b"\\u9280\\xe9" in done.stdout, done.stderr
