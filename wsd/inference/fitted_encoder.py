"""The very encoder that words were fitted with, found again by the checksums of its files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.artifacts.views import MASKED
from wsd.encoder import sources
from wsd.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder


def open_encoder(
    encoder: Mapping[str, Any], folder: Path | None = None, *, device: str = "auto"
) -> "Encoder":
    """The very encoder that words were fitted with.

    Parameters
    ----------
    encoder : mapping
        What a model file or predictions say of it.
    folder : Path, optional
        Where its files are; by default where they came from: an installed package, the hub
        client's cache, or a folder.
    device : str

    Raises
    ------
    ModelError
        If it is not there, or a file of it has another checksum.
    ConfigError
        If its weights are random, or the device cannot compute in its precision.
    """
    record = dict(encoder["model"])
    if record.get("random_weights") is not None:
        raise ConfigError("an encoder with random weights is a control, not for use on new text")
    if folder is not None:
        record["source"] = {"path": str(folder)}
    try:
        found = sources.verify(record, mend=False)
    except ModelError as error:
        raise ModelError(
            f"the encoder that the words were fitted with is needed: {error.what}",
            where=error.where,
            fix=_way_to(record),
        ) from None
    from wsd.encoder.encoder import Encoder

    return Encoder.load(
        str(found),
        pooling=encoder["pooling"],
        masked=encoder["input"] == MASKED,
        device=device,
        precision=encoder["precision"],
    )


def _way_to(record: Mapping[str, Any]) -> str:
    source = record["source"]
    own = "name a folder that has its files, with --encoder"
    if "hub" in source:
        return (
            f"fetch it: wsd model --name {record['name']} --hub {source['hub']} --revision "
            f"{source['revision']} --blocks {record['blocks']} --width {record['width']} "
            f"--out {record['name']}.json; or {own}"
        )
    if "package" in source:
        name = source["package"].replace("_", "-")
        return f"pip install {name}=={source['version']}; or {own}"
    return own
