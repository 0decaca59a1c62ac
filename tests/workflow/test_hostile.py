"""Hostile words in every step, vectors that are not finite, and text that steers a terminal."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import REPOSITORY, Checkout
from log_state import logs_as_before
from steps import STEPS, SYSTEM, prepare
from tiny import corpus_of

from wsd.artifacts import corpus_table
from wsd.cli import main
from wsd.corpora import text_format
from wsd.encoder import embed
from wsd.errors import ModelError, WsdError, visible
from wsd.report.leaderboard import leaderboard
from wsd.storage.file_names import file_name
from wsd.studies.registry import STUDIES

# Replacements for `apple` and `crane`; the second word is too long for a file name.
WORDS = {"apple": "../CON {x} * 'a\" -\u00e9%$(id)", "crane": "銀" * 100}


def allow_any_form(folder: Path) -> None:
    """Mark the focal words as correct, although they are not forms of the corpus's words."""
    (folder / "dataset.json").write_text(json.dumps({"any_form": True}))


def renamed(root: Path) -> None:
    """Rename the words in the files of :func:`steps.prepare` to the hostile words."""
    for old, word in WORDS.items():
        for path in sorted(root.glob(f"source/**/{old}*"), reverse=True):
            path.rename(path.with_name(path.name.replace(old, file_name(word))))
    rename_in_outputs(root / "outputs.jsonl")
    glosses = root / "glosses.tsv"
    rows = [line.split("\t") for line in glosses.read_text().splitlines()]
    lines = ["\t".join([WORDS.get(word, word), *rest]) for word, *rest in rows]
    glosses.write_text("\n".join(lines) + "\n")
    allow_any_form(root / "source")
    further = root / "source" / "outofdomain.tsv"
    further.write_text(
        further.read_text().replace("apple\tapple_fruit", f"{WORDS['apple']}\tapple_fruit")
    )


def rename_in_outputs(path: Path) -> None:
    """Rename the words in the outputs of a system."""
    new = {**WORDS, **{file_name(word): word for word in WORDS.values()}}
    outputs = [json.loads(line) for line in path.read_text().splitlines()]
    lines = [json.dumps({**output, "word": new[output["word"]]}) for output in outputs]
    path.write_text("\n".join(lines) + "\n")


def hostile(arguments: list[str]) -> list[str]:
    """Return a step's arguments with the hostile words."""
    return [
        re.sub("apple|crane", lambda m: WORDS[m[0]], argument)
        if argument.startswith("--word=")
        else re.sub("apple|crane", lambda m: file_name(WORDS[m[0]]), argument)
        for argument in arguments
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.chdir(room)
    with logs_as_before():
        yield room


@pytest.mark.slow
def test_hostile_words_through_every_step(here: Path) -> None:
    prepare(here)
    renamed(here)
    for command, arguments in STEPS:
        assert main([command, *hostile(arguments)]) == 0, command
        if command == "published":
            # The authors' words are plain, and their files have them as names.
            rename_in_outputs(here / "published.jsonl")
    # Every file is below the folder, under a safe name.
    assert {p.name for p in here.parent.iterdir()} == {here.name}
    for word in WORDS.values():
        page = here / "report" / "words" / f"{file_name(word)}.html"
        assert page.is_file() and (here / "e" / file_name(word) / "focal.safetensors").is_file()
        assert f'href="words/{page.name}"' in (here / "report/index.html").read_text()
    read = corpus_table.read_corpora(here / "corpus", [file_name(word) for word in WORDS.values()])
    assert list(read) == list(WORDS.values())
    for path in here.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9_.=+-]+", path.name), path
    assert "systems" not in STUDIES or SYSTEM in (here / "report/index.html").read_text()


