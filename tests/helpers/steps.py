"""Run every step after the download by hand, in order."""

import contextlib
import csv
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from importing import import_corpus
from log_state import logs_as_before
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import write_map
from wsd.cli import main
from wsd.commands import COMMANDS
from wsd.corpora.text_format import read_text
from wsd.storage.checksums import SUMS

WORDS = ("apple", "crane")
LAID_OUT = "results/quickstart"
SYSTEM = "1nn-bert-base-uncased"
FURTHER = "apple\tapple_fruit\t1\tan apple fell from the old tree\n"


def prepare(folder: Path) -> None:
    """Two words of the built-in corpus, laid out as a download, and a model of two blocks.

    With a training set of every second line, another of every sixth, sentences from out of
    domain, the output of a published system that is always right, that of another which is wrong
    twice per word, and a corpus that was imported.
    """
    published = folder / "source/published" / SYSTEM
    published.mkdir(parents=True)
    for word in WORDS:
        source = shutil.copytree(DATA / "quickstart" / word, folder / "source" / word)
        for train, step in (("balanced", 2), ("1pct", 6)):
            part = folder / "source/trains" / train / word
            part.mkdir(parents=True)
            for file in ("train.data.txt", "train.gold.txt"):
                lines = (source / file).read_text().splitlines(keepends=True)
                (part / file).write_text("".join(lines[::step]))
        _judge(read_text(source, word), published / f"{word}.jsonl", folder / "outputs.jsonl")
    import_corpus([DATA / "quickstart"], out=folder / "own", name="mine", about={})
    shutil.copy(DATA / "glosses/quickstart.tsv", folder / "glosses.tsv")
    (folder / "source" / f"{OUT_OF_DOMAIN}.tsv").write_text(FURTHER)
    tiny_bert(folder / "tiny")
    tiny_bert(folder / "filling", blocks=1, width=16, head=True)
    _lay_out(folder)


def _judge(corpus: corpus_table.Corpus, right: Path, wrong_twice: Path) -> None:
    """Write the outputs of two systems for the test rows of a word."""
    tests = [row for row in range(len(corpus)) if corpus.split[row] == "test"]
    with right.open("w") as published, wrong_twice.open("a") as other:
        for idx, row in enumerate(tests):
            gold = corpus.gold[row]
            matches = [[sense, 0.1 + 0.8 * (i == gold)] for i, sense in enumerate(corpus.senses)]
            matches.sort(key=lambda match: -match[1])
            line = {"idx": idx, "gold": corpus.senses[gold], "tokens": corpus.tokens[row]}
            published.write(json.dumps({**line, "matches": matches}) + "\n")
            sense = corpus.senses[(gold + (idx < 2)) % len(corpus.senses)]
            other.write(json.dumps({"word": corpus.word, "id": idx, "sense": sense}) + "\n")


def _lay_out(folder: Path) -> None:
    """Write a run's map of the files that the steps below write, and links in its folder."""
    laid_out = folder / LAID_OUT
    predictions = "tiny/predictions/full/"
    places = {
        **{name: name for name in ("corpus", "comparison", "comparison.csv")},
        **{name: name for name in ("selection.csv", "selection.json", "scores.csv")},
        "folds/full.parquet": "full.parquet",
        "tiny/embeddings": "e",
        f"{predictions}focal/mix-all.logistic.parquet": "p.parquet",
        f"{predictions}focal+context/2+1.own.parquet": "p2.parquet",
        f"{predictions}focal/1.knn.parquet": "p3.parquet",
        f"{predictions}focal/1.logistic.parquet": "p4.parquet",
    }
    for place, file in places.items():
        link = laid_out / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(folder / file, link.parent))
    files = [place for place in places if "." in place]
    files += ["corpus/words.json", "comparison/words.csv", "comparison/differences.csv"]
    about = {"config": {}, "command": "snakemake", "digests": {}}
    write_map(laid_out / "run.json", [f"{LAID_OUT}/{file}" for file in files], LAID_OUT, about)


