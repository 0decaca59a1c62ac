"""Encode sentences: the vectors of all views and layers in one forward pass.

Other modules load a folder (:mod:`wsd.encoder.load_model`), run and examine the model
(:mod:`wsd.encoder.run_model`), find the pieces of the focal word
(:mod:`wsd.encoder.match_word_pieces`), and form batches (:mod:`wsd.encoder.batches`).
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.encoder_input import PLAIN, InputTemplate, InputValue
from wsd.encoder.batches import Places, Sentences, run_all, selection, to_host
from wsd.encoder.load_model import (
    check_precision,
    choose_device,
    load_folder,
    pack,
    quiet_transformers,
    weights_digest,
)
from wsd.encoder.match_word_pieces import Aligned, Aligner
from wsd.encoder.run_model import (
    Architecture,
    Network,
    encoder_of,
    examine,
    length_limit,
    ordinary_pieces,
)
from wsd.errors import ModelError

# Threads run whole batches on a CPU. With a GPU, the tokenizer may use all cores.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

LINE_BREAK = "\n"
_S = TypeVar("_S", bound=Sentences)


def first_token(tokenizer: Any, known: int) -> int | None:
    """Return the number of the token to put before a decoder's text, or None.

    A line break if it is one token, else the beginning or the end of a text. On the training folds
    of the quickstart corpus, a decoder's senses are more readable after a line break than after
    either (docs/how-to/decoders.md).

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    known : int
        The number of pieces that the model knows.
    """
    cut = tokenizer(LINE_BREAK, add_special_tokens=False)["input_ids"]
    line_break = [token for token in cut if [token] == cut and tokenizer.decode(cut) == LINE_BREAK]
    tokens = (*line_break, tokenizer.bos_token_id, tokenizer.eos_token_id)
    return next((token for token in tokens if token is not None and token < known), None)


class Encoder:
    """A tokenizer and a model that returns its hidden states.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        In evaluation mode, on ``device``. Only the encoder of an encoder-decoder is used.
    pooling : {"mean", "first", "last"}
        How the pieces of the focal word become one vector.
    input : str or mapping
        What the model reads (:mod:`wsd.artifacts.encoder_input`).
    device : torch.device

    Attributes
    ----------
    drawn : str or None
        The SHA-256 of random weights. Other versions of the libraries may draw other weights.
    """

    def __init__(
        self,
        tokenizer: Any,
        model: Any,
        *,
        pooling: str = "mean",
        input: InputValue | InputTemplate = PLAIN,
        device: torch.device,
    ) -> None:
        self.tokenizer, self.model, self.device = tokenizer, encoder_of(model), device
        self.pooling, self.max_length = pooling, length_limit(tokenizer, self.model)
        self.aligner = Aligner(tokenizer, self.max_length, input=input)
        self.network = Network(self.model, tokenizer, device)
        self.blocks, self.width = self.network.blocks, self.network.width
        self.drawn: str | None = None
        if not self.aligner.before:
            self._put_token_first()

    def _put_token_first(self) -> None:
        """Put a token before every text of a causal model, whose first piece is a sink.

        If there is no token, or the input wants none, the first piece is left out of the context.
        """
        if not self.architecture.causal:
            return
        token = first_token(self.tokenizer, self.network.known)
        if token is None or not self.aligner.input.adds_prefix:
            self.aligner.skips_first = True
            return
        self.aligner.put_first(token)
        text = self.tokenizer.decode([token])
        self.architecture = self.architecture._replace(first_token=text)

    @classmethod
    @quiet_transformers()
    def load(
        cls,
        folder: str,
        *,
        pooling: str = "mean",
        input: InputValue | InputTemplate = PLAIN,
        device: str = "auto",
        precision: str = "float32",
        random_weights: int | None = None,
    ) -> "Encoder":
        """Load from a local folder with ``config.json``, safetensors weights and a tokenizer.

        Loading uses neither the hub nor a pickle, and runs no code of the model.

        Parameters
        ----------
        folder : str
        pooling, input, device
            As in the class and :func:`wsd.encoder.load_model.choose_device`.
        precision : {"float32", "bfloat16", "float16"}
            The precision of weights and computation. The vectors are always float32.
        random_weights : int, optional
            The seed of random weights, drawn with the initialisation of the architecture. The same
            seed, precision and versions give the same weights.

        Raises
        ------
        ConfigError
            If there is no such input, or if the device does not exist or cannot compute in that
            precision.
        ModelError
            If the folder cannot be loaded, its weights do not fill the model, or the model or
            its tokenizer cannot be used.
        """
        chosen = choose_device(device)
        check_precision(precision, chosen)
        try:
            tokenizer, model = load_folder(folder, random_weights, precision=precision)
            model = model.to(chosen)
            encoder = cls(tokenizer, model, pooling=pooling, input=input, device=chosen)
            _ = encoder.architecture  # refuses a model that cannot be used
        except ModelError as error:
            raise ModelError(error.problem, where=error.where or folder, fix=error.fix) from error
        # Numbers in config.json or tokenizer.json that do not match the weights.
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            problem = f"the model fails on a few pieces: {type(error).__name__} {error}"
            fix = "use the config.json and the tokenizer that belong to the weights"
            raise ModelError(problem, where=folder, fix=fix) from error
        if random_weights is not None:
            encoder.drawn = weights_digest(encoder.model)
        os.environ["TOKENIZERS_PARALLELISM"] = str(chosen.type == "cuda").lower()
        network, aligner = encoder.network, encoder.aligner
        pieces = ordinary_pieces(tokenizer, network.known)
        inputs = network.inputs([[*aligner.before, *pieces, *aligner.after]])
        with torch.inference_mode():
            pack(encoder.model, lambda: network.hidden_states(inputs)[-1])
        return encoder

    @cached_property
    def architecture(self) -> Architecture:
        """Return the properties of the model, found by running it on a few pieces."""
        return examine(self.network, self.aligner)

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Tokenize every instance and find its focal word with the ``aligner``.

        Raises
        ------
        ModelError
            If a focal word cannot be found, or the tokenizer has a piece that the model does not
            have; the error names the instance.
        """
        aligned, known = self.aligner.align(corpus), self.network.known
        for i, instance in enumerate(aligned):
            if (last := max(instance.ids)) >= known:
                problem = f"the tokenizer has a piece number {last}, the model has {known} pieces"
                fix = "use the tokenizer that belongs to the model"
                raise ModelError(problem, where=instance_name(corpus, i), fix=fix)
        return aligned

    def encode(
        self, corpus: Corpus, aligned: Sequence[Aligned], *, views: Sequence[str], threads: int = 1
    ) -> Iterator[tuple[list[int], np.ndarray]]:
        """Run the model on all instances of a word, and yield the vectors of each batch.

        A batch has instances of similar lengths. On a CPU, batches depend only on the corpus, and
        each runs on one thread, so that the vectors are bitwise equal for any number of threads.

        Parameters
        ----------
        corpus : Corpus
        aligned : sequence of Aligned
            The result of :meth:`align`.
        views : sequence of str
        threads : int
            The number of batches that run at the same time on a CPU.

        Yields
        ------
        rows : list of int
            The rows of the corpus in this batch.
        vectors : float32 array of shape (views, layers, len(rows), width)

        Raises
        ------
        ModelError
            If a vector is not finite, or if ``cls`` is a view and the tokenizer has no ``[CLS]``;
            the error names the instance.
        """
        word = Sentences(corpus, aligned, views)
        for _, batch in self.encode_words([word], threads=threads):
            yield batch

    def encode_words(
        self, words: Iterable[_S], *, threads: int = 1
    ) -> Iterator[tuple[_S, tuple[list[int], np.ndarray]]]:
        """Run the model on several words, as :meth:`encode` does for one.

        The next word starts while batches of the previous one still run, so that small words keep
        all threads busy.
        """

        def works() -> Iterator[tuple[tuple[_S, Places], list[int]]]:
            for word in words:
                places = word.places(self.pooling)
                yield (word, places), [len(instance.ids) for instance in word.aligned]

        def run(work: tuple[_S, Places], rows: list[int]) -> tuple[list[int], np.ndarray]:
            word, places = work
            batch = [word.aligned[i] for i in rows]
            vectors, finite = self._forward(batch, [places[i] for i in rows])
            if not finite.all():
                raise ModelError(
                    "the model gives a vector that is not finite",
                    where=instance_name(word.corpus, rows[int(finite.argmin())]),
                    fix="check the weights; float16 overflows in some models, bfloat16 does not",
                )
            return rows, vectors

        for (word, _), batch in run_all(run, works(), device=self.device, threads=threads):
            yield word, batch

    def states(self, instance: Aligned) -> np.ndarray:
        """Return every hidden state of every piece of a sentence, special tokens included.

        Returns
        -------
        float32 array of shape (layers, pieces, width)
        """
        places = [[i] for i in range(len(instance.ids))]
        vectors, _ = self._forward([instance], [places])
        return vectors[:, :, 0].swapaxes(0, 1)

    def _forward(self, batch: Sequence[Aligned], places: Places) -> tuple[np.ndarray, np.ndarray]:
        """Return vectors of shape (views, layers, instances, width), and which are finite."""
        inputs = self.network.inputs([a.ids for a in batch], [a.segments for a in batch])
        with torch.inference_mode():
            hidden_states = self.network.hidden_states(inputs)
            select = selection(places, inputs["input_ids"].shape[1]).to(self.device)
            layers = [torch.bmm(select, state.float()) for state in hidden_states]
            if len(layers) != self.blocks + 1:
                problem = f"the model gave {len(layers)} hidden states, not {self.blocks + 1}"
                raise ModelError(problem)
            vectors = torch.stack(layers).permute(2, 0, 1, 3).contiguous()
            finite = vectors.isfinite().all(dim=3).all(dim=1).all(dim=0)
            return to_host(vectors).numpy(), finite.cpu().numpy()