@pytest.mark.slow
def test_a_hostile_corpus_through_the_workflow(tmp_path: Path) -> None:
    """Replace the words of the built-in corpus by hostile words, in a copy of the repository."""
    checkout = Checkout.create(tmp_path / "repository")
    data = checkout.root / "wsd/data"
    words = {"apple": "../a b/{model}", "bank": "CON", "spring": "-x *é'\"$(touch pwned);"}
    allow_any_form(data / "quickstart")
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
    config = checkout.configure(
        "hostile", models=[checkout.tiny_model()], words=list(words.values()), layers=["all"]
    )
    run = checkout.run(
        "--cores", "2", "--no-hooks", "--configfile", "config/quickstart.yaml", config
    )
    results = checkout.root / "results/quickstart"
    for word in words.values():
        assert (results / "report/words" / f"{file_name(word)}.html").is_file()
        assert (results / "tiny/embeddings" / file_name(word) / "focal.safetensors").is_file()
    assert not list(tmp_path.rglob("pwned")) and run.jobs["embed"] == 1
    again = checkout.run(
        "--cores", "2", "--no-hooks", "--configfile", "config/quickstart.yaml", config
    )
    assert again.nothing


@pytest.mark.slow
def test_braces_in_a_title_and_in_paths(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "repository")
    title = 'Cells {v2} "{word}" $(touch pwned) {{x}}'
    table = REPOSITORY / "docs/own-corpus.tsv"
    own = {**os.environ, "PYTHONPATH": str(checkout.root)}
    call = [sys.executable, "-m", "wsd.cli", "import", str(table), "--out", "mine"]
    subprocess.run(
        [*call, "--name", "mine", "--title", title], cwd=checkout.root, env=own, check=True
    )
    dataset = {"name": "mine", "path": "mine"}
    config = checkout.configure(
        "own", dataset=dataset, words="all", models=[checkout.tiny_model()], layers=["all"]
    )
    run = checkout.run("--cores", "2", "--no-hooks", "--until", "corpus", "--configfile", config)
    assert run.jobs == {"copy_corpus": 1, "corpus": 1}
    (made,) = checkout.root.glob("results/mine/store/source@*/dataset.json")
    assert json.loads(made.read_text())["title"] == title and not list(tmp_path.rglob("pwned"))
    # Snakemake cannot escape braces in the path of an input.
    (checkout.root / "my {v2}").symlink_to("mine")
    config = checkout.configure("braces", dataset={**dataset, "path": "my {v2}"})
    refused = checkout.run("-n", "--configfile", config, code=1).text
    assert "config key dataset.path" in refused and "Traceback" not in refused
    elsewhere = Checkout.create(tmp_path / "a {b} c")
    (tmp_path / "work").mkdir()
    refused = Checkout(tmp_path / "work", {"PYTHONPATH": str(elsewhere.root)}).run(
        "-s", str(elsewhere.root / "Snakefile"), "-n", code=1
    )
    assert "the folder of the program" in refused.text and "Traceback" not in refused.text
    # Repeat from inside the folder, and with a single brace.
    inside = Checkout.create(tmp_path / "one { c").run("-n", code=1).text
    assert "the folder of the program" in inside and "Traceback" not in inside


@pytest.mark.slow
def test_called_from_another_folder(tmp_path: Path) -> None:
    """The default config is the shipped one; file paths are relative to the current folder."""
    (tmp_path / "work").mkdir()
    away = Checkout(tmp_path / "work", {"PYTHONPATH": str(REPOSITORY)})
    quickstart = str(REPOSITORY / "config/quickstart.yaml")
    run = away.run("-s", str(REPOSITORY / "Snakefile"), "-n", "--configfile", quickstart)
    assert run.jobs["embed"] == 1

    twice = tmp_path / "twice.yaml"
    twice.write_text("seed: 1\nseed: 2\n")
    call = ("-s", str(REPOSITORY / "Snakefile"), "-n", "--configfile", quickstart, str(twice))
    refused = away.run(*call, code=1)
    assert "has the key 'seed' twice" in refused.text and not refused.jobs

    # Python would use UTF-8 in this locale unless the test prevents it.
    kept = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    refused = away.run(*call[:-1], code=1, **kept)
    assert "PYTHONUTF8=1" in refused.text and "UnicodeEncodeError" not in refused.text


# Vectors that are not finite


