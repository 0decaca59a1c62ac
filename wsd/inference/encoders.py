"""Load an encoder by a short name, or the one that words were fitted with; compute vectors.

The workflow names its models in a config. The library and ``wsd inspect`` also accept the name of a
model in the program's own configs, or a source such as ``path:FOLDER``. ``wsd predict`` compares
the checksums of the files to make sure that the encoder is the same. Alignment, views and layer
choices are the same as in the workflow. Only the hidden states that the features need are kept.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import yaml
from tqdm import tqdm

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import PROGRAM
from wsd.artifacts.encoder_input import PLAIN, InputTemplate, InputValue, parse_input
from wsd.artifacts.feature_set import Features, assemble
from wsd.encoder import model_files
from wsd.encoder.model import SOURCES, resolve
from wsd.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.match_word_pieces import Aligned


# The program's own configs; the first has the default model.
CONFIGS = (PROGRAM / "config" / "minilm.yaml", PROGRAM / "config" / "config.yaml")
# As in :func:`source_named`.
ModelName = str | Path | None


class ModelSource(NamedTuple):
    """Where an encoder comes from.

    Attributes
    ----------
    name : str
    where : mapping
        ``hub`` and ``revision``, ``package``, or ``path``.
    sha256 : mapping of file name to checksum
        For the files whose checksum is known.
    """

    name: str
    where: Mapping[str, Any]
    sha256: Mapping[str, str] = MappingProxyType({})


@cache
def known_sources() -> dict[str, ModelSource]:
    """Return the models of the program's own configs, by name."""
    known = {}
    for path in CONFIGS:
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["models"]:
            where = {key: entry[key] for key in (*SOURCES, "revision") if key in entry}
            known[entry["name"]] = ModelSource(entry["name"], where, entry["sha256"])
    return known


def source_named(model: ModelName = None) -> ModelSource:
    """Return the source that a short name stands for.

    Parameters
    ----------
    model : str or Path, optional
        ``all-MiniLM-L6-v2``, ``bert-base-uncased``, ``hub:OWNER/NAME@COMMIT``, ``package:NAME``,
        ``path:FOLDER`` or a Path. By default the MiniLM that a package carries if that is
        installed, else bert-base-uncased.

    Raises
    ------
    ConfigError
        If it is none of these.
    """
    if isinstance(model, Path):
        return ModelSource(model.name, {"path": str(model)})
    if model is None:
        packaged, other = known_sources().values()
        return packaged if find_spec(packaged.where["package"]) else other
    if model in known_sources():
        return known_sources()[model]
    kind, _, rest = str(model).partition(":")
    if kind == "hub" and "@" in rest:
        hub, _, revision = rest.partition("@")
        return ModelSource(hub.rpartition("/")[2], {"hub": hub, "revision": revision})
    if kind in ("package", "path") and rest:
        return ModelSource(Path(rest).name, {kind: rest})
    known = ", ".join(known_sources())
    fix = f"use {known}, hub:OWNER/NAME@COMMIT, package:NAME, or path:FOLDER"
    raise ConfigError(f"no model {str(model)!r} is known", where="model", fix=fix)


def find_model(source: ModelSource) -> dict[str, Any]:
    """Find or fetch a source's files, and verify them.

    Returns
    -------
    dict
        The record of :func:`wsd.encoder.model.resolve`, without the folder on this machine.
    """
    record = resolve(source.name, sha256=source.sha256, **source.where)
    return {key: value for key, value in record.items() if key != "folder"}


def load_encoder(
    record: Mapping[str, Any],
    *,
    pooling: str = "mean",
    input: InputValue = PLAIN,
    device: str = "auto",
) -> "Encoder":
    """Load the encoder of a record; the last two encoders stay in memory.

    Parameters
    ----------
    record : mapping
        As from :func:`find_model`. The files are checked against it.
    pooling, input, device
        As in :meth:`wsd.encoder.encoder.Encoder.load`.
    """
    # Positional arguments: the cache distinguishes a default from the same value given.
    return _load(json.dumps(dict(record), sort_keys=True), pooling, parse_input(input), device)


