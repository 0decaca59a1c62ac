"""Predict the most probable pieces in the focal word's place, with the masked-language-model head.

There are two inputs: the sentence with a single mask token for the focal word, and the unchanged
sentence, where the prediction is for the first piece of the focal word.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.substitute_table import SEEN, Fillers, K
from wsd.artifacts.view_names import MASKED
from wsd.encoder.batches import run_all, to_host
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import choose_device, load_folder
from wsd.encoder.match_word_pieces import Aligned
from wsd.errors import ModelError


class _Work(NamedTuple):
    """The instances of a word with one of the two inputs."""

    corpus: Corpus
    seen: str
    aligned: Sequence[Aligned]


# The pieces and their probabilities, by row.
_Rows = dict[int, tuple[Sequence[str], np.ndarray]]
# Rows, each with the numbers of the pieces and their probabilities.
_Batch = list[tuple[int, np.ndarray, np.ndarray]]


class FillMask:
    """A tokenizer and a model with its masked-language-model head.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        With the head, in evaluation mode, on ``device``.
    device : torch.device

    Raises
    ------
    ModelError
        If the tokenizer has no mask token, or cannot be used.
    """

    def __init__(self, tokenizer: Any, model: Any, *, device: torch.device) -> None:
        if tokenizer.mask_token_id is None:
            problem = f"{type(tokenizer).__name__} has no mask token to replace the focal word"
            raise ModelError(problem, fix="leave substitutes out of analyses, or use another model")
        self.model, self.device, base = model, device, model.base_model
        self.encoders = {
            seen: Encoder(tokenizer, model.base_model, input=seen, device=device) for seen in SEEN
        }
        self.pieces = _written_pieces(tokenizer)
        self._numbers = np.flatnonzero([piece is not None for piece in self.pieces])
        self._local = threading.local()
        base.register_forward_hook(self._at_focal)

    @classmethod
    def load(cls, folder: str, *, device: str = "auto") -> "FillMask":
        """Load from a folder, as :meth:`wsd.encoder.encoder.Encoder.load` does, in float32.

        Loading shows whether the model has a head: a head of random weights is refused.

        Raises
        ------
        ConfigError, ModelError
            As there; and if the architecture has no head, or the weights lack a tensor of it.
        """
        chosen = choose_device(device)
        try:
            tokenizer, model = load_folder(folder, head=True)
            if model.config.is_encoder_decoder:
                raise ModelError(f"{type(model).__name__} is no encoder")
        except ModelError as error:
            reason = error.problem.partition("\n")[0]
            problem = f"no masked-language-model head can be loaded: {reason}"
            fix = "leave substitutes out of analyses, or use a checkpoint saved with its head"
            raise ModelError(problem, where=folder, fix=fix) from error
        loaded = cls(tokenizer, model.to(chosen), device=chosen)
        _ = loaded.encoders[MASKED].architecture  # refuses a model that cannot be used
        return loaded

    def _at_focal(self, _module: Any, _args: Any, output: Any) -> Any:
        # The head multiplies by the whole vocabulary, which costs as much as a few blocks. So it
        # gets only the states at the focal places.
        places = getattr(self._local, "places", None)
        if places is not None:
            state = output.last_hidden_state
            rows = torch.arange(len(state), device=state.device)
            output.last_hidden_state = state[rows, places][:, None]
        return output

    def fill(
        self, corpora: Iterable[Corpus], *, threads: int = 1
    ) -> Iterator[tuple[Corpus, dict[str, Fillers]]]:
        """Yield the most probable pieces of every instance, word by word.

        Batches depend on the word alone, and each runs on one thread, so that the probabilities are
        equal for any number of threads.

        Raises
        ------
        ModelError
            As in :meth:`wsd.encoder.encoder.Encoder.align`; or if a probability is not a number.
        """

        def works() -> Iterator[tuple[_Work, list[int]]]:
            for corpus in corpora:
                for seen in SEEN:
                    aligned = self.encoders[seen].align(corpus)
                    yield _Work(corpus, seen, aligned), [len(a.ids) for a in aligned]

        # Results come in the order of the batches: a word is complete before the next one begins.
        filled: dict[str, _Rows] = {seen: {} for seen in SEEN}
        for work, batch in run_all(self._run, works(), device=self.device, threads=threads):
            for row, numbers, probabilities in batch:
                pieces = [str(self.pieces[number]) for number in numbers]
                filled[work.seen][row] = pieces, probabilities
            if all(len(rows) == len(work.corpus) for rows in filled.values()):
                order = range(len(work.corpus))
                ordered = {s: [rows[row] for row in order] for s, rows in filled.items()}
                yield work.corpus, {s: Fillers(*zip(*o, strict=True)) for s, o in ordered.items()}
                filled = {seen: {} for seen in SEEN}

    def _run(self, work: _Work, rows: list[int]) -> _Batch:
        batch = [work.aligned[row] for row in rows]
        encoder = self.encoders[work.seen]
        inputs = encoder.network.inputs([a.ids for a in batch], [a.segments for a in batch])
        self._local.places = torch.tensor([a.focal[0] for a in batch], device=self.device)
        try:
            with torch.inference_mode():
                logits = self.model(**inputs).logits[:, 0].float()
                probabilities = to_host(logits.softmax(dim=1)).numpy()
        finally:
            self._local.places = None
        finite = np.isfinite(probabilities).all(axis=1)
        if not finite.all():
            problem = "the model's head gives a probability that is not a number"
            where = instance_name(work.corpus, rows[int(finite.argmin())])
            raise ModelError(problem, where=where, fix="check the weights")
        numbers = map(self._most_probable, probabilities)
        both = zip(rows, probabilities, numbers, strict=True)
        return [(row, at, values[at]) for row, values, at in both]

    def _most_probable(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the numbers of the most probable pieces; of equal ones the lowest number first."""
        # A tokenizer may have pieces that the model lacks, if they are in no sentence.
        numbers = self._numbers[self._numbers < len(probabilities)]
        values = probabilities[numbers]
        if len(values) > K:
            least = np.partition(values, -K)[-K]
            numbers, values = numbers[values >= least], values[values >= least]
        return numbers[np.lexsort((numbers, -values))[:K]]


def _written_pieces(tokenizer: Any) -> list[str | None]:
    """Return the spelling of every piece; None for special tokens and for unused numbers.

    Byte-level tokenizers write letters that stand for bytes. Bytes beyond ASCII are decoded if they
    are whole characters.
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
