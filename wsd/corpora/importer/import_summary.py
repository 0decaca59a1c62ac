"""The summary that an import shows at its end."""

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import yaml

from wsd.artifacts.fold_table import K
from wsd.corpora.importer.input_formats import Request
from wsd.logs import log

# How many lines or words are shown.
SHOWN = 20


def too_small(most_folds: Mapping[str, int]) -> list[str]:
    """Return a line about words that have too few sentences for the default number of folds."""
    small = {word: n for word, n in most_folds.items() if n < K}
    if not small:
        return []
    if len(small) < len(most_folds):
        problem = f"words that are not tuned with the default of {K} folds"
        fix = "to tune them, set `tuning: {folds: N}` in the config"
    else:
        problem = f"no word has enough training sentences for the default of {K} folds"
        fewer = "set fewer, such as `tuning: {folds: 2}`, or " if max(small.values()) > 1 else ""
        fix = (
            f"in the config, {fewer}give one layer choice and one classifier without lists of "
            "values, so that nothing has to be selected"
        )
    words = [f"{word} {n}" for word, n in sorted(small.items(), key=itemgetter(1))]
    return [f"{problem} (most folds: {', '.join(shorten(words, 'words'))}); {fix}"]


def shorten(lines: Sequence[str], kind: str) -> list[str]:
    """Return the first lines, and the number of the others, which are called ``kind``."""
    more = [f"... and {len(lines) - SHOWN} more {kind}"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]


def log_all(lines: Iterable[str], kind: str) -> None:
    """Log the lines of :func:`shorten`."""
    for line in shorten(list(lines), kind):
        log.info(line)


def plural(number: int, noun: str) -> str:
    """Return a number and a noun.

    >>> plural(1, "word"), plural(2, "word")
    ('1 word', '2 words')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def summary(lines: Iterable[str], request: Request) -> str:
    """Return the text of a summary, which ends with the lines for a config."""
    name, path = as_yaml(request.args.name), as_yaml(str(request.args.out))
    end = (
        f"written to {request.args.out}; in a config:",
        f"  dataset: {{ name: {name}, path: {path} }}",
    )
    return "\n".join([*lines, *end])


def as_yaml(text: str) -> str:
    """Return a text as a value inside YAML's braces, in quotes if it needs them."""
    try:
        # A text that begins like a number may be a number in another version of YAML.
        plain = text[:1] not in "+-.0123456789"
        plain = plain and yaml.safe_load(f"{{ x: {text} }}") == {"x": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
