"""Find the pieces of the focal word in a sentence, and check that they spell it.

The tokenizer gets the words one by one, each with the space before it if that is part of the word
(RoBERTa, GPT-2). So the pieces are the same as in running text, and the word of each is known.
Sentences above the model's limit lose the words farthest from the focal word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.encoder.piece_spelling import check_case, normalised, spelling
from wsd.encoder.tokenizer_errors import tokenizing
from wsd.errors import ModelError

# Commas, contractions and a capital, because tokenizers treat them differently.
PROBE = "The crane , which can't fly , is n't the Crane 's box ."
# The number of sentences to tokenize at a time. The result takes some 15 kB per sentence.
CHUNK = 1000


@dataclass(frozen=True)
class Aligned:
    """The pieces of an instance.

    Attributes
    ----------
    ids : list of int
        The numbers of the word pieces and special tokens.
    focal, others : list of int
        The positions in ``ids`` of the focal word's pieces, and of all other words' pieces.
    cls : int or None
        The position of ``[CLS]``.
    windowed : bool
        Whether the sentence was shortened to the length limit.
    segments : list of int or None
        The segment ids of the tokenizer; None if all are 0.
    pieces : tuple of str
        The pieces of the focal word, also if it is masked.
    unknown : bool
        Whether the focal word has the tokenizer's unknown piece.
    vanished : int
        The number of words without a piece.
    special : int
        The number of words that the tokenizer takes for special tokens, such as ``[SEP]``.
    as_text : bool
        Whether the sentence has the same pieces as running text.
    as_file : bool
        Whether the folder's ``tokenizer.json`` gives the same pieces as running text.
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
        """Return the positions whose mean is the vector of the focal word."""
        if pooling == "first":
            return self.focal[:1]
        return self.focal[-1:] if pooling == "last" else self.focal


class _Word(NamedTuple):
    """The pieces of a word: their numbers in the vocabulary, and their spelling."""

    ids: list[int]
    spelled: tuple[str, ...]


