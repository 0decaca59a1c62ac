"""Tables of labelled sentences become a corpus: round trips, splits, errors that name the line."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from importing import import_corpus
from transformers import AutoTokenizer

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import FORMAT, MANIFEST, find_dataset, read_manifest
from wsd.corpora.copy_corpus import copy
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options
from wsd.corpora.text_format import read_text
from wsd.encoder.match_word_pieces import Aligner
from wsd.errors import ConfigError, CorpusError
from wsd.inference.sentences import as_corpus, read_instances
from wsd.metrics.near_duplicates import components
from wsd.storage.file_names import file_name

SENSES = {
    "cell": ("cell_biology", "cell_prison"),
    "Schloß": ("lock", "castle"),
    "hot_dog.n": ("food", "animal"),
}
# Letters without accents, in several scripts.
LETTERS = ("abcdefgh", "äöüß", "абвгд", "中文字", "हिन्दी", "עברית", "😀🦜")


def made(random: Random, n: int = 10) -> list[dict[str, Any]]:
    """Return rows of every word and sense: tokens, position, forms of other words."""
    rows = []
    for word, senses in SENSES.items():
        name = word.removesuffix(".n").replace("_", " ")
        for sense in senses * n:
            # All sentences differ, because they are long and random.
            tokens = ["".join(random.choices(random.choice(LETTERS), k=4)) for _ in range(9)]
            position = random.randrange(len(tokens))
            tokens[position] = random.choice([name, name.upper(), f"{name}s"])
            rows.append({"word": word, "sense": sense, "tokens": tokens, "position": position})
    random.shuffle(rows)
    return rows


def line_of(row: dict[str, Any], shape: str) -> dict[str, Any]:
    """Write a row as a line that marks the focal word in one of the supported formats."""
    tokens, position = row["tokens"], row["position"]
    before, focal, after = tokens[:position], tokens[position], tokens[position + 1 :]
    own = {"word": row["word"], "sense": row["sense"]}
    if shape == "position":
        # Several tokens have a place after the last.
        place = f"{position}:{position + 2}" if " " in focal else position
        return {**own, "sentence": " ".join(tokens), "position": place}
    if shape == "span":
        start = len(" ".join([*before, ""]))
        return {**own, "sentence": " ".join(tokens), "start": start, "end": start + len(focal)}
    marked = f"[[{focal}]]" if shape == "brackets" else f"*{focal}*"
    return {**own, "sentence": " ".join([*before, marked, *after])}


def text_of(lines: list[dict[str, Any]], suffix: str) -> str:
    if suffix == ".jsonl":
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    frame = pd.DataFrame(lines, dtype=object)
    return frame.to_csv(sep="\t" if suffix == ".tsv" else ",", index=False)


def run(path: Path, out: Path, **options: Any) -> Any:
    import_corpus([path], out=out, name="mine", about={}, **options)
    return read_manifest(out / MANIFEST)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
@pytest.mark.parametrize("shape", ["position", "span", "brackets", "asterisks"])
def test_round_trip(tmp_path: Path, suffix: str, shape: str) -> None:
    rows = made(Random(f"{suffix}{shape}"))
    path = tmp_path / f"rows{suffix}"
    lines = [line_of(row, shape) for row in rows]
    # pandas writes whole numbers as floats if the column has gaps.
    lines += [{k: float(v) if type(v) is int else v for k, v in lines.pop().items()}]
    text = text_of(lines, suffix)
    path.write_text("\ufeff" * (suffix == ".csv") + text, encoding="utf-8", newline="")
    dataset = run(path, tmp_path / "out")
    assert dataset.words == tuple(sorted(SENSES))
    for word, senses in SENSES.items():
        corpus = read_text(tmp_path / "out" / file_name(word), word)
        assert corpus.senses == tuple(sorted(senses))
        actual = zip(corpus.gold.tolist(), corpus.tokens, corpus.position.tolist(), strict=True)
        assert Counter(actual) == Counter(
            (corpus.senses.index(row["sense"]), tuple(row["tokens"]), row["position"])
            for row in rows
            if row["word"] == word
        )
        assert dataset.sizes[word] == len(corpus) == 20
        # Each sense has ten sentences, three of them for testing.
        assert np.bincount(corpus.gold[corpus.split == "test"]).tolist() == [3, 3]
        assert dataset.most_folds[word] == 7
    # The folder can be imported again and gives the same files.
    assert run(tmp_path / "out", tmp_path / "again").digests == dataset.digests


HEAD = "word\tsense\tsentence\n"
GOOD = "cell\ta\tthe *cell* one\n"
BOTH = "no column for the sentence and the sense"
NUMBER = "is not a whole number from 0 up"
# The suffix of a file, its text after the header with or without a marked word, a line, a problem.
WRONG = [
    (".tsv", HEAD + GOOD + "cell\ta\n", 3, "2 columns, but the header has 3"),
    (".tsv", GOOD + GOOD, 1, f"{BOTH} among cell, a"),
    (".tsv", "sense\tlabel\tsentence\na\tb\tx\n", 1, "sense and label could both be"),
    (".tsv", "left\tkwic\tafter\tsense\na\tb\tc\td\n", 1, "no column for the sentence"),
    (".tsv", "sense\tsentence\tstart\na\tx\t0\n", 1, "given twice: start"),
    *((".tsv", f"sense\tsentence\tposition\na\tx y\t{n}\n", 2, NUMBER)
      for n in ("1.5", "-1", "NaN", "")),
    (".tsv", "sense\tsentence\tsplit\na\t*x*\tdev\n", 2, "unknown split 'dev'"),
    (".tsv", "sense\tsentence\tsplit\na\t*x*\ttrain\nb\ty *x*\t\n", 3, "no split, but"),
    (".tsv", HEAD + GOOD + "cell\tb\tthe *cell* one\n", 3, "the same sentence has 'a'"),
    (".tsv", HEAD + "cell\ta\t*cell* e\u0301\ncell\tb\t*cell* \u00e9\n", 3, "has 'a'"),
    (".tsv", HEAD + GOOD + "cell\ta\ta *cell* two\n", 2, "has only one sense, 'a'"),
    (".tsv", HEAD + GOOD + "cell\tb\ta *cell*\ncell\tb\tof *cell*\n", 2, "'a' of 'cell' has 1"),
    (".tsv", HEAD + "cell\ta\t*\u200b\u2060*\n", 2, "is invisible"),
    (".tsv", HEAD.strip(), None, "no sentence"),
    (".csv", 'word,sense,sentence\ncell,a,"the *cell*" x\n', 2, "not CSV"),
    (".csv", 'sense,sentence\r\na,"the\r\n*x*"\r\nb,none\r\n', 4, "no word is marked"),
    (".jsonl", '{"sense": "a", "sentence": "*x*"}\n{', 2, "not valid JSON"),
    (".jsonl", '["a"]', "[0]", "not a JSON object"),
    (".jsonl", '{"sense": "a", "sense": "b", "sentence": "*x*"}', 1, "twice"),
    (".jsonl", '{"sense": true, "sentence": "*x*"}', 1, "True for the sense"),
    (".jsonl", '{"sense": "a", "sentence": "x y", "position": true}', 1, NUMBER),
    (".jsonl", '{"sense": "a", "sentence": ["x y"], "position": 0}', 1, "a list for the sentence"),
    (".jsonl", '{"sense": "a", "sentence": "*x* \\ud800"}', 1, "half of a character"),
    (".jsonl", '{"sense": "a\\u202e", "sentence": "*x*"}', 1, "invisible character"),
    (".jsonl", '{"word": "x", "sense": "a", "text": "*x*"}\n{"sense": "a", "text": "y *x*"}\n', 2,
     "no word, unlike in"),
]  # fmt: skip


@pytest.mark.parametrize(("suffix", "text", "line", "says"), WRONG)
def test_errors_name_the_problem_and_the_line(
    tmp_path: Path, suffix: str, text: str, line: int | str | None, says: str
) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(CorpusError) as caught:
        run(path, tmp_path / "out")
    assert says in caught.value.problem and caught.value.fix
    place = f"{path}{line}" if isinstance(line, str) else f"{path}:{line}" if line else str(path)
    assert str(caught.value.where).split(",")[0] == place
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_two_uses_of_a_word_in_a_sentence_may_have_different_senses(tmp_path: Path) -> None:
    lines = [
        f"cell\t{sense}\ta cell{letter} and cell by cell {letter}\t{position}\n"
        for letter in "pqrs"
        for sense, position in (("a", 3), ("b", 5))
    ]
    (tmp_path / "rows.tsv").write_text("word\tsense\tsentence\tposition\n" + "".join(lines))
    assert run(tmp_path / "rows.tsv", tmp_path / "out").sizes == {"cell": 8}
    corpus = read_text(tmp_path / "out/cell", "cell")
    # A sentence is on one side, with both of its uses.
    sides = set(zip(corpus.tokens, corpus.split.tolist(), strict=True))
    assert len(sides) == 4 and {side for _, side in sides} == {"train", "test"}
    assert corpus.gold.tolist() == [0, 1] * 4


def test_columns_by_other_names_and_a_word_for_all(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("Text,class,Label\n" + "the *Cells* x,a,1\n")
    (row,) = labelled_tables.read(path, Options({"sense": "class"}, "cell")).rows
    assert (row.word, row.sense, row.tokens) == ("cell", "a", ("the", "Cells", "x"))
    # Without a column for the word, the word is the focal token in lower case.
    (row,) = labelled_tables.read(path, Options()).rows
    assert (row.word, row.sense) == ("cells", "1")
    # Text that looks alike is equal, and empty lines and columns of a spreadsheet are nothing.
    path.write_text("sentence,sense,word,,\n*x* 1,river bank,caf\u00e9,,\n,,,,\n")
    path.write_text(path.read_text() + "*x* 2,river\u00a0 bank,cafe\u0301 ,,\n", newline="\r\n")
    for row in labelled_tables.read(path, Options()).rows:
        assert (row.word, row.sense) == ("caf\u00e9", "river bank")
    # A table with a sentence is a concordance only if its columns are named.
    path.write_text("a,kwic,right,sense,text\ntwo,cranes,flew,bird,one *crane* sat\n")
    for columns, focal in (({}, "crane"), ({"left": "a", "keyword": "kwic"}, "cranes")):
        (row,) = labelled_tables.read(path, Options(columns)).rows
        assert row.tokens[row.position] == focal
    with pytest.raises(CorpusError, match="no column 'sort'"):
        labelled_tables.read(path, Options({"sense": "sort"}))


# Splits


def test_near_duplicates_stay_on_one_side_and_splits_are_the_same_every_time(
    tmp_path: Path,
) -> None:
    rows = made(Random(5), 12)
    # Every third row has a copy with one more token.
    lines = [line_of(row, "position") for row in rows]
    lines += [{**line, "sentence": f"{line['sentence']} too"} for line in lines[::3]]
    path = tmp_path / "rows.jsonl"
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    runs = (("one", 1), ("same", 1), ("other", 2))
    one, same, other = (run(path, tmp_path / name, seed=seed).digests for name, seed in runs)
    assert one == same != other
    alike = 0
    for word in SENSES:
        corpus = read_text(tmp_path / "one" / file_name(word), word)
        group = components(corpus.tokens).tolist()
        assert len(set(zip(group, corpus.split.tolist(), strict=True))) == len({*group})
        alike += len(group) - len({*group})
    assert alike >= 12


def test_given_splits_are_kept_and_out_of_domain_is_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    split = ["train", "train", "test", "outofdomain"]
    lines = [f"{'ab'[i % 2]}\tthe *x* {'pqrs'[i]}\t{s}\n" for i, s in enumerate(split)]
    path.write_text("sense\tsentence\tsplit\n" + "".join(lines))
    dataset = run(path, tmp_path / "out")
    assert dataset.has_out_of_domain and dataset.sizes == {"x": 4}
    corpus = read_text(tmp_path / "out" / "x", "x", tmp_path / "out" / "outofdomain.tsv")
    assert corpus.split.tolist() == split
    assert run(tmp_path / "out", tmp_path / "again").digests == dataset.digests
    for gone in ("test", "train"):
        path.write_text(path.read_text().replace(f"\t{gone}\n", "\toutofdomain\n"))
        with pytest.raises(CorpusError, match="senses in the training split"):
            run(path, tmp_path / gone)


# The folder


def test_a_folder_keeps_its_description_and_counts_losses(folder: Path, tmp_path: Path) -> None:
    (folder / "outofdomain.tsv").write_text("cel\tcell_prison\t0\tcel x\n", encoding="utf-8")
    about = {"title": "Again", "citation": "@article{x,\n  title = {Y}\n}"}
    text = import_corpus([folder], out=tmp_path / "my, out", name="2024", about=about)
    assert yaml.safe_load(text.splitlines()[-1]) == {
        "dataset": {"name": "2024", "path": str(tmp_path / "my, out")}
    }
    actual = read_manifest(tmp_path / "my, out" / MANIFEST)
    assert (actual.name, actual.title, actual.licence) == ("2024", "Again", "CC0")
    assert actual.citation == "@article{x, title = {Y} }"
    assert "left out: 1 instances of words of outofdomain.tsv that have no folder" in text
    imported = json.loads((tmp_path / "my, out" / MANIFEST).read_text())["imported"]
    assert str(folder / "cell" / "train.data.txt") in {source["file"] for source in imported}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [line_of(row, "brackets") for row in made(Random(2), 4)]
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    about = {"title": "Mine", "licence": "CC0"}
    import_corpus([path], out=tmp_path / "data", name="mine", about=about)
    return tmp_path / "data"


def test_the_copy_is_checked(folder: Path, tmp_path: Path) -> None:
    copy(folder, tmp_path / "copy", name="other", title="Others'")
    there = find_dataset(str(tmp_path / "copy" / MANIFEST))
    assert (there.name, there.title, there.licence) == ("other", "Others'", "CC0")
    assert there.digests == read_manifest(folder / MANIFEST).digests
    changed = folder / "cell" / "test.gold.txt"
    changed.write_text("changed")
    with pytest.raises(CorpusError, match="has changed since its import") as caught:
        copy(folder, tmp_path / "second", name="other")
    assert caught.value.where == str(changed)


ARGUMENTS: list[dict[str, Any]] = [
    *({"about": about} for about in ({"licence_url": "x.org"}, {"title": "a\u202eb"})),
    # Options that a kind of file does not use.
    *({"files": ["data"], **option} for option in ({"word": "x"}, {"columns": {"sense": "x"}})),
    {"gold": Path("rows.jsonl")},
    {"files": ["rows.jsonl", "rows.jsonl"]},
    {"columns": {"sense": "word", "word": "word"}},
    {"encoding": "utf-99"},
    *({"out": out} for out in ("data", "rows.jsonl")),
    *({"name": name} for name in ("quickstart", "Logs", "", "a/b", "..", "-x", "é")),
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_invalid_arguments_are_refused(
    folder: Path, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    given = {"files": ["rows.jsonl"], "name": "mine", "out": "b", **arguments}
    files, out = [tmp_path / name for name in given.pop("files")], tmp_path / given.pop("out")
    before = (folder / MANIFEST).read_bytes()
    with pytest.raises(ConfigError):
        import_corpus(files, out=out, **given)
    assert not (tmp_path / "b").exists() and (folder / MANIFEST).read_bytes() == before


COUNTS = {"n_train": -1, "n_test": 1, "n_out_of_domain": 0}
MANIFESTS: list[dict[str, Any]] = [
    {"format": FORMAT + 1},
    *({"words": words} for words in ({}, {"cell": COUNTS})),
    {"files": {"../../etc/passwd": "0" * 64}},
    {"licence_url": "javascript:alert(1)"},
    *({"title": title} for title in ("a\u202eb", 3)),
    *({"left_out": left_out} for left_out in ({"x": -1}, {"x": "1"}, {"a\u202eb": 1}, [1])),
]


@pytest.mark.parametrize("changes", MANIFESTS)
def test_a_broken_manifest_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(CorpusError, match="not the manifest of a corpus") as caught:
        read_manifest(path)
    assert caught.value.where == str(path)


def test_hostile_words_and_senses_in_natural_order(tmp_path: Path) -> None:
    words = ("../x", "CON", "a b", "{word}", "-rf", "é" * 200)
    senses = ("sense_2", "sense_10", "sense_1", "9" * 5000, "sense_02", "a")
    path = tmp_path / "rows.tsv"
    lines = [
        f"{word}\t{sense}\t{letter} *it* {'abcdef'[n]}{letter}\n"
        for word in words
        for n, sense in enumerate(senses)
        for letter in "pqr"
    ]
    path.write_text(HEAD + "".join(lines), encoding="utf-8")
    (tmp_path / "out").mkdir()  # an empty folder is as good as none
    assert set(run(path, tmp_path / "out", any_form=True).words) == set(words)
    run(tmp_path / "out", tmp_path / "again", any_form=True)
    there = {path.name for path in (tmp_path / "again").iterdir()}
    assert there == {MANIFEST, *map(file_name, words)}
    in_order = ("9" * 5000, "a", "sense_1", "sense_02", "sense_2", "sense_10")
    assert read_text(tmp_path / "again/=43=4f=4e", "CON").senses == in_order


def test_the_summary_has_all_splits_and_all_extra_columns(tmp_path: Path) -> None:
    splits = ["train", "train", "test", "outofdomain", "outofdomain"]
    own: list[dict[str, Any]] = [{"id": 1}, {}, {}, {"year": 1990}, {}]
    rows = [
        {"sense": "ab"[i % 2], "sentence": f"the *x* {'pqrst'[i]}", "split": split, **own[i]}
        for i, split in enumerate(splits)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = import_corpus([tmp_path / "rows.jsonl"], out=tmp_path / "out", name="mine")
    assert "train + test + outofdomain instances" in summary
    assert "x: a 1 + 1 + 1, b 1 + 0 + 1" in summary
    assert "extra columns: id, year" in summary


@pytest.mark.parametrize("name", ["marked.tsv", "span.csv", "found.jsonl", "sample.xml"])
def test_an_imported_sentence_has_the_pieces_of_the_same_sentence_in_new_text(
    built: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    # The word is not found in a compound.
    links = ["|, room-", "A wall/|'s  ", 'A\u00a0"|" ...', "A wall (|)/room \u201cx\u201d, "]
    links += ["A wall-|, "] * (name != "found.jsonl")
    parts = [f"{link}{x * 3} {x * 4} {x * 5}".split("|") for link in links for x in "pqrs"]
    lines, instances = [], []
    for i, (left, right) in enumerate(parts):
        sense, mark = "ab"[i % 2], "[[cell]]" if name == "marked.tsv" else "cell"
        place = {"start": len(left), "end": len(left) + 4} if name == "span.csv" else {}
        lines.append(
            {"word": "cell.n", "sense": sense, "sentence": f"{left}{mark}{right}", **place}
        )
        context = f"<context>{left}<head>cell</head>{right}</context>"
        instances.append(f'<instance id="{i}"><answer senseid="{sense}"/>{context}</instance>')
    xml = "\n".join(['<lexelt item="cell.n">', *instances, "</lexelt>"])
    text = xml if name == "sample.xml" else text_of(lines, Path(name).suffix)
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    run(tmp_path / name, tmp_path / "mine", find=name == "found.jsonl")
    # The imported folder is imported again, and goes through the table of the word.
    run(tmp_path / "mine", tmp_path / "again")
    corpus_table.write(tmp_path / "t.parquet", read_text(tmp_path / "again/cell=2en", "cell.n"))
    aligner = Aligner(AutoTokenizer.from_pretrained(built("gpt2")), 20)
    actual = aligner.align(corpus_table.read(tmp_path / "t.parquet"))
    new = [(f"{a}cell{b}", (len(a), len(a) + 4)) for a, b in parts]
    expected = aligner.align(as_corpus(read_instances(new)))
    assert Counter(map(str, actual)) == Counter(map(str, expected))
