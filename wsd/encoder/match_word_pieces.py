"""Find the pieces of the focal word in a sentence, and check that they spell it.

An input (:mod:`wsd.artifacts.encoder_input`) gives the words of the text. The tokenizer cuts the
running text, and the characters of a piece say which word it belongs to. Where a piece would cover
the focal word and its neighbour, spaces separate the two first. Sentences above the
model's limit lose the pieces of the words farthest from the focal word, in every copy of the
sentence. The template stays whole.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.encoder_input import (
    NONE,
    PLAIN,
    InputTemplate,
    InputValue,
    InputWord,
    parse_input,
)
from wsd.encoder.load_model import tokenizing
from wsd.errors import ModelError

# Commas, contractions and a capital, because tokenizers treat them differently.
PROBE = "The crane , which can't fly , is n't the Crane 's box ."
# The number of sentences to tokenize at a time. More take longer, because their words live longer
# and the garbage collector looks at them again and again.
CHUNK = 100
# The share of pieces with a capital above which a vocabulary was made for text with capitals.
CASED = 0.05


@dataclass(frozen=True)
class Aligned:
    """The pieces of an instance.

    Attributes
    ----------
    ids : list of int
        The numbers of the word pieces and special tokens.
    focal : list of int
        The positions in ``ids`` of the pieces that are read: the focal word's, unless the input
        reads others.
    others : list of int
        The positions of the pieces of all other words of the sentence, in its last copy.
    cls : int or None
        The position of ``[CLS]``.
    windowed : bool
        Whether the sentence was shortened to the length limit.
    segments : list of int or None
        The segment ids of the tokenizer; None if all are 0.
    pieces : tuple of str
        The pieces of the focal word, also if it is masked or others are read.
    unknown : bool
        Whether the focal word has the tokenizer's unknown piece.
    vanished : int
        The number of words without a piece.
    special : int
        The number of words that the tokenizer takes for special tokens, such as ``[SEP]``.
    within : list of int or None
        The positions of the focal word's pieces in the last copy of the sentence; None for
        ``focal``.
    """

    ids: list[int]
    focal: list[int]
    others: list[int]
    cls: int | None
    windowed: bool
    segments: list[int] | None = None
    pieces: tuple[str, ...] = ()
    unknown: bool = False
    vanished: int = 0
    special: int = 0
    within: list[int] | None = None

    @property
    def sentence(self) -> list[int]:
        """Return the positions of all words' pieces in the last copy of the sentence."""
        return sorted([*(self.focal if self.within is None else self.within), *self.others])

    def pooled(self, pooling: str) -> list[int]:
        """Return the positions whose mean is the vector of the focal word."""
        if pooling == "first":
            return self.focal[:1]
        return self.focal[-1:] if pooling == "last" else self.focal


class Piece(NamedTuple):
    """A piece of a text: its number in the vocabulary, its spelling, segment and word.

    ``word`` is the number of the word that the piece begins in, ``last`` of the one it ends in.
    """

    id: int
    token: str
    segment: int
    word: int
    last: int


