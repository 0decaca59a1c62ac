"""Where the focal word is among the word pieces, and whether they spell it.

Words are handed to the tokenizer one by one, each with the space before it if the tokenizer takes
that for part of the word (RoBERTa, GPT-2), so that the pieces are those of the running text and
each carries the number of its word. Sentences beyond the model's length lose the words farthest
from the focal one. Left out on purpose: the model.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

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


# A word piece: its number in the vocabulary, that of its word if it has one, its segment.
_Piece = tuple[int, int | None, int]


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
            what = f"{kind} gives no word ids, so the focal word cannot be found"
            raise ModelError(what, fix="use a model with a tokenizer.json")
        self.tokenizer, self.max_length = tokenizer, max_length
        self.backend = tokenizer.backend_tokenizer
        # The very same tokenizer needs no comparing.
        same = file is None or file.to_str() == self.backend.to_str()
        self.file = None if same else file
        self.mask: int | None = None
        if masked:
            self.mask = tokenizer.mask_token_id
            if self.mask is None:
                what = f"{kind} has no mask token to stand for the focal word"
                raise ModelError(what, fix="use `input: plain`, or an encoder trained with a mask")
        self._special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        if getattr(self.backend.model, "dropout", None):
            what = f"{kind} cuts words at random: a sentence would get other vectors each time"
            raise ModelError(what, fix="set `dropout` to null in tokenizer.json")
        with tokenizing():
            check_case(tokenizer)
            self.spaced, probe = self._find_spacing()
        inner = [i for i, word in enumerate(probe.word_ids) if word is not None]
        first, last = inner[0], inner[-1] + 1
        self.before, self.after = probe.ids[:first], probe.ids[last:]
        self.segments = probe.type_ids[: first + 1] + probe.type_ids[last:]
        self._spelled: dict[tuple[str, tuple[str, ...]], bool] = {}

    def _find_spacing(self) -> tuple[bool, Any]:
        """Whether words take the space before them, and what comes of the probe then."""
        (running,) = self._running([PROBE.split()])
        for spaced in (True, False):
            (found,) = self._encode([PROBE.split()], spaced)
            if found.ids == running.ids:
                return spaced, found
        kind = type(self.tokenizer).__name__
        what = f"{kind} cuts a sentence otherwise than its words, so the focal word cannot be found"
        raise ModelError(what, fix="use a model whose tokenizer treats a sentence word by word")

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
        with tokenizing(corpus.word):
            return [one for chunk in chunks for one in self._align_rows(corpus, chunk)]

    def _align_rows(self, corpus: Corpus, rows: range) -> Iterator[Aligned]:
        sentences = [corpus.tokens[row] for row in rows]
        encodings = self._encode(sentences, self.spaced)
        running = [found.ids for found in self._running(sentences)]
        of_file = running
        if self.file is not None:
            texts = [" ".join(tokens) for tokens in sentences]
            of_file = [found.ids for found in self.file.encode_batch(texts)]
        for i, row in enumerate(rows):
            position, name = int(corpus.position[row]), instance_name(corpus, row)
            aligned = self._align(encodings[i], sentences[i], position, name)
            yield replace(
                aligned, as_text=encodings[i].ids == running[i], as_file=running[i] == of_file[i]
            )

    def _encode(self, sentences: Sequence[Sequence[str]], spaced: bool) -> list[Any]:
        handed = [
            [f" {token}" if spaced and i else token for i, token in enumerate(tokens)]
            for tokens in sentences
        ]
        return self._call(handed, is_split_into_words=True)

    def _running(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        return self._call([" ".join(tokens) for tokens in sentences])

    def _call(self, texts: Sequence[Any], **how: Any) -> list[Any]:
        how |= {"padding": False, "truncation": False, "return_attention_mask": False}
        return self.tokenizer(texts, verbose=False, **how).encodings

    def _align(self, encoding: Any, tokens: Sequence[str], position: int, name: str) -> Aligned:
        sentence = list(zip(encoding.ids, encoding.word_ids, encoding.type_ids, strict=True))
        words = {word for _, word, _ in sentence} - {None}
        special = {word for piece, word, _ in sentence if piece in self._special} - {None}
        focal = [i for i, (_, word, _) in enumerate(sentence) if word == position]
        spelled = tuple(encoding.tokens[i] for i in focal)
        unknown = self.tokenizer.unk_token_id in [sentence[i][0] for i in focal]
        self._check_focal(tokens, position, spelled, position in special, unknown, name)
        if self.mask is not None:
            first, *rest = focal
            sentence[first] = (self.mask, position, sentence[first][2])
            sentence = [piece for i, piece in enumerate(sentence) if i not in rest]
        windowed = self.max_length is not None and len(sentence) > self.max_length
        if windowed:
            kept = self._window(sentence, len(tokens), position, name)
            sentence = [piece for piece in sentence if piece[1] is None or piece[1] in kept]
        ids, of_words, segments = (list(column) for column in zip(*sentence, strict=True))
        own = [i for i, word in enumerate(of_words) if word is None]
        cls = self.tokenizer.cls_token_id
        return Aligned(
            ids=ids,
            focal=[i for i, word in enumerate(of_words) if word == position],
            others=[i for i, word in enumerate(of_words) if word is not None and word != position],
            cls=next((i for i in own if ids[i] == cls), None),
            windowed=windowed,
            segments=segments if any(segments) else None,
            pieces=spelled,
            unknown=unknown,
            vanished=len(tokens) - len(words),
            special=len(special),
        )

    def _window(self, sentence: Sequence[_Piece], n_words: int, position: int, name: str) -> range:
        """The words around the focal word that fit, as even on both sides as can be."""
        assert self.max_length is not None
        pieces = Counter(word for _, word, _ in sentence)
        room = self.max_length - pieces[None] - pieces[position]
        if room < 0:
            number = pieces[position]
            what = f"the focal word has {number} pieces, the model takes {self.max_length}"
            raise ModelError(what, where=name)
        first, last = position, position
        growing = True
        while growing:
            growing = False
            if first > 0 and pieces[first - 1] <= room:
                first, growing = first - 1, True
                room -= pieces[first]
            if last < n_words - 1 and pieces[last + 1] <= room:
                last, growing = last + 1, True
                room -= pieces[last]
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
            what = f"the focal word {word!r} is a special token of this tokenizer"
            fix = "write the word otherwise in the corpus, or use another tokenizer"
            raise ModelError(what, where=name, fix=fix)
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
