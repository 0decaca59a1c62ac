"""What the labelled sentences of all files, taken together, must hold."""

from collections.abc import Sequence

from wsd.corpora.importer import splits
from wsd.corpora.importer.labelled import Gathered, LabelledSentence
from wsd.errors import CorpusError


def check_contradictions(rows: Sequence[LabelledSentence]) -> None:
    """Refuse a sentence that has two senses."""
    seen: dict[tuple[str, tuple[str, ...], int], LabelledSentence] = {}
    for one in rows:
        first = seen.setdefault((one.word, one.composed, one.position), one)
        if first.sense != one.sense:
            other = f"{first.sense!r} for the same sentence in {first.where}"
            what = f"the sense {one.sense!r}, but {other}"
            raise CorpusError(what, where=one.where, fix="keep one of the two")


def given_splits(rows: Sequence[LabelledSentence]) -> bool:
    """Whether the rows have splits: all of them, or none."""
    with_split = [one for one in rows if one.split]
    if with_split and len(with_split) < len(rows):
        lacking = next(one for one in rows if not one.split)
        what = f"no split, but {with_split[0].where} has one"
        raise CorpusError(what, where=lacking.where, fix="give every line a split, or none")
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
        fix = "see to those" if at_least is None else "see to those, or give a lower --at-least"
        what = f"no word with two senses is left (instances left out: {left_out})"
        raise CorpusError(what, fix=fix)
    return kept


def check_splits(word: str, rows: Sequence[LabelledSentence]) -> None:
    """Refuse a word with one sense to train on, none to test, or a sense to test alone."""
    trained = {one.sense for one in rows if one.split == "train"}
    tests = sum(one.split == "test" for one in rows)
    if len(trained) < 2 or not tests:
        there = f"{len(trained)} senses in the training split and {tests} test instances"
        fix = "give it two senses for training and an instance for testing, or leave it out"
        raise CorpusError(f"the word {word!r} has {there}", where=rows[0].where, fix=fix)
    for one in rows:
        if one.sense not in trained:
            what = f"the sense {one.sense!r} of {word!r} has no training instance"
            fix = "move one of its instances to the training split, or leave it out"
            raise CorpusError(what, where=one.where, fix=fix)
