"""The forms of English words, by rules of their part of speech and lists of what no rule makes.

Rules make too many forms rather than too few (``-oes`` and ``-os``), but none for which another
word would often be taken: *hop* has *hopping*, not *hoping*.
"""

import re
from collections.abc import Iterator

from wsd.artifacts.parts_of_speech import ADJECTIVE, ADVERB, NOUN, VERB, lemma_and_part
from wsd.corpora.irregular_forms import (
    ADJECTIVES,
    COMPARED_ADVERBS,
    NOT_COMPARED,
    NOUN_ENDS,
    NOUNS,
    VERB_PREFIXES,
    VERBS,
)

# The end of a word, and what takes its place in the plural: the first that fits.
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
# The same in a verb's present.
_PRESENTS = (
    (r"([aeiou])([sz])", r"\1\2es", r"\1\2\2es"),  # focuses, gasses
    *_PLURALS[2:6],
    (r"", "s"),
)
_VOWELS = re.compile(r"[aeiou]+|(?<=.)y+")
# One vowel and a consonant, which is written twice before another vowel: stopped, quitting.
_DOUBLED = re.compile(r"(?:(?:^|[^aeiou]|(?<=q)u)[aeiou]|(?<=.)y)([^aeiouwxy])\Z")
# Of two syllables, what takes -er and -est.
_COMPARED = re.compile(r"(?:y|e|ow|er|el|et|id)\Z")
_GAP = re.compile(r"[_ ]")


def forms(word: str) -> tuple[str, ...]:
    """A word and its other forms, in small letters; a word without a known tag is a noun.

    Of several words in one it is the last that changes, of a verb the first.

    >>> forms("crane"), forms("bass"), forms("deity"), forms("calf")
    (('crane', 'cranes'), ('bass', 'basses'), ('deity', 'deities'), ('calf', 'calfs', 'calves'))
    >>> forms("serve.v"), forms("look_up.verb")[2:4], forms("big.a")
    (('serve', 'serves', 'serveing', 'serving', 'served'), ('looking_up', 'looked_up'), \
('big', 'bigger', 'biggest'))
    """
    lemma, part = lemma_and_part(word)
    lemma = lemma.casefold()
    rules = _RULES.get(part or NOUN)
    return tuple(dict.fromkeys((lemma, *(rules(lemma) if rules else ()))))


def _of_noun(noun: str) -> Iterator[str]:
    if noun in NOUNS:
        yield from NOUNS[noun]
        return
    for end in NOUN_ENDS:
        if noun.endswith(end):
            yield from (noun.removesuffix(end) + other for other in NOUNS[end])
    yield from _replaced(noun, _PLURALS)


def _of_verb(phrase: str) -> Iterator[str]:
    gap = _GAP.search(phrase)
    verb, rest = (phrase[: gap.start()], phrase[gap.start() :]) if gap else (phrase, "")
    yield from (form + rest for form in _of_one_verb(verb))


def _of_one_verb(verb: str) -> Iterator[str]:
    yield from _replaced(verb, _PRESENTS)
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
    yield from _ended(verb, "ed")


def _of_adjective(adjective: str) -> Iterator[str]:
    yield from ADJECTIVES.get(adjective, ())
    syllables = len(_VOWELS.findall(adjective))
    short = syllables == 1 or (syllables == 2 and _COMPARED.search(adjective))
    if short and adjective not in ADJECTIVES and adjective not in NOT_COMPARED:
        yield from _ended(adjective, "er")
        yield from _ended(adjective, "est")


def _of_adverb(adverb: str) -> Iterator[str]:
    yield from _of_adjective(adverb) if adverb in COMPARED_ADVERBS else ADJECTIVES.get(adverb, ())


# A word of a closed class has one form.
_RULES = {NOUN: _of_noun, VERB: _of_verb, ADJECTIVE: _of_adjective, ADVERB: _of_adverb}


def _replaced(word: str, rules: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    for end, *others in rules:
        if match := re.search(rf"{end}\Z", word):
            yield from (word[: match.start()] + match.expand(other) for other in others)
            return


def _ended(word: str, end: str) -> Iterator[str]:
    """With an end that begins with ``e``: used, tried, stopped."""
    if word.endswith("e"):
        yield word + end[1:]
    elif re.search(r"[^aeiou]y\Z", word):
        yield f"{word[:-1]}i{end}"
    else:
        yield from (stem + end for stem in _stems(word))


def _stems(word: str) -> Iterator[str]:
    """What an end with a vowel is put to: both spellings of *travel(l)ed*, of *stop* the one."""
    doubled = _DOUBLED.search(word)
    if doubled:
        yield word + ("k" if doubled[1] == "c" else doubled[1])
    if not doubled or doubled[1] in "cs" or len(_VOWELS.findall(word)) > 1:
        yield word
