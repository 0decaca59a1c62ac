"""An encoder with its masked-language-model head: the likeliest pieces at the focal word's place.

Two inputs: the sentence with one mask token for the focal word, whatever its number of pieces; and
the sentence as it is, where the pieces are those of the place of the word's first piece.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.substitute_table import SEEN, Fillers, K
from wsd.artifacts.view_names import MASKED
from wsd.encoder.batches import model_inputs, run_all, to_host
from wsd.encoder.encoder import Encoder
from wsd.encoder.focal_pieces import Aligned
from wsd.encoder.loading import choose_device, load_folder
from wsd.errors import ModelError


class _Work(NamedTuple):
    """A word's instances as the model reads them in one of the two ways."""

    corpus: Corpus
    seen: str
    aligned: Sequence[Aligned]


# By row, the pieces and their probabilities.
_Rows = dict[int, tuple[Sequence[str], np.ndarray]]
# Of some rows, the numbers of the pieces and their probabilities.
_Batch = tuple[list[int], list[np.ndarray], list[np.ndarray]]


class FillMask:
    """A tokenizer and a model with its head.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        With its head, in evaluation mode, on ``device``.
    device : torch.device
    file : tokenizers.Tokenizer, optional
        As in :class:`wsd.encoder.focal_pieces.Aligner`.

    Raises
    ------
    ModelError
        If the tokenizer has no mask token, or is of a kind that cannot be handled.
    """

    def __init__(
        self, tokenizer: Any, model: Any, *, device: torch.device, file: Any = None
    ) -> None:
        if tokenizer.mask_token_id is None:
            what = f"{type(tokenizer).__name__} has no mask token to stand for the focal word"
            raise ModelError(what, fix="leave substitutes out of analyses, or use another model")
        self.model, self.device, base = model, device, model.base_model
        self.encoders = {
            seen: Encoder(
                tokenizer, model.base_model, masked=seen == MASKED, device=device, file=file
            )
            for seen in SEEN
        }
        self.pieces = _named(tokenizer)
        self._numbers = np.flatnonzero([piece is not None for piece in self.pieces])
        self._local = threading.local()
        base.register_forward_hook(self._at_focal)

    @classmethod
    def load(cls, folder: str, *, device: str = "auto") -> "FillMask":
        """Load from a folder, as :meth:`wsd.encoder.encoder.Encoder.load` does; in float32.

        Raises
        ------
        ConfigError, ModelError
            As there; and if the weights lack any tensor of the head.
        """
        chosen = choose_device(device)
        try:
            tokenizer, model, file = load_folder(folder, head=True)
            found = cls(tokenizer, model.eval().to(chosen), device=chosen, file=file)
            _ = found.encoders[MASKED].architecture  # what cannot be handled is refused here
        except ModelError as error:
            raise ModelError(error.what, where=error.where or folder, fix=error.fix) from error
        return found

    def _at_focal(self, _module: Any, _args: Any, output: Any) -> Any:
        """Leave the head the states of the focal places alone: its products are with the whole
        vocabulary, and cost as much as a few blocks.
        """
        places = getattr(self._local, "places", None)
        if places is not None:
            state = output.last_hidden_state
            rows = torch.arange(len(state), device=state.device)
            output.last_hidden_state = state[rows, places][:, None]
        return output

    def fill(
        self, corpora: Iterable[Corpus], *, threads: int = 1
    ) -> Iterator[tuple[Corpus, dict[str, Fillers]]]:
        """The likeliest pieces for every instance of words, word by word.

        Batches depend on the word alone, and each runs on one thread, so that the probabilities are
        the same for any number of threads.

        Raises
        ------
        ModelError
            As in :meth:`wsd.encoder.encoder.Encoder.align`; or if a probability is no number.
        """

        def works() -> Iterator[tuple[_Work, list[int]]]:
            for corpus in corpora:
                for seen in SEEN:
                    aligned = self.encoders[seen].align(corpus)
                    work = _Work(corpus, seen, aligned)
                    yield work, [len(one.ids) for one in aligned]

        # Results come in the order of the batches: a word is done before the next has any.
        found: dict[str, _Rows] = {seen: {} for seen in SEEN}
        for work, (rows, numbers, chances) in run_all(
            self._run, works(), device=self.device, threads=threads
        ):
            for row, of_row, at in zip(rows, numbers, chances, strict=True):
                found[work.seen][row] = [str(self.pieces[number]) for number in of_row], at
            if all(len(of) == len(work.corpus) for of in found.values()):
                yield work.corpus, {seen: _in_order(of) for seen, of in found.items()}
                found = {seen: {} for seen in SEEN}

    def _run(self, work: _Work, rows: list[int]) -> _Batch:
        batch = [work.aligned[row] for row in rows]
        encoder = self.encoders[work.seen]
        inputs = model_inputs(encoder, [one.ids for one in batch], [one.segments for one in batch])
        self._local.places = torch.tensor([one.focal[0] for one in batch], device=self.device)
        try:
            with torch.inference_mode():
                logits = self.model(**inputs).logits[:, 0].float()
                chances = to_host(logits.softmax(dim=1)).numpy()
        finally:
            self._local.places = None
        finite = np.isfinite(chances).all(axis=1)
        if not finite.all():
            what = "the model's head gives a probability that is no number"
            where = instance_name(work.corpus, rows[int(finite.argmin())])
            raise ModelError(what, where=where, fix="check the weights")
        numbers = [self._likeliest(of) for of in chances]
        return rows, numbers, [of[at] for of, at in zip(chances, numbers, strict=True)]

    def _likeliest(self, chances: np.ndarray) -> np.ndarray:
        """The numbers of the pieces, the likeliest first; of equal ones the first in number."""
        # A tokenizer may have pieces that the model lacks, where no sentence has them.
        numbers = self._numbers[self._numbers < len(chances)]
        own = chances[numbers]
        if len(own) > K:
            least = np.partition(own, -K)[-K]
            numbers, own = numbers[own >= least], own[own >= least]
        return numbers[np.lexsort((numbers, -own))[:K]]


def _named(tokenizer: Any) -> list[str | None]:
    """Every piece as it is written; None for special tokens, which are no words, and for gaps.

    A byte-level piece is written in letters that stand for bytes: those beyond ASCII are decoded,
    where they are whole characters.
    """
    decoder, vocabulary = tokenizer.backend_tokenizer.decoder, tokenizer.get_vocab()
    byte_level = "ByteLevel" in type(decoder).__name__
    written: list[str | None] = [None] * (max(vocabulary.values()) + 1)
    special = set(tokenizer.all_special_ids)
    for piece, number in vocabulary.items():
        if number not in special:
            bare = piece.lstrip("Ġ▁")
            text = decoder.decode([bare]) if byte_level and not bare.isascii() else bare
            whole = text and "\N{REPLACEMENT CHARACTER}" not in text
            written[number] = piece[: len(piece) - len(bare)] + text if whole else piece
    return written


def _in_order(of: _Rows) -> Fillers:
    rows = range(len(of))
    return Fillers([of[row][0] for row in rows], [of[row][1] for row in rows])
