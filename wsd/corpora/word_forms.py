"""Inflect English words, read the forms that the user gives, and compare names of words.

English is inflected by the rules and the irregular forms of ``data/word_forms.toml``. The rules
make too many forms rather than too few (``-oes`` and ``-os``). They avoid forms that are often
another word: *hop* has *hopping*, not *hoping*.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path

from wsd.artifacts.dataset import DATA, ENGLISH
from wsd.artifacts.senses import ADJECTIVE, ADVERB, NOUN, VERB, lemma_and_part
from wsd.corpora.importer.table_files import read_table
from wsd.errors import CorpusError, visible

RULES_OF_FORMS = tomllib.loads((DATA / "word_forms.toml").read_text(encoding="utf-8"))
VERBS, NOUNS, ADJECTIVES = (
    {word: others.split() for word, others in RULES_OF_FORMS[kind].items()}
    for kind in ("verbs", "nouns", "adjectives")
)
VERB_PREFIXES, NOUN_ENDS, COMPARED_ADVERBS, NOT_COMPARED = (
    tuple(RULES_OF_FORMS[kind].split())
    for kind in ("verb_prefixes", "noun_ends", "compared_adverbs", "not_compared")
)
# The columns of a table of forms.
COLUMNS = ("word", "form")
_VOWELS = re.compile(r"[aeiou]+|(?<=.)y+")
# A vowel and a consonant that is doubled before another vowel: stopped, quitting.
_DOUBLED = re.compile(r"(?:(?:^|[^aeiou]|(?<=q)u)[aeiou]|(?<=.)y)([^aeiouwxy])\Z")
# Ends of adjectives of two syllables that take -er and -est.
_COMPARED = re.compile(r"(?:y|e|ow|er|el|et|id)\Z")


def forms(word: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return an English word and its other forms, in lower case; of others, the word alone.

    A word without a known part of speech is a noun. In a verb of several words, the first is
    inflected; otherwise, the last.

    >>> forms("crane"), forms("bass"), forms("deity"), forms("calf")
    (('crane', 'cranes'), ('bass', 'basses'), ('deity', 'deities'), ('calf', 'calfs', 'calves'))
    >>> forms("serve.v"), forms("look_up.verb")[2:4], forms("big.a")
    (('serve', 'serves', 'serveing', 'serving', 'served'), ('looking_up', 'looked_up'), \
('big', 'bigger', 'biggest'))
    """
    lemma, part = lemma_and_part(word)
    if language != ENGLISH:
        return (lemma,)
    lemma = lemma.casefold()
    # A word of a closed class has a single form.
    inflect = _INFLECT.get(part or NOUN, lambda lemma: ())
    return tuple(dict.fromkeys((lemma, *inflect(lemma))))


def _noun_forms(noun: str) -> Iterator[str]:
    if noun in NOUNS:
        yield from NOUNS[noun]
        return
    for end in NOUN_ENDS:
        if noun.endswith(end):
            yield from (noun.removesuffix(end) + other for other in NOUNS[end])
    yield from _replace_end(noun, "plurals")


def _verb_forms(phrase: str) -> Iterator[str]:
    verb, *rest = re.split("(?=[_ ])", phrase, maxsplit=1)
    yield from ("".join((form, *rest)) for form in _forms_of_simple_verb(verb))


def _forms_of_simple_verb(verb: str) -> Iterator[str]:
    yield from _replace_end(verb, "presents")
    yield from (f"{stem}ing" for stem in _stems(verb))
    if verb.endswith("ie"):
        yield f"{verb[:-2]}ying"
    elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        yield f"{verb[:-1]}ing"
    if verb in VERBS:
        yield from VERBS[verb]
        return
    for prefix in VERB_PREFIXES:
        if verb.startswith(prefix) and (bare := verb.removeprefix(prefix)) in VERBS:
            yield from (prefix + other for other in VERBS[bare])
    yield from _append(verb, "ed")


def _adjective_forms(adjective: str) -> Iterator[str]:
    yield from ADJECTIVES.get(adjective, ())
    syllables = len(_VOWELS.findall(adjective))
    short = syllables == 1 or (syllables == 2 and _COMPARED.search(adjective))
    if short and adjective not in ADJECTIVES and adjective not in NOT_COMPARED:
        yield from _append(adjective, "er")
        yield from _append(adjective, "est")


def _adverb_forms(adverb: str) -> Iterable[str]:
    is_compared = adverb in COMPARED_ADVERBS
    return _adjective_forms(adverb) if is_compared else ADJECTIVES.get(adverb, ())


_INFLECT: dict[str, Callable[[str], Iterable[str]]] = {
    NOUN: _noun_forms,
    VERB: _verb_forms,
    ADJECTIVE: _adjective_forms,
    ADVERB: _adverb_forms,
}