class Aligner:
    """A tokenizer that finds the pieces of focal words.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    max_length : int or None
        The most pieces of a sentence, special tokens included; None if there is no limit.
    input : str or mapping
        What the model reads (:mod:`wsd.artifacts.encoder_input`).

    Attributes
    ----------
    before, after, segments : list of int
        The special tokens at both ends of every sentence, and the segment ids of these and of one
        word piece between them.
    skips_first : bool
        Whether the first piece of a text is no context of the focal word.

    Raises
    ------
    ModelError
        If the tokenizer gives no offsets, cuts running text across words or at random, lowers the
        case of text although its vocabulary has capitals, fails, or lacks a mask token or a marker
        that is needed.
    ConfigError
        If there is no such input.
    """

    def __init__(
        self, tokenizer: Any, max_length: int | None, *, input: InputValue | InputTemplate = PLAIN
    ) -> None:
        kind = type(tokenizer).__name__
        if not getattr(tokenizer, "is_fast", False):
            problem = f"{kind} gives no word ids, so the focal word cannot be found"
            raise ModelError(problem, fix="use a model with a tokenizer.json")
        self.tokenizer, self.max_length = tokenizer, max_length
        self.backend = tokenizer.backend_tokenizer
        self.input = parse_input(input)
        self.mask: int | None = tokenizer.mask_token_id if self.input.masked else None
        if self.input.masked and self.mask is None:
            problem = f"{kind} has no mask token to replace the focal word"
            raise ModelError(problem, fix="use `input: plain`, or an encoder trained with a mask")
        self.skips_first = False
        self._special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        if getattr(self.backend.model, "dropout", None):
            problem = f"{kind} cuts words at random: the vectors would change with every run"
            raise ModelError(problem, fix="set `dropout` to null in tokenizer.json")
        self._spelled: dict[tuple[str, tuple[str, ...]], bool] = {}
        with tokenizing():
            check_case(tokenizer)
            (probe,) = self._call([PROBE])
            inner = [i for i, word in enumerate(probe.word_ids) if word is not None]
            first, last = inner[0], inner[-1] + 1
            self.before, self.after = probe.ids[:first], probe.ids[last:]
            self.segments = probe.type_ids[: first + 1] + probe.type_ids[last:]
            self._ends = len(self.before), len(self.after)
            (pieces,) = self._cut([InputTemplate().words(*PROBE.partition("crane"))])
            if any(piece.word != piece.last for piece in pieces):
                problem = f"{kind} cuts a sentence across its words, so the focal word is not found"
                fix = "use a model whose tokenizer cuts a sentence word by word"
                raise ModelError(problem, fix=fix)
            self._check_markers()

    def put_first(self, token: int) -> None:
        """Put a token before every text."""
        self.before, self.segments = [token, *self.before], [self.segments[0], *self.segments]

    def _check_markers(self) -> None:
        """Refuse a marker that is not a single piece."""
        words = self.input.words(*PROBE.partition("crane"))
        (cut,) = self._cut([words])
        for i, word in enumerate(words):
            if word.copy == NONE or word.place != NONE:
                continue
            # The space before a marker may be a piece of its own.
            own = [p.id for p in cut if p.word == i and spelling(self.backend, [p.token])]
            if len(own) != 1 or own[0] == self.tokenizer.unk_token_id:
                text = "crane".join(self.input.mark)
                problem = f"{type(self.tokenizer).__name__} has no token {word.text!r} in {text!r}"
                fix = "give markers that the model was trained with (`mark` of the model's `input`)"
                raise ModelError(problem, fix=fix)

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Tokenize every instance and find its focal word.

        Raises
        ------
        ModelError
            If the focal word has no pieces, is not what its pieces spell, is a special token, or
            exceeds the length limit; the error names the instance.
        """
        rows = range(len(corpus))
        chunks = (rows[start : start + CHUNK] for start in rows[::CHUNK])
        with tokenizing(corpus.word):
            return [instance for chunk in chunks for instance in self._align_rows(corpus, chunk)]

    def _align_rows(self, corpus: Corpus, rows: range) -> Iterator[Aligned]:
        parts = [corpus.parts(row) for row in rows]
        texts = [self.input.words(*own) for own in parts]
        for row, own, words, pieces in zip(rows, parts, texts, self._cut(texts), strict=True):
            (left, word, right), name = own, instance_name(corpus, row)
            position = len(left.split())
            across = [words[p.word : p.last + 1] for p in pieces if p.word < p.last]
            if any(covered.place == position for several in across for covered in several):
                words = self.input.words(f"{left} ", word, f" {right}")
                (pieces,) = self._cut([words])
            read = max(i for i, word in enumerate(words) if word.place == position)
            focal = [piece for piece in pieces if piece.word == read]
            self._check_focal(words[read], focal, name, "".join(own))
            yield self._align(words, pieces, focal, position, name)

    def _call(self, texts: Sequence[str]) -> list[Any]:
        options = {"padding": False, "truncation": False, "return_attention_mask": False}
        return self.tokenizer(texts, verbose=False, **options).encodings

    def _cut(self, texts: Sequence[Sequence[InputWord]]) -> Iterator[list[Piece]]:
        """Yield the pieces of each text, without the special tokens at its ends."""
        written = ["".join(word.before + word.text for word in words) for words in texts]
        for words, text, encoding in zip(texts, written, self._call(written), strict=True):
            ends = [*accumulate(len(word.before + word.text) for word in words)]
            before, after = self._ends
            inner = slice(before, len(encoding.ids) - after)
            pieces = []
            for number, token, segment, (start, end) in zip(
                encoding.ids[inner],
                encoding.tokens[inner],
                encoding.type_ids[inner],
                encoding.offsets[inner],
                strict=True,
            ):
                # A piece that is only the space before a word belongs to the word.
                while start < end and text[start].isspace():
                    start += 1
                first, last = (min(bisect_right(ends, i), len(ends) - 1) for i in (start, end - 1))
                pieces.append(Piece(number, token, segment, first, max(first, last)))
            yield pieces

    def _align(
        self,
        words: Sequence[InputWord],
        pieces: Sequence[Piece],
        focal: Sequence[Piece],
        position: int,
        name: str,
    ) -> Aligned:
        copy = self.input.copies[-1]
        last_copy = [i for i, word in enumerate(words) if word.copy == copy and word.place != NONE]
        ids_of: dict[int, list[int]] = {i: [] for i in last_copy}
        for piece in pieces:
            if piece.word in ids_of:
                ids_of[piece.word].append(piece.id)
        if self.mask is not None:
            first = {
                id(next(p for p in pieces if p.word == i)): self.mask
                for i, word in enumerate(words)
                if word.place == position
            }
            pieces = [
                p._replace(id=first.get(id(p), p.id))
                for p in pieces
                if words[p.word].place != position or id(p) in first
            ]
        room = self.max_length and self.max_length - len(self.before) - len(self.after)
        kept = self._fitting(words, pieces, position, room)
        if kept is None:
            count = len(focal) if self.mask is None else 1
            problem = f"the focal word has {count} pieces, the limit is {self.max_length}"
            if not self.input.name:
                problem += f" with the template {self.input.template!r}"
            raise ModelError(problem, where=name)
        begin = len(self.before)
        places: dict[int, list[int]] = {}
        for place, piece in enumerate(kept, start=begin):
            places.setdefault(piece.word, []).append(place)
        ids = [*self.before, *(piece.id for piece in kept), *self.after]
        end = begin + len(kept)
        read = max(i for i in places if words[i].place == position)
        if self.input.read == "last":
            read_places = [end - 1]
        elif self.input.read == "mark":
            marks = [i for i, word in enumerate(words) if word.copy == copy and word.place == NONE]
            read_places = [places[i][-1] for i in marks]  # a space may come before a marker
        else:
            read_places = places[read]
        segments = [*self.segments[:begin], *(p.segment for p in kept), *self.segments[begin + 1 :]]
        added = [*range(begin), *range(end, len(ids))]
        others = [p for i in last_copy if words[i].place != position for p in places.get(i, ())]
        return Aligned(
            ids=ids,
            focal=read_places,
            others=[place for place in others if place or not self.skips_first],
            within=[p for i in last_copy if words[i].place == position for p in places[i]],
            cls=next((i for i in added if ids[i] == self.tokenizer.cls_token_id), None),
            windowed=len(kept) < len(pieces),
            segments=segments if any(segments) else None,
            pieces=tuple(piece.token for piece in focal),
            unknown=self.tokenizer.unk_token_id in [piece.id for piece in focal],
            vanished=sum(not ids for ids in ids_of.values()),
            special=sum(not self._special.isdisjoint(ids) for ids in ids_of.values()),
        )

    def _fitting(
        self, words: Sequence[InputWord], pieces: Sequence[Piece], position: int, room: int | None
    ) -> Sequence[Piece] | None:
        """Return the pieces that fit; None if the template and the focal word alone do not."""
        if room is None or len(pieces) <= room:
            return pieces
        sizes = Counter(words[piece.word].place for piece in pieces)
        lengths = [sizes[place] for place in range(1 + max(word.place for word in words))]
        kept = words_that_fit(lengths, position, room - sizes[NONE])
        return [p for p in pieces if words[p.word].place in (NONE, *kept)] if kept else None

    def _check_focal(
        self, word: InputWord, pieces: Sequence[Piece], name: str, sentence: str
    ) -> None:
        if not pieces:
            problem = f"the tokenizer leaves nothing of the focal word {word.text!r}"
            fix = "leave the instance out of the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        ids, tokens_of = {piece.id for piece in pieces}, tuple(piece.token for piece in pieces)
        if not self._special.isdisjoint(ids):
            problem = f"the focal word {word.text!r} is a special token of this tokenizer"
            fix = "spell the word differently in the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        key = (word.text, tokens_of)
        if key not in self._spelled:
            spelled = spelling(self.backend, tokens_of)
            self._spelled[key] = spelled == normalised(self.backend, word.text)
        if not (self.tokenizer.unk_token_id in ids or self._spelled[key]):
            shown = f"the pieces {' '.join(map(repr, tokens_of))}"
            problem = f"{shown} do not spell the focal word {word.text!r} of: {sentence}"
            fix = "correct the position in the corpus, or use another tokenizer"
            if not self.input.name:
                fix = f"put a space on both sides of {{word}} and {{sentence}}; or {fix}"
            raise ModelError(problem, where=name, fix=fix)


def words_that_fit(lengths: Sequence[int], position: int, room: int) -> range:
    """Return the words around the focal word that fit, in turn from both sides.

    Parameters
    ----------
    lengths : sequence of int
        The number of pieces of each word of the sentence.
    position : int
        The number of the focal word.
    room : int
        The most pieces.

    Returns
    -------
    range
        It is empty if not even the focal word fits.
    """
    if sum(lengths) <= room:
        return range(len(lengths))
    room -= lengths[position]
    if room < 0:
        return range(0)
    first, last, words = position, position, 0
    while words < last + 1 - first:
        words = last + 1 - first
        if first > 0 and lengths[first - 1] <= room:
            first -= 1
            room -= lengths[first]
        if last < len(lengths) - 1 and lengths[last + 1] <= room:
            last += 1
            room -= lengths[last]
    return range(first, last + 1)


def spelling(backend: Any, pieces: Sequence[str]) -> str:
    """Return the text of word pieces, without white space and its marks."""
    return _letters(backend.decoder.decode(list(pieces)) if backend.decoder else "".join(pieces))


def normalised(backend: Any, token: str) -> str:
    """Return a token as the tokenizer normalises it, without white space and its marks."""
    return _letters(backend.normalizer.normalize_str(token) if backend.normalizer else token)


def _letters(text: str) -> str:
    return "".join(text.replace("▁", " ").split())


def check_case(tokenizer: Any) -> None:
    """Refuse a tokenizer that lowers the case of text although its vocabulary has capitals.

    Raises
    ------
    ModelError
    """
    normalizer = tokenizer.backend_tokenizer.normalizer
    if normalizer is None or "A" in normalizer.normalize_str("A"):
        return
    added = set(tokenizer.get_added_vocab())
    pieces = [piece for piece in tokenizer.get_vocab() if piece not in added]
    capitals = sum(any("A" <= letter <= "Z" for letter in piece) for piece in pieces)
    if capitals > CASED * len(pieces):
        raise ModelError(
            f"{type(tokenizer).__name__} lowers the case of text, but {capitals} of the "
            f"{len(pieces)} pieces of its vocabulary have capitals",
            fix='copy the model to a folder, set "do_lower_case": false in its '
            "tokenizer_config.json, and name the folder as the model's `path`",
        )