def test_input_embeddings_that_are_not_finite_name_the_instance(tmp_path: Path) -> None:
    import torch
    import transformers
    from tiny import tiny_bert

    from wsd.encoder.model import resolve

    folder = tiny_bert(tmp_path / "tiny")
    model = transformers.AutoModel.from_pretrained(folder)
    bird = transformers.AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids("bird")
    with torch.no_grad():
        model.embeddings.word_embeddings.weight[bird] = torch.inf
    model.save_pretrained(folder)
    record = resolve("tiny", path=str(folder), sha256={}, blocks=2, width=32)
    corpus = corpus_of(("the crane flew", 1), ("a bird near the crane", 1))
    with pytest.raises(ModelError, match="not finite") as error:
        embed.embed(
            [embed.Word(corpus, tmp_path / "out", {"focal": "f.safetensors"})],
            record,
            embed.Options(device="cpu"),
        )
    assert error.value.where == "crane test 0"
    assert not list((tmp_path / "out").glob("*"))


# Text that steers a terminal


STEER = "\x1b]0;pwned\x07\x1b[2J\u202e\x9b31m\r"


def test_an_error_cannot_steer_a_terminal() -> None:
    text = str(WsdError(f"a {STEER}\nerror: another", where=STEER, fix="x\u2028y"))
    assert visible(text, "\n") == text and "\\x1b[2J" in text
    assert [line for line in text.splitlines() if not line.startswith(" ")] == [text.split("\n")[0]]


def test_an_error_that_quotes_a_whole_file_is_short() -> None:
    assert len(str(WsdError("x" * 10**7, where="y" * 10**6))) < 3000


def test_the_leaderboard_cannot_steer_a_terminal(tmp_path: Path) -> None:
    columns = "train,test,model,view,layers,classifier,mean_macro_f1,mean_balanced_accuracy,"
    (tmp_path / "summary.csv").write_bytes(
        f'{columns}mean_word_accuracy,micro_accuracy\nfull,test,"{STEER}\n",focal,1,'
        f"\u202eknn,.5,.5,.5,.5\n".encode()
    )
    (tmp_path / "selection.csv").write_text(
        "train,scope,selected,model,view,layers,classifier,objective\n"
    )
    text = leaderboard(tmp_path / "summary.csv")
    assert visible(text, "\n") == text and "\\x1b]0;pwned" in text
    assert len(text.splitlines()) == 4


def test_a_label_in_a_corpus_cannot_steer_a_terminal(tmp_path: Path, capsys) -> None:
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


@pytest.mark.parametrize("word", ["", " ", "a\x1b[2J", "a\nb", "\u202ea", "\udcff"])
def test_an_invisible_word_is_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(WsdError, match="control character"):
        text_format.read_text(tmp_path, word)


def test_a_terminal_with_few_characters(tmp_path: Path) -> None:
    """Characters that the terminal cannot show are escaped; there is no traceback."""
    (tmp_path / "summary.csv").write_text(
        "train,test,model,view,layers,classifier,mean_macro_f1,mean_balanced_accuracy,"
        "mean_word_accuracy,micro_accuracy\nfull,test,銀é,focal,1,knn,.5,.5,.5,.5\n"
    )
    (tmp_path / "selection.csv").write_text(
        "train,scope,selected,model,view,layers,classifier,objective\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "wsd.cli", "leaderboard", str(tmp_path / "summary.csv")],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0 and b"\\u9280\\xe9" in done.stdout, done.stderr


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch) -> None:
    import gzip
    import tarfile

    from wsd.corpora import archives, download

    monkeypatch.setattr(archives, "TOTAL_LIMIT", 2**20)
    member = tarfile.TarInfo("top/data/x")
    member.size = 2**28
    with gzip.open(tmp_path / "bomb.tar.gz", "wb", 1) as file:
        file.write(member.tobuf())
        file.write(bytes(2**22))
    with pytest.raises(WsdError, match="refused: a member of"):
        download.extract(tmp_path / "bomb.tar.gz", tmp_path / "out", {})
    assert not (tmp_path / "out").exists()
