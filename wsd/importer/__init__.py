"""From labelled sentences of elsewhere to a folder in the corpus format, with a manifest.

The folder has, per word, the files that :func:`wsd.corpus.read_text` reads, and ``dataset.json``:
what the corpus is, where it comes from, how many instances each sense has, and every file's
checksum. It is written whole or not at all, after it has been read back.
"""

import json
import logging
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from wsd.corpus import OUT_OF_DOMAIN, SPLITS, Corpus, read_text
from wsd.datasets import ABOUT, COUNTS, FILES, FORMAT, FURTHER, MANIFEST, check_name
from wsd.errors import ConfigError, CorpusError, visible
from wsd.files import sha256
from wsd.importer import splits, tables
from wsd.importer.rows import Found, Row, composed
from wsd.names import file_name

log = logging.getLogger("wsd")

SHARE = 0.3
FIX_FEW = (
    "add instances, merge senses, or leave out what is rare with --at-least N (N instances that "
    "are no near-duplicates of one another, 2 or more), or give every line its split"
)


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
    found = Found(about=_about(about))
    for path in files:
        of_file = _read(path, word, columns or {}, gold)
        found.rows += of_file.rows
        found.files += of_file.files
        found.about = _about(of_file.about) | found.about
        for reason, count in of_file.left_out.items():
            found.leave_out(reason, count)
    _check_contradictions(found.rows)
    given = _given_splits(found.rows)
    words = _by_word(found, at_least)
    divided = {
        one: rows if given else _divide(one, rows, share, seed) for one, rows in words.items()
    }
    for one, rows in divided.items():
        _check_splits(one, rows)
    manifest = {
        "format": FORMAT,
        "name": name,
        **{key: found.about.get(key, "") for key in ABOUT},
        "title": found.about.get("title", name),
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in found.files],
        "split": {"made": not given, **({} if given else {"test_share": share, "seed": seed})},
        "left_out": found.left_out,
        "version": version("wsd"),
    }
    _write(out, divided, manifest)
    return _summary(out, name, divided, found.left_out, given)


def _read(path: Path, word: str | None, columns: Mapping[str, str], gold: Path | None) -> Found:
    if path.is_dir():
        from wsd.importer import folder

        return folder.read(path)
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".jsonl"):
        if gold is not None:
            raise ConfigError(
                "a gold file, and a table that has the senses in it",
                where="--gold",
                fix="leave it out",
            )
        return tables.read(path, columns, word)
    if kind == ".xml":
        from wsd.importer import allwords

        return allwords.read(path, gold)
    if path.name.lower().endswith(".data.txt"):
        from wsd.importer import wic

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


def _check_contradictions(rows: Sequence[Row]) -> None:
    seen: dict[tuple[str, tuple[str, ...], int], Row] = {}
    for one in rows:
        first = seen.setdefault((one.word, composed(one.tokens), one.position), one)
        if first.sense != one.sense:
            raise CorpusError(
                f"the sense {one.sense!r}, but {first.sense!r} for the same sentence in "
                f"{first.where}",
                where=one.where,
                fix="keep one of the two",
            )


def _given_splits(rows: Sequence[Row]) -> bool:
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


def _by_word(found: Found, at_least: int | None) -> dict[str, list[Row]]:
    """The rows of each word, sorted by word; those with too few instances left out, if asked."""
    words: dict[str, list[Row]] = {}
    for one in found.rows:
        words.setdefault(one.word, []).append(one)
    kept = {}
    for word in sorted(words):
        rows = words[word]
        if at_least is not None:
            count = _independent(rows)
            enough = {sense for sense, n in count.items() if n >= at_least}
            few = [one for one in rows if one.sense not in enough]
            found.leave_out(f"senses with fewer than {at_least} instances", len(few))
            rows = [one for one in rows if one.sense in enough]
            if len(enough) < 2:
                found.leave_out("words with fewer than two senses left", len(rows))
                continue
        if len({one.sense for one in rows}) < 2:
            raise CorpusError(
                f"the word {word!r} has one sense, {rows[0].sense!r}: nothing to tell apart",
                where=rows[0].where,
                fix="if it is a form of another word, say which in a column `word` or with --word; "
                "to leave such words out, add --at-least 2",
            )
        kept[word] = rows
    found.left_out = {reason: count for reason, count in found.left_out.items() if count}
    if not kept:
        left_out = "; ".join(f"{count} of {reason}" for reason, count in found.left_out.items())
        raise CorpusError(
            f"no word with two senses is left (instances left out: {left_out})",
            fix="see to those" if at_least is None else "see to those, or give a lower --at-least",
        )
    return kept


