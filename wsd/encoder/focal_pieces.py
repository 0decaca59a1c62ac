"""Where the focal word is among the word pieces, and whether they spell it.

Words are handed to the tokenizer one by one, each with the space before it if the tokenizer takes
that for part of the word (RoBERTa, GPT-2), so that the pieces are those of the running text and
each carries the number of its word. Sentences beyond the model's length lose the words farthest
from the focal one. Left out on purpose: the model.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.encoder.spelling import check_case, normalised, spelling
from wsd.encoder.tokenizer_errors import tokenizing
from wsd.errors import ModelError

# Commas, contractions and a capital: what tokenizers are known to treat each in its own way.
PROBE = "The crane , which can't fly , is n't the Crane 's box ."
# Sentences tokenized at a time: what a tokenizer gives takes some 15 kB each.
CHUNK = 1000


@dataclass(frozen=True)
class Aligned:
    """One instance as the model sees it.

    Attributes
    ----------
    ids : list of int
        Word pieces with special tokens.
    focal, others : list of int
        Positions in ``ids`` of the focal word's pieces, and of all other words' pieces.
    cls : int or None
        Position of ``[CLS]``.
    windowed : bool
        Whether words far from the focal word were left out to keep the length limit.
    segments : list of int or None
        What the tokenizer itself says of segments, where it is not 0 everywhere (XLNet).
    pieces : tuple of str
        The focal word's pieces, before it is masked.
    unknown : bool
        Whether one of them is the tokenizer's unknown piece.
    vanished : int
        Words of the sentence of which the tokenizer leaves nothing.
    special : int
        Words of the sentence that the tokenizer takes for special tokens, such as ``[SEP]``.
    as_text : bool
        Whether the sentence as running text has the very same pieces.
    as_file : bool
        Whether the folder's own ``tokenizer.json`` gives them too.
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
    as_text: bool = True
    as_file: bool = True

    def pooled(self, pooling: str) -> list[int]:
        """The positions whose mean is the focal word's vector: of ``mean``, ``first``, ``last``."""
        if pooling == "first":
            return self.focal[:1]
        return self.focal[-1:] if pooling == "last" else self.focal


class _Word(NamedTuple):
    """The pieces of a word: their numbers in the vocabulary, and how they are spelled."""

    ids: list[int]
    spelled: tuple[str, ...]


