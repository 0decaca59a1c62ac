"""Inflect English words: rules for each part of speech, and a list of irregular forms.

The rules make too many forms rather than too few (``-oes`` and ``-os``). They avoid forms that are
often another word: *hop* has *hopping*, not *hoping*.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping

from wsd.artifacts.dataset import DATA, ENGLISH
from wsd.artifacts.parts_of_speech import ADJECTIVE, ADVERB, NOUN, VERB, lemma_and_part

_IRREGULAR = tomllib.loads((DATA / "irregular_forms.toml").read_text(encoding="utf-8"))


def _forms_of(kind: str) -> Mapping[str, tuple[str, ...]]:
    return {word: tuple(others.split()) for word, others in _IRREGULAR[kind].items()}


VERBS, NOUNS, ADJECTIVES = map(_forms_of, ("verbs", "nouns", "adjectives"))
VERB_PREFIXES, NOUN_ENDS, COMPARED_ADVERBS, NOT_COMPARED = (
    tuple(_IRREGULAR[kind].split())
    for kind in ("verb_prefixes", "noun_ends", "compared_adverbs", "not_compared")
)
# The end of a word, and what replaces it in the plural. The first that fits is used.
_PLURALS = (
    (r"is", "es", "ises"),
    (r"([aeiou]z)", r"\1es", r"\1zes"),  # topazes, quizzes
    (r"(s|x|z|sh)", r"\1es"),
    (r"ch", "ches", "chs"),  # churches, stomachs
    (r"([^aeiou])y", r"\1ies"),
    (r"([^aeiou]o)", r"\1s", r"\1es"),
    (r"([^f])(fe?)", r"\1\2s", r"\1ves"),
    (r"man", "men", "mans"),  # women, Germans
    (r"", "s"),
)
# The same for the present of a verb.
_PRESENTS = (
    (r"([aeiou])([sz])", r"\1\2es", r"\1\2\2es"),  # focuses, gasses
    *_PLURALS[2:6],
    (r"", "s"),
)
_VOWELS = re.compile(r"[aeiou]+|(?<=.)y+")
# A vowel and a consonant that is doubled before another vowel: stopped, quitting.
_DOUBLED = re.compile(r"(?:(?:^|[^aeiou]|(?<=q)u)[aeiou]|(?<=.)y)([^aeiouwxy])\Z")
# Ends of adjectives of two syllables that take -er and -est.
_COMPARED = re.compile(r"(?:y|e|ow|er|el|et|id)\Z")
_GAP = re.compile(r"[_ ]")


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
    rules = _RULES.get(part or NOUN)
    return tuple(dict.fromkeys((lemma, *(rules(lemma) if rules else ()))))


def _noun_forms(noun: str) -> Iterator[str]:
    if noun in NOUNS:
        yield from NOUNS[noun]
        return
    for end in NOUN_ENDS:
        if noun.endswith(end):
            yield from (noun.removesuffix(end) + other for other in NOUNS[end])
    yield from _replace_end(noun, _PLURALS)


def _verb_forms(phrase: str) -> Iterator[str]:
    gap = _GAP.search(phrase)
    verb, rest = (phrase[: gap.start()], phrase[gap.start() :]) if gap else (phrase, "")
    yield from (form + rest for form in _forms_of_simple_verb(verb))


def _forms_of_simple_verb(verb: str) -> Iterator[str]:
    yield from _replace_end(verb, _PRESENTS)
    yield from (f"{stem}ing" for stem in _stems(verb))
    if verb.endswith("e"):
        if not verb.endswith(("ee", "ie", "oe", "ye")) and verb != "be":
            yield f"{verb[:-1]}ing"
        if verb.endswith("ie"):
            yield f"{verb[:-2]}ying"
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


def _adverb_forms(adverb: str) -> Iterator[str]:
    yield from (
        _adjective_forms(adverb) if adverb in COMPARED_ADVERBS else ADJECTIVES.get(adverb, ())
    )


# A word of a closed class has a single form.
_RULES = {NOUN: _noun_forms, VERB: _verb_forms, ADJECTIVE: _adjective_forms, ADVERB: _adverb_forms}


def _replace_end(word: str, rules: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    for end, *others in rules:
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