def _independent(rows: Sequence[Row]) -> Counter[str]:
    """Instances of each sense, near-duplicates counted once."""
    senses = sorted({one.sense for one in rows})
    gold = np.array([senses.index(one.sense) for one in rows])
    _, of_group = splits.groups([composed(one.tokens) for one in rows], gold)
    return Counter(senses[sense] for sense in of_group.tolist())


def _divide(word: str, rows: Sequence[Row], share: float, seed: int) -> list[Row]:
    senses = sorted({one.sense for one in rows})
    gold = np.array([senses.index(one.sense) for one in rows])
    try:
        tokens = [composed(one.tokens) for one in rows]
        tested = splits.divide(word, tokens, gold, share=share, seed=seed)
    except ValueError as error:
        (sense,) = error.args
        few = next(one for one in rows if one.sense == senses[sense])
        raise CorpusError(
            f"the sense {few.sense!r} of {word!r} has {int((gold == sense).sum())} instances, "
            "near-duplicates of one another or of other senses' sentences, which stay on one side: "
            "none for training, or none for testing",
            where=few.where,
            fix=FIX_FEW,
        ) from None
    return [
        Row(o.where, o.word, o.sense, o.position, o.tokens, "test" if t else "train")
        for o, t in zip(rows, tested.tolist(), strict=True)
    ]


def _check_splits(word: str, rows: Sequence[Row]) -> None:
    trained = {one.sense for one in rows if one.split == "train"}
    if len(trained) < 2 or not any(one.split == "test" for one in rows):
        raise CorpusError(
            f"the word {word!r} has {len(trained)} senses in the training split and "
            f"{sum(one.split == 'test' for one in rows)} test instances",
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


def _write(out: Path, words: Mapping[str, Sequence[Row]], manifest: dict[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        further = [
            "\t".join([word, one.sense, _line(one)])
            for word, rows in words.items()
            for one in rows
            if one.split == OUT_OF_DOMAIN
        ]
        if further:
            _put(made / FURTHER, further)
        for word, rows in words.items():
            _write_word(made / file_name(word), rows)
        out_of_domain = made / FURTHER if further else None
        corpora = {w: read_text(made / file_name(w), w, out_of_domain) for w in words}
        for word, corpus in corpora.items():
            there = Counter(zip(corpus.split.tolist(), corpus.tokens, strict=True))
            if there != Counter((one.split, one.tokens) for one in words[word]):
                raise AssertionError(f"what was written of {word!r} is not what was read")
        manifest["words"] = {word: _counts(corpus) for word, corpus in corpora.items()}
        manifest["files"] = {
            path.relative_to(made).as_posix(): sha256(path)
            for path in sorted(made.rglob("*.*"))
            if path.is_file()
        }
        # No checksum beside it: people may edit what a corpus is called.
        _put(made / MANIFEST, [json.dumps(manifest, indent=2, ensure_ascii=False)])
        umask = os.umask(0)
        os.umask(umask)
        made.chmod(0o777 & ~umask)
        made.rename(out)  # onto nothing, or an empty folder
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _counts(corpus: Corpus) -> dict[str, Any]:
    splits_of = (*SPLITS, OUT_OF_DOMAIN)
    senses = {
        sense: {
            split: int(((corpus.gold == i) & (corpus.split == split)).sum()) for split in splits_of
        }
        for i, sense in enumerate(corpus.senses)
    }
    totals = {n: int((corpus.split == s).sum()) for n, s in zip(COUNTS, splits_of, strict=True)}
    return {"folder": file_name(corpus.word), **totals, "senses": senses}


def _write_word(folder: Path, rows: Sequence[Row]) -> None:
    folder.mkdir()
    numbers = {sense: str(i) for i, sense in enumerate(sorted({one.sense for one in rows}))}
    classes = {number: sense for sense, number in numbers.items()}
    _put(folder / FILES[0], [json.dumps(classes, ensure_ascii=False)])
    for split in SPLITS:
        own = [one for one in rows if one.split == split]
        _put(folder / f"{split}.data.txt", [_line(one) for one in own])
        _put(folder / f"{split}.gold.txt", [numbers[one.sense] for one in own])


def _line(one: Row) -> str:
    return f"{one.position}\t{' '.join(one.tokens)}"


def _put(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def _summary(
    out: Path,
    name: str,
    words: Mapping[str, Sequence[Row]],
    left_out: Mapping[str, int],
    given: bool,
) -> str:
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