def _replace_end(word: str, rules: str) -> Iterator[str]:
    for end, *others in RULES_OF_FORMS[rules]:
        if match := re.search(rf"{end}\Z", word):
            yield from (word[: match.start()] + match.expand(other) for other in others)
            return


def _append(word: str, end: str) -> Iterator[str]:
    """Append an ending that begins with ``e``: used, tried, stopped."""
    if word.endswith("e"):
        yield word + end[1:]
    elif re.search(r"[^aeiou]y\Z", word):
        yield f"{word[:-1]}i{end}"
    else:
        yield from (stem + end for stem in _stems(word))


def _stems(word: str) -> Iterator[str]:
    """Yield the stems before a vowel: both spellings of *travel(l)ed*, one for *stop*."""
    doubled = _DOUBLED.search(word)
    if doubled:
        yield word + ("k" if doubled[1] == "c" else doubled[1])
    if not doubled or doubled[1] in "cs" or len(_VOWELS.findall(word)) > 1:
        yield word


def language_code(text: str) -> str:
    """Return the code of a language without country or script, as two letters where we know them.

    >>> language_code("en-GB"), language_code("eng"), language_code("fr_CA"), language_code("zh")
    ('en', 'en', 'fr', 'zh')
    """
    code = re.split("[-_]", text.strip().lower())[0]
    return {"eng": ENGLISH, "english": ENGLISH, "aze": "az", "tur": "tr"}.get(code, code)


def plain(text: str) -> str:
    """Return a text for comparisons: composed, with single spaces, and without any at the ends."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def plain_name(text: str, kind: str, where: str) -> str:
    """Return the name of a word, a sense or the like for comparisons, as :func:`plain` does.

    Raises
    ------
    CorpusError
        If it is empty or has an invisible character.
    """
    text = plain(text)
    if not text:
        raise CorpusError(f"the {kind} is empty", where=where, fix="fill it in")
    if visible(text) != text:
        problem = f"an invisible character in the {kind} {text!r}"
        raise CorpusError(problem, where=where, fix="delete the character")
    return text


def read_forms(path: Path, encoding: str | None = None) -> dict[str, tuple[str, ...]]:
    """Read a table with the columns ``word`` and ``form``, with a line for each form.

    Raises
    ------
    CorpusError
        For a missing column, and for a word or form that is empty or has an invisible character.
        The error names the file and the line.
    """
    read: dict[str, dict[str, None]] = {}
    for where, values in read_table(path, COLUMNS, encoding):
        word, form = (plain_name(values[name], name, where) for name in COLUMNS)
        read.setdefault(word, {})[form] = None
    if not read:
        fix = "write a word and one of its forms in each line"
        raise CorpusError("the file has no form", where=str(path), fix=fix)
    return {word: tuple(of_word) for word, of_word in read.items()}


def matching_words(name: str, words: Sequence[str]) -> list[str]:
    """Return the words that a name may mean: the word itself, or all words that match equally well.

    The first rule that matches is used: an exact match; ignoring capitals; the same lemma and part
    of speech, however it is written (``.v`` or ``.verb``); the lemma alone.

    >>> matching_words("serve", ["serve.v", "bank"]), matching_words("run", ["run.n", "run.v"])
    (['serve.v'], ['run.n', 'run.v'])
    """
    if name in words:
        return [name]
    folded = name.casefold()
    return (
        [word for word in words if word.casefold() == folded]
        or [word for word in words if _spelling(word) == _spelling(name)]
        or [word for word in words if _spelling(word)[0] == folded]
    )


def similar_names(
    names: Iterable[str],
    kind: str = "words",
    key: Callable[[str], Hashable] = lambda word: _spelling(word),
) -> list[str]:
    """Return a line for each set of names that may mean the same.

    >>> similar_names(["crane", "Crane", "age.n", "run.n", "run.v"])
    ["'Crane' and 'crane' count as different words: spell them alike if they are the same"]

    Parameters
    ----------
    names : iterable of str
    kind : str
        The kind of things that the names mean, in the plural.
    key : function of a name, optional
        Names with the same key may mean the same. By default, these differ only in capitals or in
        how the part of speech is written.
    """
    by_key: dict[Hashable, list[str]] = {}
    for name in sorted(set(names)):
        by_key.setdefault(key(name), []).append(name)
    return [
        f"{' and '.join(map(repr, similar))} count as different {kind}: "
        "spell them alike if they are the same"
        for similar in by_key.values()
        if len(similar) > 1
    ]


def _spelling(word: str) -> tuple[str, str | None]:
    lemma, part = lemma_and_part(word)
    return lemma.casefold(), part
