"""Tokenizer and model: every hidden state of the focal word in one pass.

Left out on purpose: how a folder is loaded (:mod:`wsd.encoder.loading`), what kind of model it
holds (:mod:`wsd.encoder.architecture`), where the focal word is (:mod:`wsd.encoder.focal_pieces`),
which instances run together (:mod:`wsd.encoder.batches`), and what is done with the vectors.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.encoder.architecture import (
    Architecture,
    encoder_of,
    examine,
    input_matrix,
    length_limit,
    stated_shape,
    trial_inputs,
)
from wsd.encoder.batches import model_inputs, run_all, to_host
from wsd.encoder.focal_pieces import Aligned, Aligner
from wsd.encoder.loading import check_precision, choose_device, load_folder, weights_digest
from wsd.encoder.packed_linear import pack
from wsd.encoder.view_weights import Places, Sentences, selection, static_views
from wsd.errors import ModelError
from wsd.logs import log

# Our threads run whole batches; where a GPU does that, the tokenizer may have all cores.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

_S = TypeVar("_S", bound=Sentences)


class Encoder:
    """A tokenizer with word ids and a model that returns its hidden states.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        In evaluation mode, on ``device``. Of an encoder-decoder the encoder is used alone.
    pooling : {"mean", "first", "last"}
        How the focal word's pieces become one vector.
    masked : bool
        Whether one mask token takes the place of the focal word.
    device : torch.device
    file : tokenizers.Tokenizer, optional
        As in :class:`wsd.encoder.focal_pieces.Aligner`.

    Attributes
    ----------
    drawn : str or None
        SHA-256 of weights that were drawn; no file tells what they are, and other versions may
        draw others.
    """

    def __init__(
        self,
        tokenizer: Any,
        model: Any,
        *,
        pooling: str = "mean",
        masked: bool = False,
        device: torch.device,
        file: Any = None,
    ) -> None:
        self.tokenizer, self.model = tokenizer, encoder_of(model)
        self.pooling, self.device = pooling, device
        self.blocks, self.width = stated_shape(self.model.config)
        self.max_length = length_limit(tokenizer, self.model)
        self.aligner = Aligner(tokenizer, self.max_length, masked=masked, file=file)
        self.drawn: str | None = None

    @classmethod
    def load(
        cls,
        folder: str,
        *,
        pooling: str = "mean",
        masked: bool = False,
        device: str = "auto",
        precision: str = "float32",
        random_weights: int | None = None,
    ) -> "Encoder":
        """Load from a local folder with ``config.json``, safetensors weights and a tokenizer.

        The hub is never asked, no code of the model's own is run, and no pickle is read.

        Parameters
        ----------
        folder : str
        pooling, masked, device
            As in the class and :func:`wsd.encoder.loading.choose_device`.
        precision : {"float32", "bfloat16", "float16"}
            What the model computes in. The vectors are float32 whatever it is.
        random_weights : int, optional
            A seed: the weights are not read but drawn, as the architecture draws them before
            its training, and are the same for the same seed and versions.

        Raises
        ------
        ConfigError
            If the device cannot be had, or cannot compute in that precision.
        ModelError
            If the folder cannot be loaded, its weights do not fill the model, or the model or
            its tokenizer is of a kind that cannot be handled; it names which and why.
        """
        chosen = choose_device(device)
        check_precision(precision, chosen)
        tokenizer, model, file = load_folder(folder, random_weights)
        model.config.use_cache = False  # what a decoder would keep for its next word
        try:
            model = model.eval().to(chosen)
            encoder = cls(
                tokenizer, model, pooling=pooling, masked=masked, device=chosen, file=file
            )
            _ = encoder.architecture  # a model that cannot be handled is refused here
        except ModelError as error:
            raise ModelError(error.what, where=error.where or folder, fix=error.fix) from error
        # What a config.json or a tokenizer.json of other numbers than the weights leads to.
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            what = f"the model cannot be tried: {type(error).__name__} {error}"
            fix = "use the config.json and the tokenizer that belong to the weights"
            raise ModelError(what, where=folder, fix=fix) from error
        if random_weights is not None:
            encoder.drawn = weights_digest(encoder.model)
        os.environ["TOKENIZERS_PARALLELISM"] = str(chosen.type == "cuda").lower()
        encoder._make_ready(precision)
        return encoder

    def _make_ready(self, precision: str) -> None:
        """Bring the model to a precision, and lay out its weights for the processor."""
        inputs = trial_inputs(self)
        with torch.inference_mode():
            self.model.to(getattr(torch, precision))
            packed = pack(self.model, lambda: self.hidden_states(inputs)[-1])
        weights = "laid out for the processor" if packed else "as they are"
        log.debug("%s: weights %s", type(self.model).__name__, weights)

    @cached_property
    def architecture(self) -> Architecture:
        """What the model is and does, by trying it on a few pieces."""
        return examine(self)

    @cached_property
    def known(self) -> int:
        """How many pieces the model knows."""
        matrix = input_matrix(self.model)
        return len(self.tokenizer if matrix is None else matrix)

    def hidden_states(self, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Every hidden state of a batch, as the model itself gives them."""
        return self.model(**inputs, output_hidden_states=True).hidden_states

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Tokenize every instance and find its focal word, as
        :class:`wsd.encoder.focal_pieces.Aligner` does.

        Raises
        ------
        ModelError
            If a focal word cannot be found, or the tokenizer has a piece that the model lacks; it
            names the instance.
        """
        aligned = self.aligner.align(corpus)
        for i, one in enumerate(aligned):
            if max(one.ids) >= self.known:
                last, name = max(one.ids), instance_name(corpus, i)
                what = f"the tokenizer has a piece number {last}, the model knows {self.known}"
                fix = "use the tokenizer that belongs to the model"
                raise ModelError(what, where=name, fix=fix)
        return aligned

    def static(
        self, corpus: Corpus, aligned: Sequence[Aligned], views: Sequence[str]
    ) -> dict[str, np.ndarray]:
        """The static views, as :func:`wsd.encoder.view_weights.static_views` has them."""
        return static_views(self.model, corpus, aligned, views, self.pooling)

    def encode(
        self,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        *,
        views: Sequence[str],
        seed: int,
        threads: int = 1,
    ) -> Iterator[tuple[list[int], np.ndarray]]:
        """Run the model over all instances and yield batch by batch.

        Batches hold instances of similar length. Which instances share a batch depends on the
        corpus alone, and each batch runs on one thread, so that the vectors are the same, bit
        for bit, whatever ``threads`` is.

        Parameters
        ----------
        corpus : Corpus
        aligned : sequence of Aligned
            What :meth:`align` gave for it.
        views : sequence of str
            Among ``focal``, ``context``, ``cls``, ``other``.
        seed : int
            For the draw of ``other``.
        threads : int
            Batches that run at the same time, on a CPU.

        Yields
        ------
        rows : list of int
            Rows of the corpus in this batch.
        vectors : float32 array of shape (views, layers, len(rows), width)

        Raises
        ------
        ModelError
            If a vector is not finite, or the tokenizer has no ``[CLS]`` and ``cls`` is asked
            for; it names the instance.
        """
        word = Sentences(corpus, aligned, views)
        for _, batch in self.encode_words([word], seed=seed, threads=threads):
            yield batch

    def encode_words(
        self, words: Iterable[_S], *, seed: int, threads: int = 1
    ) -> Iterator[tuple[_S, tuple[list[int], np.ndarray]]]:
        """Run the model over one word after the other, as :meth:`encode` does over one.

        The next word is asked for while batches of the last still run, so that small words keep
        all threads busy.
        """

        def prepared() -> Iterator[tuple[tuple[_S, Places], list[int]]]:
            for word in words:
                places = word.places(self.pooling, seed)
                yield (word, places), [len(one.ids) for one in word.aligned]

        def run(of: tuple[_S, Places], rows: list[int]) -> tuple[list[int], np.ndarray]:
            word, places = of
            batch = [word.aligned[i] for i in rows]
            vectors, finite = self._forward(batch, [places[i] for i in rows])
            if not finite.all():
                raise ModelError(
                    "the model gives a vector that is not finite",
                    where=instance_name(word.corpus, rows[int(finite.argmin())]),
                    fix="check the weights; float16 overflows in some models, bfloat16 does not",
                )
            return rows, vectors

        for (word, _), batch in run_all(run, prepared(), device=self.device, threads=threads):
            yield word, batch

    def states(self, one: Aligned) -> np.ndarray:
        """Every hidden state of every piece of one sentence, special tokens included.

        Returns
        -------
        float32 array of shape (layers, pieces, width)
        """
        each = [[i] for i in range(len(one.ids))]
        vectors, _ = self._forward([one], [each])
        return vectors[:, :, 0].swapaxes(0, 1)

    def _forward(self, batch: Sequence[Aligned], places: Places) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of shape (views, layers, instances, width), and which instances' are finite."""
        segments = [one.segments for one in batch]
        inputs = model_inputs(self, [one.ids for one in batch], segments)
        with torch.inference_mode():
            select = selection(places, inputs["input_ids"].shape[1]).to(self.device)
            layers = [torch.bmm(select, state.float()) for state in self.hidden_states(inputs)]
            if len(layers) != self.blocks + 1:
                what = f"the model gave {len(layers)} hidden states, not {self.blocks + 1}"
                raise ModelError(what)
            vectors = torch.stack(layers).permute(2, 0, 1, 3).contiguous()
            finite = vectors.isfinite().all(dim=3).all(dim=1).all(dim=0)
            return to_host(vectors).numpy(), finite.cpu().numpy()