DATA_OPTIONS = ["--corpus", "corpus", "--words", *WORDS]
VECTORS = [*DATA_OPTIONS, "--embeddings", "e"]
LOGISTIC = ["--estimator", "logistic", "--space", '{"C": [0.01, 1], "prior_shift": [0, 1]}']
# What a name in the steps stands for.
NAMED = {"$WORDS": [*WORDS], "$DATA": DATA_OPTIONS, "$VECTORS": VECTORS, "$LOGISTIC": LOGISTIC}
# Commands and their arguments, in the order of their dependencies; an indented line continues.
SCRIPT = """
copy-corpus own --name mine --out mine
corpus --source source --word=apple --word=crane --out-of-domain source/outofdomain.tsv --out
  corpus
glosses $DATA --glosses glosses.tsv --out glosses
training-sets $DATA --source source --trains balanced 1pct --out trains/balanced.parquet
  trains/1pct.parquet
published --source source --system 1nn-bert-base-uncased --out published.jsonl
score published.jsonl --name 1nn-bert-base-uncased $DATA --out published.parquet
score outputs.jsonl --name theirs $DATA --out system.parquet
folds $DATA --repeats 2 --out full.parquet
folds $DATA --repeats 2 --train trains/balanced.parquet --out balanced.parquet
folds $DATA --repeats 2 --train trains/1pct.parquet --out 1pct.parquet
model --name tiny --path tiny --blocks 2 --width 32 --out tiny.json
embed --model tiny.json $DATA --views focal context sentence --out e
embed --model tiny.json --corpus glosses --words $WORDS --views focal sentence --out g
alignment --model tiny --embeddings e --words $WORDS --out alignment.csv --long long-vectors.csv
model --name filling --path filling --blocks 1 --width 16 --out filling.json
substitutes --model filling.json $DATA --out substitutes
finetune --model tiny.json $DATA --folds full.parquet --rates 1e-3 --epochs 1 --seeds 1 2 --out
  tuned
sense-substitutes $DATA --substitutes substitutes --out substitutes.csv
classify $VECTORS --layers mix-all $LOGISTIC --folds full.parquet balanced.parquet --searches
  s.parquet sb.parquet --out p.parquet pb.parquet
classify $VECTORS --view focal+context --layers 2+1 --estimator lda --name own --folds
  full.parquet --searches s2.parquet --out p2.parquet
classify $VECTORS --layers 1 --estimator knn --space {"k":[5,1]} --folds full.parquet 1pct.parquet
  --searches s3.parquet s31.parquet --out p3.parquet p31.parquet
classify $VECTORS --layers 1 $LOGISTIC --folds full.parquet 1pct.parquet --searches s4.parquet
  s41.parquet --out p4.parquet p41.parquet
control-task $VECTORS --layers 1 $LOGISTIC --seed 3 --folds full.parquet --searches cs.parquet
  --out c.parquet
classify $DATA --view text --layers - --estimator bag_of_words --folds full.parquet --out
  b.parquet
classify $DATA --view substitutes --layers masked --estimator bag_of_words --name
  bag_of_substitutes --embeddings substitutes --folds full.parquet --out bs.parquet
zero-shot $VECTORS --layers 1 --glosses glosses --gloss-vectors g --out z.parquet zm.parquet
select --searches s.parquet s2.parquet s3.parquet s4.parquet --table selection.csv --out
  selection.json
classify-selected $VECTORS --model tiny --selection selection.json --folds full.parquet --out
  pw.parquet
project $VECTORS --layers 1 --out 1.parquet
project $VECTORS --layers 1 --method tsne --seed 3 --out t1.parquet
project $VECTORS --layers 1 --method discriminant --folds full.parquet --out d1.parquet
neighbours $VECTORS --layers 1 --out n1.parquet
uses $VECTORS --layers 1 --clusters 4 --seed 3 --out u1.parquet
uses-page $DATA --dataset quickstart --uses u1.parquet --out uses
evaluate --predictions p.parquet pb.parquet p2.parquet p3.parquet p31.parquet p4.parquet
  p41.parquet pw.parquet z.parquet zm.parquet tuned/finetuned-1.parquet tuned/finetuned-2.parquet
  --systems published.parquet system.parquet --dataset quickstart --scores scores.csv --summary
  summary.csv --provenance provenance.json
compare $DATA --candidates p.parquet p2.parquet p3.parquet p4.parquet --per-word pw.parquet
  --baselines b.parquet bs.parquet --views --random-controls --zero-shot z.parquet zm.parquet
  --finetuned tuned/finetuned-1.parquet tuned/finetuned-2.parquet --control c.parquet --published
  published.parquet --systems system.parquet --selection selection.json --selection-table
  selection.csv --scores scores.csv --table comparison.csv --out comparison
layerwise $DATA --predictions p.parquet p2.parquet p3.parquet p4.parquet --searches s.parquet
  s2.parquet s3.parquet s4.parquet --layers comparison/layers.csv --word-layers
  comparison/word-layers.csv --model-layers comparison/model-layers.csv --peaks
  comparison/peaks.csv
figures --tables comparison.csv comparison/layers.csv comparison/word-layers.csv
  comparison/controls.csv comparison/learning.csv --out figures
geometry $VECTORS --layers 0 1 --out geometry.csv
audit $DATA --predictions p3.parquet p4.parquet --judge logistic --out audit
code-length $VECTORS --predictions p41.parquet --folds 1pct.parquet full.parquet --out
  code-length.csv
calibration --results results/quickstart/run.json --model tiny --out calibration
fit --results results/quickstart/run.json --out selected.wsd
report $DATA --dataset quickstart --predictions p3.parquet p4.parquet --projections 1.parquet
  d1.parquet t1.parquet --neighbours n1.parquet --provenance provenance.json --tables scores.csv
  summary.csv comparison.csv alignment.csv long-vectors.csv comparison/controls.csv
  comparison/differences.csv comparison/best-set.csv comparison/learning.csv comparison/layers.csv
  comparison/model-layers.csv comparison/word-layers.csv comparison/peaks.csv comparison/words.csv
  --confidence calibration --out report
folds --corpus corpus --words apple --out applefolds.parquet
"""
Step = tuple[str, list[str]]
EVERY: list[Step] = []
for line in SCRIPT.replace("\n  ", " ").split("\n")[1:-1]:
    name, *words = line.split()
    EVERY.append((name, [word for part in words for word in NAMED.get(part, [part])]))