class Aligner:
    """A tokenizer, and what was found out about it.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    max_length : int or None
        The pieces that the model takes, special tokens included; None for any number.
    masked : bool
        Whether one mask token takes the place of the focal word.
    file : tokenizers.Tokenizer, optional
        What the folder's own ``tokenizer.json`` holds: transformers builds some tokenizers anew
        from their vocabulary, and then something may be lost.

    Attributes
    ----------
    before, after, segments : list of int
        The special tokens at both ends of every sentence, and the segment ids of those and of
        one word piece between them.
    spaced : bool
        Whether words are handed over with the space before them.

    Raises
    ------
    ModelError
        If the tokenizer gives no word ids, cuts running text across words, lowers the case of
        text that its vocabulary has capitals for, cuts words at random, fails, or has no mask token
        where one is asked for.
    """

    def __init__(
        self, tokenizer: Any, max_length: int | None, *, masked: bool = False, file: Any = None
    ) -> None:
        kind = type(tokenizer).__name__
        if not getattr(tokenizer, "is_fast", False):
            problem = f"{kind} gives no word ids, so the focal word cannot be found"
            raise ModelError(problem, fix="use a model with a tokenizer.json")
        self.tokenizer, self.max_length = tokenizer, max_length
        self.backend = tokenizer.backend_tokenizer
        self.mask: int | None = None
        if masked:
            self.mask = tokenizer.mask_token_id
            if self.mask is None:
                problem = f"{kind} has no mask token to stand for the focal word"
                raise ModelError(
                    problem, fix="use `input: plain`, or an encoder trained with a mask"
                )
        self._special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        if getattr(self.backend.model, "dropout", None):
            problem = f"{kind} cuts words at random: a sentence would get other vectors each time"
            raise ModelError(problem, fix="set `dropout` to null in tokenizer.json")
        with tokenizing():
            check_case(tokenizer)
            (probe,) = self._call([PROBE])
            inner = [i for i, word in enumerate(probe.word_ids) if word is not None]
            first, last = inner[0], inner[-1] + 1
            self.before, self.after = probe.ids[:first], probe.ids[last:]
            self.segments = probe.type_ids[: first + 1] + probe.type_ids[last:]
            self.spaced = self._find_spacing(probe.ids)
        # The very same tokenizer needs no comparing. Only now its settings are those in use.
        same = file is None or file.to_str() == self.backend.to_str()
        self.file = None if same else file
        self._spelled: dict[tuple[str, tuple[str, ...]], bool] = {}

    def _find_spacing(self, pieces: Sequence[int]) -> bool:
        """Whether words take the space before them, so that the probe has these pieces."""
        for spaced in (True, False):
            (words,) = self._cut([PROBE.split()], spaced, {})
            if self._between_ends(word.ids for word in words) == pieces:
                return spaced
        kind = type(self.tokenizer).__name__
        problem = (
            f"{kind} cuts a sentence otherwise than its words, so the focal word cannot be found"
        )
        raise ModelError(problem, fix="use a model whose tokenizer treats a sentence word by word")

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Tokenize every instance and find its focal word.

        Raises
        ------
        ModelError
            If the tokenizer leaves nothing of a focal word, its pieces do not spell it, or it
            alone exceeds the length limit; it names the instance.
        """
        rows = range(len(corpus))
        chunks = (rows[start : start + CHUNK] for start in rows[::CHUNK])
        words: dict[str, _Word] = {}
        with tokenizing(corpus.word):
            return [one for chunk in chunks for one in self._align_rows(corpus, chunk, words)]

    def _align_rows(
        self, corpus: Corpus, rows: range, known: dict[str, _Word]
    ) -> Iterator[Aligned]:
        sentences = [corpus.tokens[row] for row in rows]
        texts = [" ".join(tokens) for tokens in sentences]
        running = [encoding.ids for encoding in self._call(texts)]
        of_file = running
        if self.file is not None:
            of_file = [encoding.ids for encoding in self.file.encode_batch(texts)]
        cut = self._cut(sentences, self.spaced, known)
        for i, (row, words) in enumerate(zip(rows, cut, strict=True)):
            position, name = int(corpus.position[row]), instance_name(corpus, row)
            yield replace(
                self._align(words, sentences[i], position, name),
                as_text=self._between_ends(word.ids for word in words) == running[i],
                as_file=running[i] == of_file[i],
            )

    def _cut(
        self, sentences: Sequence[Sequence[str]], spaced: bool, known: dict[str, _Word]
    ) -> list[list[_Word]]:
        """The pieces of each word of each sentence. Known words are not cut again."""
        handed = [
            [f" {token}" if spaced and i else token for i, token in enumerate(tokens)]
            for tokens in sentences
        ]
        new = list({word: None for words in handed for word in words if word not in known})
        encodings = self.backend.encode_batch(
            [[word] for word in new], is_pretokenized=True, add_special_tokens=False
        )
        for word, encoding in zip(new, encodings, strict=True):
            known[word] = _Word(encoding.ids, tuple(encoding.tokens))
        return [[known[word] for word in words] for words in handed]

    def _between_ends(self, pieces: Iterable[Sequence[int]]) -> list[int]:
        return [*self.before, *chain.from_iterable(pieces), *self.after]

    def _call(self, texts: Sequence[Any], **how: Any) -> list[Any]:
        how |= {"padding": False, "truncation": False, "return_attention_mask": False}
        return self.tokenizer(texts, verbose=False, **how).encodings

    def _align(
        self, words: Sequence[_Word], tokens: Sequence[str], position: int, name: str
    ) -> Aligned:
        pieces = [word.ids for word in words]
        special = [i for i, ids in enumerate(pieces) if self._special.intersection(ids)]
        unknown = self.tokenizer.unk_token_id in pieces[position]
        spelled = words[position].spelled
        self._check_focal(tokens, position, spelled, position in special, unknown, name)
        if self.mask is not None:
            pieces[position] = [self.mask]
        lengths = [len(ids) for ids in pieces]
        kept = self._window(lengths, position, name)
        ids = self._between_ends(pieces[kept.start : kept.stop])
        # Where the pieces of the words begin and end, and those of the focal word.
        begin, end = len(self.before), len(ids) - len(self.after)
        first = begin + sum(lengths[kept.start : position])
        last = first + lengths[position]
        own = [*range(begin), *range(end, len(ids))]
        segments = [*self.segments]
        segments[begin : begin + 1] *= end - begin
        return Aligned(
            ids=ids,
            focal=[*range(first, last)],
            others=[*range(begin, first), *range(last, end)],
            cls=next((i for i in own if ids[i] == self.tokenizer.cls_token_id), None),
            windowed=len(kept) < len(words),
            segments=segments if any(segments) else None,
            pieces=spelled,
            unknown=unknown,
            vanished=lengths.count(0),
            special=len(special),
        )

    def _window(self, lengths: Sequence[int], position: int, name: str) -> range:
        """The words around the focal word that fit, as even on both sides as can be."""
        if self.max_length is None:
            return range(len(lengths))
        room = self.max_length - len(self.before) - len(self.after)
        if sum(lengths) <= room:
            return range(len(lengths))
        room -= lengths[position]
        if room < 0:
            number = lengths[position]
            problem = f"the focal word has {number} pieces, the model takes {self.max_length}"
            raise ModelError(problem, where=name)
        first, last = position, position
        growing = True
        while growing:
            growing = False
            if first > 0 and lengths[first - 1] <= room:
                first, growing = first - 1, True
                room -= lengths[first]
            if last < len(lengths) - 1 and lengths[last + 1] <= room:
                last, growing = last + 1, True
                room -= lengths[last]
        return range(first, last + 1)

    def _check_focal(
        self,
        tokens: Sequence[str],
        position: int,
        pieces: tuple[str, ...],
        special: bool,
        unknown: bool,
        name: str,
    ) -> None:
        """Refuse a focal word of which nothing is left, or that its pieces are not."""
        word = tokens[position]
        if not pieces:
            raise ModelError(
                f"the tokenizer leaves nothing of the focal word {word!r}",
                where=name,
                fix="leave the instance out of the corpus, or use another tokenizer",
            )
        if special:
            problem = f"the focal word {word!r} is a special token of this tokenizer"
            fix = "write the word otherwise in the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        key = (f" {word}" if self.spaced and position else word, pieces)
        if key not in self._spelled:
            self._spelled[key] = spelling(self.backend, pieces) == normalised(self.backend, key[0])
        if not (unknown or self._spelled[key]):
            raise ModelError(
                f"the pieces {' '.join(map(repr, pieces))} do not spell the focal word "
                f"{word!r} of: {' '.join(tokens)}",
                where=name,
                fix="correct the position in the corpus, or use another tokenizer",
            )
