"""Tables of labelled sentences become a corpus: round trips, splits, errors that name the line."""

import csv
import gzip
import io
import json
import re
import shutil
import string
from argparse import Namespace
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import FORMAT, MANIFEST, find_dataset, read_manifest
from wsd.cli import main
from wsd.corpora import find_word
from wsd.corpora.copy_corpus import copy
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.input_formats import KINDS, Request, kind_of
from wsd.corpora.importer.labelled_tables import Options
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError
from wsd.metrics.near_duplicates import components
from wsd.storage.file_names import file_name

SENSES = {"cell": ("cell_biology", "cell_prison"), "Schloß": ("lock", "castle")}
# Letters without accents, in several scripts.
LETTERS = ("abcdefgh", "äöüß", "абвгд", "中文字", "हिन्दी", "עברית", "😀🦜")


def made(random: Random, n: int = 10) -> list[dict[str, Any]]:
    """Return rows of every word and sense: tokens, position, forms of other words."""
    rows = []
    for word, senses in SENSES.items():
        for sense in senses:
            for i in range(n):
                # All sentences differ.
                tokens = [
                    "".join(random.choices(random.choice(LETTERS), k=random.randint(1, 6)))
                    for _ in range(random.randint(4, 12))
                ]
                tokens.append(f"{word}-{sense}-{string.ascii_lowercase[i]}")
                position = random.randrange(len(tokens))
                tokens[position] = random.choice([word, word.upper(), f"{word}s"])
                rows.append({"word": word, "sense": sense, "tokens": tokens, "position": position})
    random.shuffle(rows)
    return rows


def line_of(row: dict[str, Any], shape: str) -> dict[str, Any]:
    """Write a row as a line that marks the focal word in one of the supported formats."""
    tokens, position = row["tokens"], row["position"]
    text = " ".join(tokens)
    start = len(" ".join([*tokens[:position], ""]))
    own = {"word": row["word"], "sense": row["sense"]}
    if shape == "position":
        return {**own, "sentence": text, "position": position}
    if shape == "span":
        return {**own, "sentence": text, "start": start, "end": start + len(tokens[position])}
    left, right = ("[[", "]]") if shape == "brackets" else ("*", "*")
    marked = [*tokens[:position], f"{left}{tokens[position]}{right}", *tokens[position + 1 :]]
    return {**own, "sentence": " ".join(marked)}


def text_of(lines: list[dict[str, Any]], suffix: str) -> str:
    if suffix == ".jsonl":
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    if suffix == ".tsv":
        cells = [list(lines[0]), *(map(str, line.values()) for line in lines)]
        return "".join("\t".join(row) + "\n" for row in cells)
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(lines[0]))
    writer.writeheader()
    writer.writerows(lines)
    return buffer.getvalue()


def run(path: Path, out: Path, **options: Any) -> Any:
    import_corpus([path], out=out, name="mine", about={}, **options)
    return read_manifest(out / MANIFEST)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
@pytest.mark.parametrize("shape", ["position", "span", "brackets", "asterisks"])
@pytest.mark.parametrize("seed", range(2))
def test_round_trip(tmp_path: Path, suffix: str, shape: str, seed: int) -> None:
    rows = made(Random(seed))
    path = tmp_path / f"rows{suffix}"
    text = text_of([line_of(row, shape) for row in rows], suffix)
    path.write_text("\ufeff" * (seed % 2) + text, encoding="utf-8", newline="")
    dataset = run(path, tmp_path / "out")
    assert dataset.words == tuple(sorted(SENSES))
    for word, senses in SENSES.items():
        corpus = read_text(tmp_path / "out" / file_name(word), word)
        assert corpus.senses == tuple(sorted(senses))
        actual = Counter(
            (corpus.senses[gold], tokens, position)
            for gold, tokens, position in zip(
                corpus.gold, corpus.tokens, corpus.position.tolist(), strict=True
            )
        )
        expected = Counter(
            (r["sense"], tuple(r["tokens"]), r["position"]) for r in rows if r["word"] == word
        )
        assert actual == expected
        assert dataset.sizes[word] == len(corpus) == 20
        # Each sense has ten sentences, three of them for testing.
        tested = corpus.gold[corpus.split == "test"]
        assert np.bincount(tested).tolist() == [3, 3]