# These commands run without the files of a deleted study.
DO_WITHOUT = {"evaluate", "compare", "report"}


def _there() -> Iterator[Step]:
    """Yield the steps of existing commands, without the files of deleted commands."""
    lacking: set[str] = set()
    for command, arguments in EVERY:
        options = by_option(arguments)
        kept = {
            option: [v for v in values if not {v, v.partition("/")[0]} & lacking]
            for option, values in options.items()
        }
        emptied = {option for option, values in options.items() if values and not kept[option]}
        if command in COMMANDS and (not emptied or command in DO_WITHOUT):
            given = (word for o in kept if o not in emptied for word in (o, *kept[o]))
            yield command, [word for word in given if word]
        else:
            lacking |= {*options["--out"]} | {*options.get("--searches", ())}


def by_option(arguments: list[str]) -> dict[str, list[str]]:
    """Return the values of each option; positional values have an empty name."""
    options: dict[str, list[str]] = {}
    values = options.setdefault("", [])
    for argument in arguments:
        if argument.startswith("--"):
            values = options.setdefault(argument, [])
        else:
            values.append(argument)
    return options


STEPS = [*_there()]


def run_every_step(folder: Path) -> None:
    """Run all steps in order, each on the files of the steps before; none writes in place."""
    prepare(folder)
    before, renamed, replace = {*folder.rglob("*")}, set(), Path.replace

    def noted(path: Path, target: Path) -> Path:
        renamed.add(Path(target).absolute())
        return replace(path, target)

    with contextlib.chdir(folder), logs_as_before(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(Path, "replace", noted)
        for command, arguments in STEPS:
            assert main([command, *arguments]) == 0, command
    new = [path for path in folder.rglob("*") if path.is_file() and path not in before]
    assert len(new) > 40
    assert [path for path in new if not renamed & {path, *path.parents}] == []


def corpora(folder: Path) -> dict[str, corpus_table.Corpus]:
    return corpus_table.read_corpora(folder / "corpus", WORDS)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# Arguments, the exit code, and a part of the message.
Refused = tuple[list[str], int, str]


def changed(command: str, option: str, *values: str, nth: int = 0) -> list[str]:
    """Return a command of the steps with other values of an option."""
    arguments = [arguments for name, arguments in STEPS if name == command][nth]
    start = arguments.index(option) + 1
    end = next((i for i in range(start, len(arguments)) if arguments[i][:2] == "--"), None)
    return [command, *arguments[:start], *values, *(arguments[end:] if end else [])]


def call(folder: Path, *arguments: str) -> int:
    """Run a command in a folder and return its exit code."""
    with contextlib.chdir(folder), logs_as_before():
        try:
            return main(arguments)
        except SystemExit as end:  # argparse refuses an option
            assert isinstance(end.code, int), end.code
            return end.code


def assert_one_error(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    """Check that a command on the files of all steps fails with one message and writes nothing."""
    before = {path: path.read_bytes() for path in folder.glob("*.parquet")}
    capsys.readouterr()
    exit_code = call(folder, *arguments)
    err = capsys.readouterr().err
    assert "Traceback" not in err, err[-1500:]
    assert (exit_code, err.count("error: ")) == (code, 1), err
    assert says in err
    # Existing files are unchanged, and no temporary file is left.
    assert {path: path.read_bytes() for path in folder.glob("*.parquet")} == before
    assert not (folder / "o").exists()
    assert [path for path in folder.glob(".*") if path.name != SUMS] == []