@lru_cache(maxsize=2)
def _load(record: str, pooling: str, input: InputTemplate, device: str) -> "Encoder":
    folder = model_files.verify(json.loads(record))
    from wsd.encoder.encoder import Encoder

    return Encoder.load(str(folder), pooling=pooling, input=input, device=device)


def open_encoder(
    model: ModelName = None,
    *,
    pooling: str = "mean",
    input: InputValue = PLAIN,
    device: str = "auto",
) -> "Encoder":
    """Find, verify and load an encoder.

    Parameters
    ----------
    model
        As in :func:`source_named`.
    pooling, input, device
        As in :meth:`wsd.encoder.encoder.Encoder.load`.

    Returns
    -------
    Encoder
    """
    record = find_model(source_named(model))
    return load_encoder(record, pooling=pooling, input=input, device=device)


def fitted_encoder(
    encoder: Mapping[str, Any], folder: Path | None = None, *, device: str = "auto"
) -> "Encoder":
    """Load the same encoder that words were fitted with.

    Parameters
    ----------
    encoder : mapping
        Its entry in a model file or in predictions.
    folder : Path, optional
        The folder of its files. By default it is loaded from its source: an installed package, the
        hub client's cache, or a folder.
    device : str

    Raises
    ------
    ModelError
        If a file is missing or has another checksum.
    ConfigError
        If its weights are random, or the device cannot compute in its precision.
    """
    record = dict(encoder["model"])
    if record.get("random_weights") is not None:
        problem = "an encoder with random weights is a control, not for use on new text"
        raise ConfigError(problem, fix="choose another with --model")
    if folder is not None:
        record["source"] = {"path": str(folder)}
    try:
        files = model_files.verify(record)
    except ModelError as error:
        problem = f"the encoder that the words were fitted with is needed: {error.problem}"
        source = ", ".join(f"{key} {value}" for key, value in record["source"].items())
        fix = f"install or fetch it ({source}); or name a folder with its files by --encoder"
        raise ModelError(problem, where=error.where, fix=fix) from None
    from wsd.encoder.encoder import Encoder

    options = {key: encoder[key] for key in ("pooling", "input", "precision")}
    return Encoder.load(str(files), device=device, **options)


ALL = "all"  # the layer choice of an array with every single layer


def feature_vectors(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    several: Sequence[Features],
    **how: Any,
) -> Iterator[np.ndarray]:
    """Yield the vectors of several feature sets, from one pass of the encoder.

    Parameters
    ----------
    encoder : Encoder
    corpus : Corpus
    aligned : sequence of Aligned
        The word pieces of its instances, as from ``encoder.align``.
    several : sequence of Features
        The views, and the layer choice of each.
    **how
        ``threads`` and ``progress``, as in :func:`hidden_states`.

    Yields
    ------
    float32 array of shape (len(corpus), features)

    Raises
    ------
    ModelError
        If a vector is not finite; it names the instance.
    """
    keys = list(dict.fromkeys(key for features in several for key in keys_of(features)))
    states = hidden_states(encoder, corpus, aligned, keys, **how)
    for features in several:
        yield assemble(features, lambda view, layer: states[:, keys.index((view, layer))])


def keys_of(features: Features) -> list[tuple[str, int]]:
    """Return the view and layer of each hidden state that features need."""
    return [(view, layer) for view, choice in features.parts for layer in choice.layers]


def hidden_states(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    keys: Sequence[tuple[str, int]],
    *,
    threads: int = 1,
    progress: bool = False,
) -> np.ndarray:
    """Return layers of views, from one pass of the encoder.

    Other parameters and errors are as in :func:`feature_vectors`. Batches depend on the
    sentences alone, so that a layer equals the result of :func:`feature_vectors` bit by bit.

    Parameters
    ----------
    keys : sequence of (view, layer)
    threads : int
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    float32 array of shape (len(corpus), len(keys), width)
    """
    views = list(dict.fromkeys(view for view, _ in keys))
    states = np.empty((len(corpus), len(keys), encoder.width), dtype=np.float32)
    with tqdm(total=len(corpus), unit=" sentences", disable=not progress) as bar:
        for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=threads):
            for i, (view, layer) in enumerate(keys):
                states[rows, i] = vectors[views.index(view), layer]
            bar.update(len(rows))
    return states
