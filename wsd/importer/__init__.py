"""From labelled sentences of elsewhere to a folder in the corpus format, with a manifest.

The folder has, per word, the files that :func:`wsd.corpus.read_text` reads, and ``dataset.json``:
what the corpus is, where it comes from, how many instances each sense has, and every file's
checksum. It is written whole or not at all, after it has been read back.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from wsd.corpus import OUT_OF_DOMAIN, SPLITS, Corpus, read_text
from wsd.datasets import ABOUT, COUNTS, FILES, FORMAT, FURTHER, MANIFEST, check_name
from wsd.errors import ConfigError, CorpusError, visible
from wsd.files import replacing_folder, sha256
from wsd.importer import allwords, folder, splits, tables, wic
from wsd.importer.rows import ALL_SPLITS, Gathered, LabelledSentence
from wsd.names import file_name

SHARE = 0.3


def build(
    files: Sequence[Path],
    *,
    out: Path,
    name: str,
    about: Mapping[str, str],
    word: str | None = None,
    columns: Mapping[str, str] | None = None,
    gold: Path | None = None,
    at_least: int | None = None,
    share: float = SHARE,
    seed: int = 1,
) -> str:
    """Import files of one kind or several, and say what came of it.

    Parameters
    ----------
    files : sequence of Path
        ``.csv``, ``.tsv``, ``.jsonl``; ``.xml`` with its gold keys; the ``.data.txt`` of WiC; or a
        folder in the corpus format.
    out : Path
        The folder to make.
    name : str
        Of the corpus.
    about : mapping
        ``title``, ``source``, ``licence``, ``licence_url`` and ``citation``, as far as known.
    word, columns
        As in :func:`wsd.importer.tables.read`.
    gold : Path, optional
        The gold keys of the one file, if they are not beside it under its name.
    at_least : int, optional
        Senses with fewer instances are left out, and words with fewer than two senses then.
    share, seed
        As in :func:`wsd.importer.splits.divide`, where the files have no splits.

    Returns
    -------
    str
        A few lines for the terminal.

    Raises
    ------
    ConfigError
        For a name that is none, a share that is no share, or a folder that is there.
    CorpusError
        Naming file and line.
    """
    check_name(name, "--name")
    if not 0 < share < 1:
        raise ConfigError(f"the share {share}", where="--test-share", fix="give one such as 0.3")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(
            "the folder is there and not empty",
            where=str(out),
            fix="delete it, or choose another for --out",
        )
    if gold is not None and len(files) != 1:
        raise ConfigError("one gold file for several files", where="--gold", fix="import one file")
    found = Gathered(about=_about(about))
    for path in files:
        of_file = _read(path, word, columns or {}, gold)
        found.rows += of_file.rows
        found.files += of_file.files
        found.left_out.update(of_file.left_out)
        found.about = _about(of_file.about) | found.about
    check_contradictions(found.rows)
    given = given_splits(found.rows)
    words = by_word(found, at_least)
    if not given:
        words = {of: splits.divide(of, rows, share=share, seed=seed) for of, rows in words.items()}
    for of_word, rows in words.items():
        check_splits(of_word, rows)
    manifest = {
        "format": FORMAT,
        "name": name,
        **dict.fromkeys(ABOUT, ""),
        "title": name,
        **found.about,
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in found.files],
        "split": {"made": False} if given else {"made": True, "test_share": share, "seed": seed},
        "left_out": found.left_out,
        "version": version("wsd"),
    }
    lay_out(out, words, manifest)
    return summary(out, name, words, found.left_out, given)


def _read(path: Path, word: str | None, columns: Mapping[str, str], gold: Path | None) -> Gathered:
    kind = path.suffix.lower()
    if path.is_dir():
        return folder.read(path)
    if kind in tables.KINDS:
        if gold is not None:
            raise ConfigError(
                "a gold file, and a table that has the senses in it",
                where="--gold",
                fix="leave it out",
            )
        return tables.read(path, columns, word)
    if kind == ".xml":
        return allwords.read(path, gold)
    if path.name.lower().endswith(wic.DATA):
        return wic.read(path, gold)
    raise ConfigError(
        f"what kind of file is {path.name!r}?",
        where=str(path),
        fix="give a .csv, .tsv or .jsonl file, an all-words .xml, the .data.txt of WiC, or a "
        "folder in the corpus format",
    )


def _about(given: Mapping[str, str]) -> dict[str, str]:
    """What is said of the corpus, each on one line, as the manifest may have it."""
    said = {key: " ".join((given.get(key) or "").split()) for key in ABOUT}
    for key, text in said.items():
        option = f"--{key.replace('_', '-')}"
        if visible(text) != text:
            raise ConfigError(f"a character in {text!r} that cannot be seen", where=option)
        if key == "licence_url" and text and not text.startswith(("https://", "http://")):
            raise ConfigError(f"{text!r} is no address", where=option, fix="begin with https://")
    return {key: text for key, text in said.items() if text}


def check_contradictions(rows: Sequence[LabelledSentence]) -> None:
    """Refuse a sentence that has two senses."""
    seen: dict[tuple[str, tuple[str, ...], int], LabelledSentence] = {}
    for one in rows:
        first = seen.setdefault((one.word, one.composed, one.position), one)
        if first.sense != one.sense:
            raise CorpusError(
                f"the sense {one.sense!r}, but {first.sense!r} for the same sentence in "
                f"{first.where}",
                where=one.where,
                fix="keep one of the two",
            )


def given_splits(rows: Sequence[LabelledSentence]) -> bool:
    """Whether the rows have splits: all of them, or none."""
    with_split = [one for one in rows if one.split]
    if with_split and len(with_split) < len(rows):
        lacking = next(one for one in rows if not one.split)
        raise CorpusError(
            f"no split, but {with_split[0].where} has one",
            where=lacking.where,
            fix="give every line a split, or none",
        )
    return bool(with_split)


def by_word(found: Gathered, at_least: int | None) -> dict[str, list[LabelledSentence]]:
    """The rows of each word, sorted by word; those with too few instances left out, if asked."""
    words: dict[str, list[LabelledSentence]] = {}
    for one in found.rows:
        words.setdefault(one.word, []).append(one)
    kept = {}
    for word, rows in sorted(words.items()):
        if at_least is not None:
            enough = {s for s, n in splits.independent(rows).items() if n >= at_least}
            before, rows = len(rows), [one for one in rows if one.sense in enough]
            found.left_out[f"senses with fewer than {at_least} instances"] += before - len(rows)
            if len(enough) < 2:
                found.left_out["words with fewer than two senses left"] += len(rows)
                continue
        if len({one.sense for one in rows}) < 2:
            raise CorpusError(
                f"the word {word!r} has one sense, {rows[0].sense!r}: nothing to tell apart",
                where=rows[0].where,
                fix="if it is a form of another word, say which in a column `word` or with --word; "
                "to leave such words out, add --at-least 2",
            )
        kept[word] = rows
    found.left_out = +found.left_out  # no zeros
    if not kept:
        left_out = "; ".join(f"{count} of {reason}" for reason, count in found.left_out.items())
        raise CorpusError(
            f"no word with two senses is left (instances left out: {left_out})",
            fix="see to those" if at_least is None else "see to those, or give a lower --at-least",
        )
    return kept


def check_splits(word: str, rows: Sequence[LabelledSentence]) -> None:
    """Refuse a word with one sense to train on, none to test, or a sense to test alone."""
    trained = {one.sense for one in rows if one.split == "train"}
    tests = sum(one.split == "test" for one in rows)
    if len(trained) < 2 or not tests:
        raise CorpusError(
            f"the word {word!r} has {len(trained)} senses in the training split and {tests} test "
            "instances",
            where=rows[0].where,
            fix="give it two senses for training and an instance for testing, or leave it out",
        )
    for one in rows:
        if one.sense not in trained:
            raise CorpusError(
                f"the sense {one.sense!r} of {word!r} has no training instance",
                where=one.where,
                fix="move one of its instances to the training split, or leave it out",
            )


def lay_out(
    out: Path, words: Mapping[str, Sequence[LabelledSentence]], manifest: dict[str, Any]
) -> None:
    """Write the folder of a corpus and its manifest, once what is written reads as it should."""
    with replacing_folder(out) as made:
        further = [
            f"{word}\t{one.sense}\t{_line(one)}"
            for word, rows in words.items()
            for one in rows
            if one.split == OUT_OF_DOMAIN
        ]
        out_of_domain = made / FURTHER if further else None
        if out_of_domain:
            _put(out_of_domain, further)
        manifest["words"] = {}
        for word, rows in words.items():
            _write_word(made / file_name(word), rows)
            corpus = read_text(made / file_name(word), word, out_of_domain)
            there = Counter(zip(corpus.split.tolist(), corpus.tokens, strict=True))
            if there != Counter((one.split, one.tokens) for one in rows):
                raise AssertionError(f"what was written of {word!r} is not what was read")
            manifest["words"][word] = _counts(corpus)
        files = [path for path in sorted(made.rglob("*.*")) if path.is_file()]
        manifest["files"] = {path.relative_to(made).as_posix(): sha256(path) for path in files}
        # No checksum beside it: people may edit what a corpus is called.
        _put(made / MANIFEST, [json.dumps(manifest, indent=2, ensure_ascii=False)])


def _counts(corpus: Corpus) -> dict[str, Any]:
    count = Counter(zip(corpus.gold.tolist(), corpus.split.tolist(), strict=True))
    senses = {
        sense: {split: count[i, split] for split in ALL_SPLITS}
        for i, sense in enumerate(corpus.senses)
    }
    totals = {
        name: sum(of_sense[split] for of_sense in senses.values())
        for name, split in zip(COUNTS, ALL_SPLITS, strict=True)
    }
    return {"folder": file_name(corpus.word), **totals, "senses": senses}


def _write_word(into: Path, rows: Sequence[LabelledSentence]) -> None:
    into.mkdir()
    numbers = {sense: str(i) for i, sense in enumerate(sorted({one.sense for one in rows}))}
    classes = {number: sense for sense, number in numbers.items()}
    _put(into / FILES[0], [json.dumps(classes, ensure_ascii=False)])
    for split in SPLITS:
        own = [one for one in rows if one.split == split]
        _put(into / f"{split}.data.txt", map(_line, own))
        _put(into / f"{split}.gold.txt", [numbers[one.sense] for one in own])


def _line(one: LabelledSentence) -> str:
    return f"{one.position}\t{' '.join(one.tokens)}"


def _put(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def summary(
    out: Path,
    name: str,
    words: Mapping[str, Sequence[LabelledSentence]],
    left_out: Mapping[str, int],
    given: bool,
) -> str:
    """A few lines on what was imported, and the line for the config."""
    lines = []
    for word, rows in words.items():
        count = Counter((one.sense, one.split) for one in rows)
        senses = ", ".join(
            f"{sense} {count[sense, 'train']} + {count[sense, 'test']}"
            for sense in sorted({one.sense for one in rows})
        )
        lines.append(f"{word}: {senses}")
    lines = lines[:20] + ([f"... and {len(lines) - 20} words more"] if len(lines) > 20 else [])
    how = "as given" if given else "made here, near-duplicates on one side"
    count_words = f"{len(words)} word{'s' if len(words) > 1 else ''}"
    lines.insert(0, f"{count_words}; per sense, training + test instances; splits {how}")
    lines += [f"left out: {count} instances of {reason}" for reason, count in left_out.items()]
    lines += [
        f"written to {out}; in a config:",
        f"  dataset: {{ name: {_yaml(name)}, path: {_yaml(str(out))} }}",
    ]
    return "\n".join(lines)


def _yaml(text: str) -> str:
    """A text as a value in YAML's braces, in quotes where it would not be itself without."""
    try:
        plain = yaml.safe_load(f"{{ x: {text} }}") == {"x": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