class Aligner:
    """A tokenizer that finds the pieces of focal words.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    max_length : int or None
        The most pieces of a sentence, special tokens included; None if there is no limit.
    masked : bool
        Whether one mask token replaces the focal word.
    file : tokenizers.Tokenizer, optional
        The tokenizer of the folder's ``tokenizer.json``, to compare with. transformers builds some
        tokenizers from their vocabulary instead, which may cut words differently.

    Attributes
    ----------
    before, after, segments : list of int
        The special tokens at both ends of every sentence, and the segment ids of these and of one
        word piece between them.
    spaced : bool
        Whether the space before a word is part of the word.

    Raises
    ------
    ModelError
        If the tokenizer gives no word ids, cuts running text across words or at random, lowers the
        case of text although its vocabulary has capitals, fails, or lacks a mask token that is
        needed.
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
        self.mask: int | None = tokenizer.mask_token_id if masked else None
        if masked and self.mask is None:
            problem = f"{kind} has no mask token to replace the focal word"
            raise ModelError(problem, fix="use `input: plain`, or an encoder trained with a mask")
        self._special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        if getattr(self.backend.model, "dropout", None):
            problem = f"{kind} cuts words at random: the vectors would change with every run"
            raise ModelError(problem, fix="set `dropout` to null in tokenizer.json")
        with tokenizing():
            check_case(tokenizer)
            (probe,) = self._call([PROBE])
            inner = [i for i, word in enumerate(probe.word_ids) if word is not None]
            first, last = inner[0], inner[-1] + 1
            self.before, self.after = probe.ids[:first], probe.ids[last:]
            self.segments = probe.type_ids[: first + 1] + probe.type_ids[last:]
            self.spaced = self._find_spacing(probe.ids)
        # Compared after the calls above, which change the settings of the backend.
        same = file is None or file.to_str() == self.backend.to_str()
        self.file = None if same else file
        self._spelled: dict[tuple[str, tuple[str, ...]], bool] = {}

    def _find_spacing(self, pieces: Sequence[int]) -> bool:
        """Return whether words include the space before them, so that the probe has its pieces."""
        for spaced in (True, False):
            (words,) = self._cut([PROBE.split()], spaced, {})
            if self._between_ends(word.ids for word in words) == pieces:
                return spaced
        kind = type(self.tokenizer).__name__
        problem = f"{kind} cuts a sentence across its words, so the focal word cannot be found"
        raise ModelError(problem, fix="use a model whose tokenizer cuts a sentence word by word")

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
        words: dict[str, _Word] = {}
        with tokenizing(corpus.word):
            return [
                instance for chunk in chunks for instance in self._align_rows(corpus, chunk, words)
            ]

    def _align_rows(
        self, corpus: Corpus, rows: range, known: dict[str, _Word]
    ) -> Iterator[Aligned]:
        sentences = [corpus.tokens[row] for row in rows]
        texts = [" ".join(tokens) for tokens in sentences]
        running = [encoding.ids for encoding in self._call(texts)]
        by_file = running
        if self.file is not None:
            by_file = [encoding.ids for encoding in self.file.encode_batch(texts)]
        cut = self._cut(sentences, self.spaced, known)
        for i, (row, words) in enumerate(zip(rows, cut, strict=True)):
            position, name = int(corpus.position[row]), instance_name(corpus, row)
            yield replace(
                self._align(words, sentences[i], position, name),
                as_text=self._between_ends(word.ids for word in words) == running[i],
                as_file=running[i] == by_file[i],
            )

    def _cut(
        self, sentences: Sequence[Sequence[str]], spaced: bool, known: dict[str, _Word]
    ) -> list[list[_Word]]:
        """Return the pieces of each word of each sentence, and add new words to ``known``."""
        texts = [
            [f" {token}" if spaced and i else token for i, token in enumerate(tokens)]
            for tokens in sentences
        ]
        new = list({word: None for words in texts for word in words if word not in known})
        encodings = self.backend.encode_batch(
            [[word] for word in new], is_pretokenized=True, add_special_tokens=False
        )
        for word, encoding in zip(new, encodings, strict=True):
            known[word] = _Word(encoding.ids, tuple(encoding.tokens))
        return [[known[word] for word in words] for words in texts]

    def _between_ends(self, pieces: Iterable[Sequence[int]]) -> list[int]:
        return [*self.before, *chain.from_iterable(pieces), *self.after]

    def _call(self, texts: Sequence[str]) -> list[Any]:
        options = {"padding": False, "truncation": False, "return_attention_mask": False}
        return self.tokenizer(texts, verbose=False, **options).encodings

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
        # All words have the positions from `begin` to `end`, the focal word from `first` to `last`.
        begin, end = len(self.before), len(ids) - len(self.after)
        first = begin + sum(lengths[kept.start : position])
        last = first + lengths[position]
        added = [*range(begin), *range(end, len(ids))]
        segments = [*self.segments]
        segments[begin : begin + 1] *= end - begin
        return Aligned(
            ids=ids,
            focal=[*range(first, last)],
            others=[*range(begin, first), *range(last, end)],
            cls=next((i for i in added if ids[i] == self.tokenizer.cls_token_id), None),
            windowed=len(kept) < len(words),
            segments=segments if any(segments) else None,
            pieces=spelled,
            unknown=unknown,
            vanished=lengths.count(0),
            special=len(special),
        )

    def _window(self, lengths: Sequence[int], position: int, name: str) -> range:
        """Return the words around the focal word that fit, in turn from both sides."""
        limit = self.max_length
        if limit is None or sum(lengths) <= limit - len(self.before) - len(self.after):
            return range(len(lengths))
        room = limit - len(self.before) - len(self.after) - lengths[position]
        if room < 0:
            problem = f"the focal word has {lengths[position]} pieces, the limit is {limit}"
            raise ModelError(problem, where=name)
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

    def _check_focal(
        self,
        tokens: Sequence[str],
        position: int,
        pieces: tuple[str, ...],
        special: bool,
        unknown: bool,
        name: str,
    ) -> None:
        word = tokens[position]
        if not pieces:
            problem = f"the tokenizer leaves nothing of the focal word {word!r}"
            fix = "leave the instance out of the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        if special:
            problem = f"the focal word {word!r} is a special token of this tokenizer"
            fix = "spell the word differently in the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        key = (f" {word}" if self.spaced and position else word, pieces)
        if key not in self._spelled:
            self._spelled[key] = spelling(self.backend, pieces) == normalised(self.backend, key[0])
        if not (unknown or self._spelled[key]):
            spelled = f"the pieces {' '.join(map(repr, pieces))}"
            problem = f"{spelled} do not spell the focal word {word!r} of: {' '.join(tokens)}"
            fix = "correct the position in the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
