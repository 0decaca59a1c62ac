"""Find the pieces of the focal word in a sentence, and check that they spell it.

An input (:mod:`wsd.artifacts.input_template`) gives the words of the text; their pieces are cut
word by word (:mod:`wsd.encoder.cut_words`). Sentences above the model's limit lose the words
farthest from the focal word, in every copy of the sentence. The template stays whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import Any

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.input_template import NONE, InputTemplate, InputValue, InputWord, parse_input
from wsd.artifacts.view_names import PLAIN
from wsd.encoder.aligned import Aligned
from wsd.encoder.cut_words import Cutter, Pieces
from wsd.encoder.piece_spelling import check_case, normalised, spelling
from wsd.encoder.tokenizer_errors import tokenizing
from wsd.errors import ModelError

# Commas, contractions and a capital, because tokenizers treat them differently.
PROBE = "The crane , which can't fly , is n't the Crane 's box ."
# The number of sentences to tokenize at a time. More take longer, because their words live longer
# and the garbage collector looks at them again and again.
CHUNK = 100


class Aligner:
    """A tokenizer that finds the pieces of focal words.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    max_length : int or None
        The most pieces of a sentence, special tokens included; None if there is no limit.
    input : str or mapping
        What the model reads (:mod:`wsd.artifacts.input_template`).
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
        case of text although its vocabulary has capitals, fails, or lacks a mask token or a marker
        that is needed.
    ConfigError
        If there is no such input.
    """

    def __init__(
        self,
        tokenizer: Any,
        max_length: int | None,
        *,
        input: InputValue | InputTemplate = PLAIN,
        file: Any = None,
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
            self._check_markers()
        # Compared after the calls above, which change the settings of the backend.
        same = file is None or file.to_str() == self.backend.to_str()
        self.file = None if same else file
        self._spelled: dict[tuple[str, tuple[str, ...]], bool] = {}

    def _find_spacing(self, pieces: Sequence[int]) -> bool:
        """Return whether words include the space before them, so that the probe has its pieces."""
        for spaced in (True, False):
            words = InputTemplate().words(PROBE.split(), 0)
            (cut,) = Cutter(self.backend, spaced).cut([words])
            if self._between_ends(word.ids for word in cut) == pieces:
                return spaced
        kind = type(self.tokenizer).__name__
        problem = f"{kind} cuts a sentence across its words, so the focal word cannot be found"
        raise ModelError(problem, fix="use a model whose tokenizer cuts a sentence word by word")

    def _check_markers(self) -> None:
        """Refuse a marker that is not a single piece."""
        words = self.input.words(PROBE.split(), 1)
        (cut,) = Cutter(self.backend, self.spaced).cut([words])
        for word, pieces in zip(words, cut, strict=True):
            if word.copy == NONE or word.place != NONE:
                continue
            # The space before a marker may be a piece of its own.
            spelled = [spelling(self.backend, [piece]) for piece in pieces.spelled]
            letters = [number for number, text in zip(pieces.ids, spelled, strict=True) if text]
            if len(letters) != 1 or letters[0] == self.tokenizer.unk_token_id:
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
        cutter = Cutter(self.backend, self.spaced, self.mask)
        with tokenizing(corpus.word):
            return [
                instance for chunk in chunks for instance in self._align_rows(corpus, chunk, cutter)
            ]

    def _align_rows(self, corpus: Corpus, rows: range, cutter: Cutter) -> Iterator[Aligned]:
        sentences = [
            self.input.words(corpus.tokens[row], int(corpus.position[row])) for row in rows
        ]
        texts = ["".join(word.before + word.text for word in words) for words in sentences]
        running = [encoding.ids for encoding in self._call(texts)]
        by_file = running
        if self.file is not None:
            by_file = [encoding.ids for encoding in self.file.encode_batch(texts)]
        cut = cutter.cut(sentences)
        for i, (row, pieces) in enumerate(zip(rows, cut, strict=True)):
            position, name = int(corpus.position[row]), instance_name(corpus, row)
            focal = _last(sentences[i], position)
            self._check_focal(sentences[i][focal], pieces[focal], name, corpus.tokens[row])
            yield replace(
                self._align(sentences[i], pieces, position, name, cutter),
                as_text=self._between_ends(word.ids for word in pieces) == running[i],
                as_file=running[i] == by_file[i],
            )

    def _between_ends(self, pieces: Iterable[Sequence[int]]) -> list[int]:
        return [*self.before, *chain.from_iterable(pieces), *self.after]

    def _call(self, texts: Sequence[str]) -> list[Any]:
        options = {"padding": False, "truncation": False, "return_attention_mask": False}
        return self.tokenizer(texts, verbose=False, **options).encodings

    def _align(
        self,
        words: Sequence[InputWord],
        cut: Sequence[Pieces],
        position: int,
        name: str,
        cutter: Cutter,
    ) -> Aligned:
        focal = cut[_last(words, position)]
        last_copy = self._last_copy(words)
        sentence = [cut[i].ids for i in last_copy]
        room = self.max_length and self.max_length - len(self.before) - len(self.after)
        if (fitted := cutter.fit(words, cut, position, room)) is None:
            count = len(focal.ids) if self.mask is None else 1
            problem = f"the focal word has {count} pieces, the limit is {self.max_length}"
            if not self.input.name:
                problem += f" with the template {self.input.template!r}"
            raise ModelError(problem, where=name)
        fitting, pieces = fitted
        ids = self._between_ends(pieces)
        # The words have the positions from `begin` to `end`.
        begin, end = len(self.before), len(ids) - len(self.after)
        ends = pairwise(accumulate(map(len, pieces), initial=begin))
        places = [[*range(*pair)] for pair in ends]
        if fitting is not words:
            last_copy = self._last_copy(fitting)
        added = [*range(begin), *range(end, len(ids))]
        segments = [*self.segments]
        segments[begin : begin + 1] *= end - begin
        return Aligned(
            ids=ids,
            focal=self._read(fitting, places, position, end),
            others=[p for i in last_copy if fitting[i].place != position for p in places[i]],
            within=[p for i in last_copy if fitting[i].place == position for p in places[i]],
            cls=next((i for i in added if ids[i] == self.tokenizer.cls_token_id), None),
            windowed=len(fitting) < len(words),
            segments=segments if any(segments) else None,
            pieces=focal.spelled,
            unknown=self.tokenizer.unk_token_id in focal.ids,
            vanished=sum(not ids for ids in sentence),
            special=sum(not self._special.isdisjoint(ids) for ids in sentence),
        )

    def _last_copy(self, words: Sequence[InputWord]) -> list[int]:
        """Return the numbers of the words in the last copy of the sentence, without markers."""
        copy = self.input.copies[-1]
        return [i for i, word in enumerate(words) if word.copy == copy and word.place != NONE]

    def _read(
        self, words: Sequence[InputWord], places: Sequence[list[int]], position: int, end: int
    ) -> list[int]:
        """Return the positions of the pieces that the input reads."""
        if self.input.read == "last":
            return [end - 1]
        if self.input.read == "mark":
            copy = self.input.copies[-1]
            return [
                places[i][-1]  # a piece that is only the space before a marker comes first
                for i, word in enumerate(words)
                if word.copy == copy and word.place == NONE
            ]
        return places[_last(words, position)]

    def _check_focal(
        self, word: InputWord, pieces: Pieces, name: str, tokens: Sequence[str]
    ) -> None:
        if not pieces.ids:
            problem = f"the tokenizer leaves nothing of the focal word {word.text!r}"
            fix = "leave the instance out of the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        if not self._special.isdisjoint(pieces.ids):
            problem = f"the focal word {word.text!r} is a special token of this tokenizer"
            fix = "spell the word differently in the corpus, or use another tokenizer"
            raise ModelError(problem, where=name, fix=fix)
        key = (word.before * self.spaced + word.text, pieces.spelled)
        if key not in self._spelled:
            spelled = spelling(self.backend, pieces.spelled)
            self._spelled[key] = spelled == normalised(self.backend, key[0])
        if not (self.tokenizer.unk_token_id in pieces.ids or self._spelled[key]):
            shown = f"the pieces {' '.join(map(repr, pieces.spelled))}"
            problem = f"{shown} do not spell the focal word {word.text!r} of: {' '.join(tokens)}"
            fix = "correct the position in the corpus, or use another tokenizer"
            if not self.input.name:
                fix = f"put a space on both sides of {{word}} and {{sentence}}; or {fix}"
            raise ModelError(problem, where=name, fix=fix)


def _last(words: Sequence[InputWord], position: int) -> int:
    """Return the number of the last occurrence of the focal word."""
    return next(i for i in reversed(range(len(words))) if words[i].place == position)