@pytest.mark.parametrize("seed", range(40))
def test_one_bad_line_among_good_ones_is_named(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    suffix = random.choice([".csv", ".tsv", ".jsonl"])
    shape = random.choice(["position", "span", "brackets", "asterisks"])
    lines = [line_of(row, shape) for row in made(random, 3)]
    bad = random.randrange(len(lines))
    faults: list[dict[str, Any]] = [{"sense": ""}, {"word": " "}, {"sentence": ""}]
    if shape == "position":
        faults += [{"position": 99}, {"position": -1}, {"position": "two"}, {"position": ""}]
    elif shape == "span":
        faults += [{"end": 0}, {"end": 9999}, {"start": "x"}, {"start": -1}]
    else:
        faults += [
            {"sentence": "no mark here"},
            {"sentence": "*two* of *them*"},
            {"sentence": "[[two]] of [[them]]"},
            {"sentence": "*one"},
            {"sentence": "an *old crane * flew"},
            {"sentence": "nothing: [[]]"},
        ]
    lines[bad] = {**lines[bad], **random.choice(faults)}
    path = tmp_path / f"rows{suffix}"
    path.write_text(text_of(lines, suffix), encoding="utf-8", newline="")
    number = bad + (1 if suffix == ".jsonl" else 2)
    with pytest.raises(CorpusError) as caught:
        run(path, tmp_path / "out")
    assert str(caught.value.where).split(",")[0] == f"{path}:{number}"
    assert not (tmp_path / "out").exists()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


HEAD = "word\tsense\tsentence\n"
GOOD = "cell\ta\tthe *cell* one\n"
WRONG = {
    "columns": (".tsv", HEAD + GOOD + "cell\ta\n", 3, "2 columns, but the header has 3"),
    "no header": (".tsv", GOOD + GOOD, 1, "no column for the sentence and the sense among cell, a"),
    "two the same": (".tsv", "word\tword\tsense\n", 1, "two columns are called 'word'"),
    "two senses": (".tsv", "sense\tlabel\tsentence\na\tb\tx\n", 1, "sense and label could both be"),
    "half a span": (
        ".tsv",
        "sense\tsentence\tstart\na\tx\t0\n",
        1,
        "incomplete, or given twice: start",
    ),
    "twice told": (
        ".tsv",
        "sense\tsentence\tposition\tstart\tend\na\tx\t0\t0\t1\n",
        1,
        "incomplete, or given twice: position, start, end",
    ),
    "quote": (".csv", 'word,sense,sentence\ncell,a,"the *cell*" x\n', 2, "not CSV"),
    "open quote": (".csv", 'word,sense,sentence\ncell,a,*cell*\ncell,a,"the\n', 3, "not CSV"),
    "no JSON": (".jsonl", '{"sense": "a", "sentence": "*x*"}\n{', 2, "not valid JSON"),
    "list": (".jsonl", '["a"]', 0, "not a JSON object"),
    "key twice": (".jsonl", '{"sense": "a", "sense": "b", "sentence": "*x*"}', 1, "twice"),
    "true": (".jsonl", '{"sense": true, "sentence": "*x*"}', 1, "True for the sense"),
    "position true": (
        ".jsonl",
        '{"sense": "a", "sentence": "x y", "position": true}',
        1,
        "the position True is not a whole number",
    ),
    "white token": (
        ".jsonl",
        '{"sense": "a", "sentence": ["x y"], "position": 0}',
        1,
        "a list for the sentence",
    ),
    "surrogate": (".jsonl", '{"sense": "a", "sentence": "*x* \\ud800"}', 1, "half of a character"),
    "unseen": (".jsonl", '{"sense": "a\\u202e", "sentence": "*x*"}', 1, "invisible character"),
    "part of a word": (
        ".tsv",
        "sense\tsentence\tstart\tend\na\tmy bank here\t3\t6\n",
        2,
        "the focal word 'ban' is part of a word",
    ),
    "one column": (".tsv", "#FORMAT=1\n\nx\n", 1, "no column for the sentence and the sense"),
    "nested": (".jsonl", '{"text": "a *cell*", "gold": ["a"]}', 1, "a list for the sense"),
    "nested too": (".jsonl", '{"text": "a", "entity": {"start": 0}}', 1, "no column for the sense"),
    "a word now and then": (
        ".jsonl",
        '{"word": "x", "sense": "a", "sentence": "*x*"}\n{"sense": "a", "sentence": "y *x*"}\n',
        2,
        "no word, unlike in",
    ),
    "contradiction with other accents": (
        ".tsv",
        HEAD + "cell\ta\tthe *cell* e\u0301\ncell\tb\tthe *cell* \u00e9\n",
        3,
        "the sense 'b', but the same sentence has 'a'",
    ),
    "split": (".tsv", "sense\tsentence\tsplit\na\t*x*\tdev\n", 2, "unknown split 'dev'"),
    "split missing": (
        ".tsv",
        "sense\tsentence\tsplit\na\t*x*\ttrain\nb\ty *x*\t\n",
        3,
        "no split, but",
    ),
    "contradiction": (
        ".tsv",
        HEAD + GOOD + "cell\tb\tthe *cell* one\n",
        3,
        "the sense 'b', but the same sentence has 'a'",
    ),
    "one sense": (".tsv", HEAD + GOOD + "cell\ta\ta *cell* two\n", 2, "has only one sense, 'a'"),
    "few": (
        ".tsv",
        HEAD + GOOD + "cell\tb\tin a *cell* here\ncell\tb\tof *cell* there\n",
        2,
        "the sense 'a' of 'cell' has 1 instances",
    ),
}


@pytest.mark.parametrize(("suffix", "text", "line", "says"), WRONG.values(), ids=WRONG)
def test_errors_name_the_problem(
    tmp_path: Path, suffix: str, text: str, line: int, says: str
) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(CorpusError) as caught:
        run(path, tmp_path / "out")
    assert says in caught.value.problem
    # The items of an array in one line have numbers from 0.
    place = f"{path}:{line}" if line else f"{path}[0]"
    assert str(caught.value.where).split(",")[0] == place


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_in_utf16(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "rows.tsv"
    text = HEAD + GOOD + "cell\tb\t\u00e9 *cell*\n"
    path.write_bytes(("\ufeff" + text).encode(encoding))
    rows = labelled_tables.read(path, Options()).rows
    assert [row.tokens for row in rows] == [("the", "cell", "one"), ("\u00e9", "cell")]
    path.write_bytes(text.encode(encoding))
    with pytest.raises(CorpusError, match="a zero byte") as caught:
        run(path, tmp_path / "out")
    assert "--encoding utf-16-le, or utf-16-be" in str(caught.value.fix)
    assert labelled_tables.read(path, Options(encoding=encoding)).rows == rows


def test_an_unknown_encoding(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(HEAD + GOOD)
    with pytest.raises(ConfigError, match="unknown encoding 'utf-99'") as caught:
        run(path, tmp_path / "out", encoding="utf-99")
    assert caught.value.where == "--encoding"


def test_binary_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_bytes(HEAD.encode() + b"cell\ta\tthe *cell* caf\xe9\n")
    with pytest.raises(CorpusError, match="is not UTF-8") as caught:
        run(path, tmp_path / "out")
    assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize(
    ("text", "says", "fix"),
    [
        ("a dog ran", "no form of 'bank' in the sentence", "looked for: bank, banks"),
        ("a bank by a bank", "2 forms of 'bank' in the sentence", "as [[bank]]"),
        ("a *bank* by a bank", None, ""),
    ],
)
def test_the_word_is_found_once(tmp_path: Path, text: str, says: str | None, fix: str) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(f"{HEAD}bank\ta\t{text}\n")
    if says is None:
        (row,) = labelled_tables.read(path, Options(find=True)).rows
        assert row.position == 1
        return
    with pytest.raises(CorpusError, match=says) as caught:
        run(path, tmp_path / "out", find=True)
    assert fix in str(caught.value.fix) and caught.value.where == f"{path}:2, column sentence"


def test_a_cell_of_several_lines_counts_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('sense,sentence\r\na,"the\r\n*x*"\r\nb,none\r\n', newline="")
    with pytest.raises(CorpusError, match="no word is marked") as caught:
        run(path, tmp_path / "out")
    assert caught.value.where == f"{path}:4, column sentence"


# Sentences

MARKED = {
    "The *crane*, tall, flew.": (1, "The crane , tall , flew ."),
    "«*Cranes*» 3.5 kg": (1, "« Cranes » 3.5 kg"),
    "don't *spring*-clean": (1, "don't spring - clean"),
    "5 * 3 is no [[spring]]!": (6, "5 * 3 is no spring !".replace("no", "no")),
    "我去*银行*取钱。": (1, "我去 银行 取钱 。"),
    "(*a*)": (1, "( a )"),
    "हिन्दी *शब्द* है।": (1, "हिन्दी शब्द है ।"),
    "The <b>crane</b>, tall": (1, "The crane , tall"),
    'A <head id="3">crane</head> flew': (1, "A crane flew"),
    "A [TGT]crane[/TGT] by the [sic] bank": (1, "A crane by the [ sic ] bank"),
    # Other marks win over tags.
    "the *crane* <b>flew</b>": (1, "the crane <b>flew</b>"),
}


@pytest.mark.parametrize(("text", "expected"), MARKED.items())
def test_marked_sentences(text: str, expected: tuple[int, str]) -> None:
    position, tokens = find_word.from_mark(text)
    assert " ".join(tokens) == expected[1]
    assert position == (5 if "[[" in text else expected[0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A [[crane]] by a [[bank]].", "2 words are marked in double brackets"),
        ("A [[crane by a bank.", "not opened or not closed"),
        ("A ]]crane[[ here.", "not opened or not closed"),
        ("A [[crane]] here]].", "not opened or not closed"),
        ("A [[ crane ]].", "begins or ends with white space: take 'crane' alone"),
        ("A [[[crane]]].", "begins or ends with punctuation: take 'crane' alone"),
        ("A [[crane.]]", "begins or ends with punctuation: take 'crane' alone"),
        ("[[crane]]s", "'crane' is part of a word"),
        ("A *bank*er", "'bank' is part of a word"),
        ("*un*usual", "'un' is part of a word"),
        ("a **crane** here", "4 asterisks, not two"),
        ("5 * 3 * 2", "begins or ends with white space"),
        ("a *crane* and a crane*", "3 asterisks, not two"),
        ("a crane", "no word is marked"),
        ("<b>a</b> tall <b>crane</b>", "2 words are marked with tags, not one"),
        ("a <b>tall [T]crane[/T]</b>", "2 words are marked with tags, not one"),
        ("a <b>crane</i>", "no word is marked"),
        ("a <b> crane</b>", "white space: take 'crane' alone"),
        ("a <b>ban</b>ker", "'ban' is part of a word"),
    ],
)
def test_invalid_marks_are_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        find_word.from_mark(text)


def test_tags_are_marks_of_forms_only() -> None:
    """In text without labels, a tag may emphasize any word."""
    is_form = {"crane", "cranes"}.__contains__
    text = "<i>Two</i> <b>cranes</b> flew"
    mark = find_word.find_mark(text, is_form)
    assert mark is not None
    assert mark.text[mark.start : mark.end] == "cranes" == text[mark.at :][:6]
    assert mark.text == "<i>Two</i> cranes flew"
    assert find_word.find_mark("<i>Two</i> cranes", is_form) is None
    with pytest.raises(ValueError, match="2 words are marked with tags"):
        find_word.find_mark("<i>crane</i> <i>crane</i>", is_form)


def test_brackets_are_text_next_to_a_position_column() -> None:
    text = "see [[1]] on *his* cell"
    assert find_word.from_span(text, 19, 23)[1][-1] == "cell"
    assert find_word.from_tokens(text, 4) == (4, ("see", "[[1]]", "on", "*his*", "cell"))


def test_punctuation_inside_a_word_stays() -> None:
    for word, text, focal in (
        ("yahoo!", "*Yahoo!*, he said", "Yahoo!"),
        ("u.s..n", "the *U.S.*", "U.S."),
        ("u.s..n", "the *US*", "US"),
        (".net", "in [[.NET]]", ".NET"),
        ("", "in [[C#]] and C", "C#"),
        ("", "5 [[%]]", "%"),
    ):
        position, tokens = find_word.from_mark(text, word)
        assert tokens[position] == focal
    with pytest.raises(ValueError, match="take 'Yahoo!' alone"):
        find_word.from_mark("*Yahoo!,* he said", "yahoo!")


def test_all_formats_give_the_same_corpus() -> None:
    assert find_word.from_span("He sat in his cell.", 14, 18) == find_word.from_mark(
        "He sat in his *cell*."
    )


def test_columns_by_other_names_and_a_word_for_all(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("Text,class,Label\n" + "the *Cells* x,a,1\n")
    (row,) = labelled_tables.read(path, Options({"sense": "class"}, "cell")).rows
    assert (row.word, row.sense, row.tokens) == ("cell", "a", ("the", "Cells", "x"))
    (row,) = labelled_tables.read(path, Options()).rows
    # Without a column for the word, the word is the focal token in lower case.
    assert (row.word, row.sense) == ("cells", "1")
    with pytest.raises(CorpusError, match="no column 'sort'"):
        labelled_tables.read(path, Options({"sense": "sort"}))
    path.write_text("sentence,sense,word\nthe *cells* x,a,cell\n")
    with pytest.raises(CorpusError, match="--word is given, but there is a column 'word' for it"):
        labelled_tables.read(path, Options(word="cell"))


def test_leftovers_of_spreadsheets_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "ROWS.CSV"
    path.write_text("sentence,sense,,\r\nthe *cell* x,a,,\r\n,,,\r\na *cell* y,b,,\r\n", newline="")
    args = Namespace(
        word=None,
        columns=[],
        gold=None,
        encoding=None,
        find=False,
        one_span=False,
        offsets=None,
        skip_bad=False,
        language=None,
        forms=None,
    )
    kind = kind_of(path, KINDS, args)
    assert kind.read
    rows = kind.read(path, Request(args, [path], {}, {})).rows
    assert [(row.sense, row.where) for row in rows] == [("a", f"{path}:2"), ("b", f"{path}:4")]


def test_the_download_of_a_word_page_is_read_back(tmp_path: Path) -> None:
    """The page guards cells that a spreadsheet would run as a formula."""
    path = tmp_path / "cell.csv"
    header = "word,split,index,gold,layers,classifier,predicted,confidence,left,focal,right"
    lines = [
        '"cell","train",0,"a","6","knn","","","\'- The","cells","divide, and ""stay"""',
        '"cell","test",3,"b","6","knn","a",0.9,"","Cell","\'=1"',
    ]
    path.write_text("\ufeff" + "\r\n".join([header, *lines, ""]), encoding="utf-8", newline="")
    rows = labelled_tables.read(path, Options()).rows
    assert [(row.sense, row.split, row.position, " ".join(row.tokens)) for row in rows] == [
        ("a", "train", 2, '- The cells divide , and " stay "'),
        ("b", "test", 0, "Cell =1"),
    ]
    assert rows[1].extra["index"] == "3" and "left" not in rows[1].extra


@pytest.mark.parametrize(
    ("header", "columns", "says"),
    [
        # A table with a sentence is no concordance.
        ("left\tkwic\tright\tsense\tsentence", {}, None),
        ("a\tb\tc\tsense\ttext", {"left": "a", "keyword": "b", "right": "c"}, None),
        ("left\tkwic\tafter\tsense", {}, "no column for the sentence"),
        ("left\tkwic\tnode\tright\tsense", {}, "kwic and node could both be the keyword"),
    ],
)
def test_columns_of_concordances(
    tmp_path: Path, header: str, columns: dict[str, str], says: str | None
) -> None:
    path = tmp_path / "rows.tsv"
    line = ["two", "cranes", "flew", "bird", "one *crane* sat"][: header.count("\t") + 1]
    path.write_text(header + "\n" + "\t".join(line) + "\n")
    if says:
        with pytest.raises(CorpusError, match=says):
            labelled_tables.read(path, Options(columns))
    else:
        (row,) = labelled_tables.read(path, Options(columns)).rows
        assert row.tokens[row.position] == ("cranes" if columns else "crane")


def test_text_that_looks_alike_is_equal(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    names = [
        ("caf\u00e9", "river bank"),
        ("cafe\u0301", "river\u00a0bank"),
        ("caf\u00e9 ", "river  bank"),
    ]
    lines = [{"word": w, "sense": s, "sentence": f"*x* {i}"} for i, (w, s) in enumerate(names)]
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    rows = labelled_tables.read(path, Options()).rows
    assert {(row.word, row.sense) for row in rows} == {("caf\u00e9", "river bank")}


# Splits


def test_near_duplicates_stay_on_one_side_and_splits_are_the_same_every_time(
    tmp_path: Path,
) -> None:
    rows = made(Random(5), 12)
    lines = [line_of(row, "position") for row in rows]
    # Every third row has a copy with one more token.
    lines += [{**line, "sentence": f"{line['sentence']} too"} for line in lines[::3]]
    path = tmp_path / "rows.jsonl"
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        run(path, tmp_path / name, seed=seed)
    texts = {
        name: [f.read_text() for f in sorted((tmp_path / name).rglob("*.txt"))]
        for name in ("one", "same", "other")
    }
    assert texts["one"] == texts["same"] != texts["other"]
    alike = 0
    for word in SENSES:
        corpus = read_text(tmp_path / "one" / file_name(word), word)
        group = components(corpus.tokens)
        sides = {(g, s) for g, s in zip(group.tolist(), corpus.split.tolist(), strict=True)}
        assert len(sides) == len(set(group.tolist()))
        alike += len(group) - len(set(group.tolist()))
    assert alike >= 12


def test_sentences_alike_but_for_the_sense_leave_some_of_each(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    texts = [" ".join(f"{letter}{i}" for i in range(9)) for letter in "abcdefgh"]
    lines = [
        {"word": "cell", "sense": sense, "sentence": f"*cell* {text} {sense}"}
        for text in texts
        for sense in ("prison", "tissue")
    ]
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    run(path, tmp_path / "out")
    corpus = read_text(tmp_path / "out" / "cell", "cell")
    # Both sentences of a pair are on the same side, so that both senses are equally frequent.
    for split in ("train", "test"):
        assert len(set(np.bincount(corpus.gold[corpus.split == split]).tolist())) == 1


def test_another_word_moves_no_sentence(tmp_path: Path) -> None:
    rows = [line_of(row, "position") for row in made(Random(7))]
    for name, lines in (("all", rows), ("one", [r for r in rows if r["word"] == "cell"])):
        (tmp_path / f"{name}.tsv").write_text(text_of(lines, ".tsv"), encoding="utf-8")
        run(tmp_path / f"{name}.tsv", tmp_path / name)
    files = ("train.data.txt", "test.gold.txt")
    assert [(tmp_path / "all" / "cell" / f).read_bytes() for f in files] == [
        (tmp_path / "one" / "cell" / f).read_bytes() for f in files
    ]


def test_given_splits_are_kept_and_out_of_domain_is_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    split = ["train", "train", "test", "outofdomain"]
    path.write_text(
        "sense\tsentence\tsplit\n"
        + "".join(
            f"{'ab'[i % 2]}\tthe *x* {n}\t{s}\n"
            for i, (n, s) in enumerate(zip("pqrs", split, strict=True))
        )
    )
    dataset = run(path, tmp_path / "out")
    assert dataset.has_out_of_domain
    assert dataset.sizes == {"x": 4}
    corpus = read_text(tmp_path / "out" / "x", "x", tmp_path / "out" / "outofdomain.tsv")
    assert corpus.split.tolist() == split
    # The folder can be imported again and gives the same files.
    run(tmp_path / "out", tmp_path / "again")
    assert read_manifest(tmp_path / "again" / MANIFEST).digests == dataset.digests
    for gone in ("test", "train"):
        path.write_text(path.read_text().replace(f"\t{gone}\n", "\toutofdomain\n"))
        with pytest.raises(CorpusError, match="senses in the training split"):
            run(path, tmp_path / gone)


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (("Crane", "crane"), "'Crane' and 'crane' count as different words: spell them alike"),
        (("age.n", "age.noun"), "'age.n' and 'age.noun' count as different words"),
        (("crane", "cranes"), None),
        (("run.n", "run.v"), None),
    ],
)
def test_similar_words_give_a_warning(
    tmp_path: Path, words: tuple[str, ...], warning: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [
        f"{word}\t{'ab'[i % 2]}\tthe *{word.partition('.')[0]}* {letter * 3}\n"
        for word in words
        for i, letter in enumerate("pqrs")
    ]
    path = tmp_path / "rows.tsv"
    path.write_text("word\tsense\tsentence\n" + "".join(lines))
    with caplog.at_level("INFO"):
        run(path, tmp_path / "out")
    assert (warning in caplog.text) if warning else "two words" not in caplog.text


@pytest.mark.parametrize(
    ("senses", "warning"),
    [
        (
            ("Bird", "bird"),
            "'Bird' and 'bird' count as different senses of 'crane': spell them alike",
        ),
        (("c.a", "c.s"), None),
    ],
)
def test_similar_senses_give_a_warning(
    tmp_path: Path, senses: tuple[str, str], warning: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [f"crane\t{senses[i % 2]}\tthe *crane* {c * 3}\n" for i, c in enumerate("pqrs")]
    path = tmp_path / "rows.tsv"
    path.write_text("word\tsense\tsentence\n" + "".join(lines))
    with caplog.at_level("INFO"):
        run(path, tmp_path / "out")
    assert (warning in caplog.text) if warning else "two senses" not in caplog.text


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
@pytest.mark.parametrize("shape", ["position", "span"])
def test_numbers_of_a_table_with_gaps(tmp_path: Path, suffix: str, shape: str) -> None:
    """pandas writes whole numbers as floats if the column has gaps."""
    lines = [line_of(row, shape) for row in made(Random(2))]
    for name, number in (("whole", int), ("gaps", float)):
        numbers = [
            {k: number(v) if type(v) is int else v for k, v in line.items()} for line in lines
        ]
        file = tmp_path / f"{name}{suffix}"
        file.write_text(text_of(numbers, suffix), encoding="utf-8", newline="")
    digests = [run(tmp_path / f"{n}{suffix}", tmp_path / n).digests for n in ("whole", "gaps")]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (["sense=a", "sense=word"], "sense=word is not KEY=COLUMN, or one"),
        (["sense=a", "word=a"], "word=a is not KEY=COLUMN, or one"),
    ],
)
def test_duplicate_columns_are_refused(
    tmp_path: Path, columns: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("a\tword\tsentence\nx\tcell\tthe *cell*\n")
    call = ["import", str(path), "--out", str(tmp_path / "out"), "--name", "mine"]
    assert main([*call, "--columns", *columns]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("position", ["1.5", "1e0", "1.00.0", ".0", "NaN", "Infinity"])
def test_numbers_that_are_not_whole(tmp_path: Path, position: str) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(f"sense\tsentence\tposition\na\tx y\t{position}\n")
    with pytest.raises(CorpusError, match="is not a whole number from 0 up"):
        run(path, tmp_path / "out")


def test_offsets_of_other_units_are_explained(tmp_path: Path) -> None:
    """JavaScript counts an emoji as two code units, so the offset is one too large."""
    path = tmp_path / "rows.jsonl"
    line = {"sense": "a", "text": "\U0001f600 my bank here", "start": 6, "end": 10}
    path.write_text(json.dumps(line))
    with pytest.raises(CorpusError, match="part of a word") as caught:
        run(path, tmp_path / "out")
    assert "count characters from 0, not bytes or UTF-16 code units" in str(caught.value.fix)


def test_rare_senses_can_be_left_out(tmp_path: Path) -> None:
    lines = [line_of(row, "position") for row in made(Random(1))]
    lines += [{"word": "cell", "sense": "rare", "sentence": "a cell , once", "position": 1}]
    lines += [{"word": "pit", "sense": "hole", "sentence": "a pit", "position": 1}]
    path = tmp_path / "rows.jsonl"
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    with pytest.raises(CorpusError):
        run(path, tmp_path / "out")
    text = import_corpus([path], out=tmp_path / "out", name="mine", about={}, at_least=2)
    assert "left out: 2 instances of senses with fewer than 2 instances" in text
    assert find_dataset(str(tmp_path / "out" / MANIFEST)).words == tuple(sorted(SENSES))


# The folder


def test_invalid_descriptions_of_a_corpus_are_refused(folder: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    about = {"citation": "@article{x,\n  title = {Y}\n}", "licence_url": "https://x.org"}
    import_corpus([rows], out=tmp_path / "a", name="mine", about=about)
    assert read_manifest(tmp_path / "a" / MANIFEST).citation == "@article{x, title = {Y} }"
    for wrong, where in (
        ({"licence_url": "x.org"}, "--licence-url"),
        ({"title": "a\u202eb"}, "--title"),
    ):
        with pytest.raises(ConfigError) as caught:
            import_corpus([rows], out=tmp_path / "b", name="mine", about=wrong)
        assert caught.value.where == where
        assert not (tmp_path / "b").exists()


def test_a_folder_keeps_its_description_and_counts_losses(folder: Path, tmp_path: Path) -> None:
    (folder / "outofdomain.tsv").write_text("cel\tcell_prison\t0\tcel x\n", encoding="utf-8")
    text = import_corpus([folder], out=tmp_path / "b", name="again", about={"title": "Again"})
    actual = read_manifest(tmp_path / "b" / MANIFEST)
    assert (actual.name, actual.title, actual.licence) == ("again", "Again", "CC0")
    assert "left out: 1 instances of words of outofdomain.tsv that have no folder" in text
    imported = json.loads((tmp_path / "b" / MANIFEST).read_text())["imported"]
    assert str(folder / "cell" / "train.data.txt") in {source["file"] for source in imported}


def test_the_line_for_the_config_can_be_pasted(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "my, out"
    text = import_corpus([tmp_path / "rows.jsonl"], out=out, name="2024", about={})
    assert yaml.safe_load(text.splitlines()[-1]) == {"dataset": {"name": "2024", "path": str(out)}}


def test_a_gold_file_is_not_for_a_table(folder: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    with pytest.raises(ConfigError, match="is a table, for which it has no effect") as error:
        import_corpus([rows], out=tmp_path / "b", name="mine", about={}, gold=rows)
    assert error.value.where == "--gold"
    assert "which is for all-words .xml" in str(error.value)


@pytest.mark.parametrize(
    "name", ["a.xml", pytest.param("train.data.txt", marks=needs("pairs")), "folder"]
)
@pytest.mark.parametrize("option", ["word", "columns", "gold"])
def test_an_option_that_a_kind_of_file_does_not_use_is_refused(
    tmp_path: Path, name: str, option: str
) -> None:
    path = tmp_path / name
    path.mkdir() if name == "folder" else path.write_text("x")
    given: Any = {"word": "cell", "columns": {"sense": "x"}, "gold": path}[option]
    used = name == "train.data.txt" or (option == "gold" and name != "folder")
    with pytest.raises(CorpusError if used else ConfigError) as error:
        import_corpus([path], out=tmp_path / "out", name="mine", **{option: given})
    if not used:
        assert error.value.where == f"--{option}"
        assert "leave out the option, which is for " in str(error.value)


def test_the_manifest_says_how_many_folds_a_word_allows(tmp_path: Path) -> None:
    """Rare senses and near-duplicates allow fewer."""
    lines = [
        {"word": word, "sense": sense, "split": split, "sentence": f"{text} [[{word}]] {text}"}
        for word, n, alike in (("ash", 2, False), ("elm", 9, True), ("oak", 5, False))
        for sense in ("tree", "name")
        for split, number in (("train", n), ("test", 1))
        for i in range(number)
        for text in [f"{word} {sense} {split} {'a' if alike else 'abcdefghi'[i]}"]
    ]
    path, out = tmp_path / "rows.jsonl", tmp_path / "out"
    path.write_text(text_of(lines, ".jsonl"))
    import_corpus([path], out=out, name="mine")
    assert read_manifest(out / MANIFEST).most_folds == {"ash": 2, "elm": 2, "oak": 5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [line_of(row, "brackets") for row in made(Random(2), 4)]
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    import_corpus(
        [path], out=tmp_path / "data", name="mine", about={"title": "Mine", "licence": "CC0"}
    )
    return tmp_path / "data"


def test_the_copy_is_checked(folder: Path, tmp_path: Path) -> None:
    copy(folder, tmp_path / "copy", name="other", title="Others'")
    there = find_dataset(str(tmp_path / "copy" / MANIFEST))
    assert (there.name, there.title, there.licence) == ("other", "Others'", "CC0")
    for file in read_manifest(folder / MANIFEST).digests:
        assert (tmp_path / "copy" / file).read_bytes() == (folder / file).read_bytes()
    changed = folder / "cell" / "test.gold.txt"
    changed.write_text(changed.read_text()[::-1].strip() + "\n\n")
    with pytest.raises(CorpusError, match="has changed since its import") as caught:
        copy(folder, tmp_path / "second", name="other")
    assert caught.value.where == str(changed)
    assert not (tmp_path / "second" / "cell" / "test.gold.txt").exists()
    changed.unlink()
    with pytest.raises(CorpusError, match="missing"):
        copy(folder, tmp_path / "third", name="other")


def test_an_existing_folder_is_kept(folder: Path, tmp_path: Path) -> None:
    before = (folder / MANIFEST).read_bytes()
    with pytest.raises(ConfigError, match="a file, or a folder that is not empty"):
        run(tmp_path / "rows.jsonl", folder)
    assert (folder / MANIFEST).read_bytes() == before
    with pytest.raises(ConfigError, match="a file, or a folder that is not empty"):
        run(tmp_path / "rows.jsonl", folder / MANIFEST)
    shutil.rmtree(folder)
    folder.mkdir()  # an empty one is as good as none
    run(tmp_path / "rows.jsonl", folder)


@pytest.mark.parametrize(
    "change",
    [
        {"format": FORMAT + 1},
        {"words": {}},
        {"words": {"cell": {"n_train": -1, "n_test": 1, "n_out_of_domain": 0}}},
        {"words": {"": {"n_train": 1, "n_test": 1, "n_out_of_domain": 0}}},
        {"files": {"../../etc/passwd": "0" * 64}},
        {"licence_url": "javascript:alert(1)"},
        {"title": "a\u202eb"},
        {"title": 3},
    ],
)
def test_a_broken_manifest_is_refused(folder: Path, change: dict[str, Any]) -> None:
    path = folder / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CorpusError, match="not the manifest of a corpus") as caught:
        read_manifest(path)
    assert caught.value.where == str(path)
    path.write_text("[" * 100_000)
    with pytest.raises(CorpusError):
        read_manifest(path)


@pytest.mark.parametrize(
    "name", ["quickstart", "quickstart-hard", "Logs", "", "a/b", "..", "-x", "a" * 101, "é"]
)
def test_invalid_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="the name"):
        import_corpus([tmp_path / "x.tsv"], out=tmp_path / "out", name=name, about={})


def test_hostile_words(tmp_path: Path) -> None:
    words = ("../x", "CON", "a b", "{word}", "-rf", "é" * 200)
    lines = [
        {"word": word, "sense": sense, "sentence": f"{letter} *it* {sense}{letter}"}
        for word in words
        for sense in ("one", "two")
        for letter in "pqrs"
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text(text_of(lines, ".jsonl"), encoding="utf-8")
    assert set(run(path, tmp_path / "out", any_form=True).words) == set(words)
    run(tmp_path / "out", tmp_path / "again", any_form=True)
    assert sorted(p.name for p in (tmp_path / "again").iterdir()) == sorted(
        [MANIFEST, *map(file_name, words)]
    )


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    rows = [f"cell\t{sense}\tone *cell* of {sense} {i}" for sense in "ab" for i in range(9)]
    (tmp_path / "x.tsv").write_text("\n".join(["word\tsense\tsentence", *rows]))
    (tmp_path / "y.tsv").symlink_to(tmp_path / "x.tsv")
    for second in ("x.tsv", "y.tsv"):
        with pytest.raises(ConfigError, match="twice"):
            files = [tmp_path / "x.tsv", tmp_path / second]
            import_corpus(files, out=tmp_path / "out", name="mine")
    assert not (tmp_path / "out").exists()


def test_senses_are_in_natural_order(tmp_path: Path) -> None:
    senses = ["sense_2", "sense_10", "sense_1", "9" * 5000, "sense_02", "a"]
    rows = [
        f"cell\t{sense}\t"
        + " ".join(f"w{chr(97 + n)}{chr(97 + i)}{k * 'x'}" for k in range(6))
        + " *cell*"
        for n, sense in enumerate(senses)
        for i in range(9)
    ]
    (tmp_path / "x.tsv").write_text("\n".join(["word\tsense\tsentence", *rows]))
    import_corpus([tmp_path / "x.tsv"], out=tmp_path / "out", name="mine")
    assert read_text(tmp_path / "out/cell", "cell").senses == (
        "9" * 5000, "a", "sense_1", "sense_02", "sense_2", "sense_10",
    )  # fmt: skip


ONE = b"word\tsense\tsentence\ncell\tcell_a\tA *cell* divides.\n"


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        ("packed.tsv", gzip.compress(ONE, mtime=0), "compressed"),
        ("unseen.tsv", ONE.replace(b"*cell*", "*\u200b\u2060*".encode()), r"focal word '\\u200b"),
        ("header.tsv", ONE.partition(b"\n")[0], "no sentence"),
        ("half.jsonl", rb'{"word": "a", "sense": "b", "sentence": "\ud800 *c*"}', "lone surrogate"),
        (
            "place.jsonl",
            b'{"sense": "b", "sentence": "x c", "position": 1e999}',
            "not a whole number",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_for_odd_files_have_a_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, raw: bytes, problem: str
) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    assert main(["import", str(path), "--out", str(tmp_path / "out"), "--name", "mine"]) == 3
    err = capsys.readouterr().err
    assert re.search(problem, err) and str(path) in err and "what to do: " in err
    assert not (tmp_path / "out").exists()
