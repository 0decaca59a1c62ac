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
from wsd.artifacts.encoder_input import MASKED
from wsd.artifacts.substitute_table import SEEN, Fillers, K
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


# Rows, the numbers of their pieces, and the probabilities of these.
_Batch = tuple[list[int], np.ndarray, np.ndarray]


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
        self._numbers = np.flatnonzero(self.pieces != None)  # noqa: E711 - of every element
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
        batches: list[_Batch] = []
        filled: dict[str, Fillers] = {}
        for work, batch in run_all(self._run, works(), device=self.device, threads=threads):
            batches.append(batch)
            if sum(len(rows) for rows, _, _ in batches) == len(work.corpus):
                rows, numbers, probabilities = map(np.concatenate, zip(*batches, strict=True))
                order = np.argsort(rows)
                filled[work.seen] = Fillers(self.pieces[numbers[order]], probabilities[order])
                batches = []
                if len(filled) == len(SEEN):
                    yield work.corpus, filled
                    filled = {}

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
        numbers = np.stack([self._most_probable(values) for values in probabilities])
        return rows, numbers, np.take_along_axis(probabilities, numbers, axis=1)

    def _most_probable(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the numbers of the most probable pieces; of equal ones the lowest number first."""
        # A tokenizer may have pieces that the model lacks, if they are in no sentence.
        numbers = self._numbers[self._numbers < len(probabilities)]
        values = probabilities[numbers]
        if len(values) > K:
            least = np.partition(values, -K)[-K]
            numbers, values = numbers[values >= least], values[values >= least]
        return numbers[np.lexsort((numbers, -values))[:K]]


def _written_pieces(tokenizer: Any) -> np.ndarray:
    """Return the spelling of every piece; None for special tokens and for unused numbers.

    Byte-level tokenizers write letters that stand for bytes. Bytes beyond ASCII are decoded if they
    are whole characters.
    """
    decoder, vocabulary = tokenizer.backend_tokenizer.decoder, tokenizer.get_vocab()
    byte_level = "ByteLevel" in type(decoder).__name__
    written = np.full(max(vocabulary.values()) + 1, None)
    special = set(tokenizer.all_special_ids)
    for piece, number in vocabulary.items():
        if number not in special:
            bare = piece.lstrip("Ġ▁")
            text = decoder.decode([bare]) if byte_level and not bare.isascii() else bare
            whole = text and "\N{REPLACEMENT CHARACTER}" not in text
            written[number] = piece[: len(piece) - len(bare)] + text if whole else piece
    return written
