"""Get a model from the hub, or from the cache of the hub's client."""

from pathlib import Path

from wsd.artifacts.encoder_record import FULL_COMMIT, config_entry
from wsd.encoder.model_files import PATTERNS, WEIGHTS_INDEX, lacking, refuse_pickled
from wsd.encoder.unsupported_folders import refuse_layout
from wsd.errors import ConfigError, ModelError
from wsd.storage.hub_client import ANSWER_SECONDS, Repository, client_errors, remove_from_cache

WAYS_ON = (
    "use a model that a package carries, as config/minilm.yaml does; "
    "or name a local folder as the model's `path`"
)


def forget(path: Path) -> str:
    """Remove a file from the hub client's cache; return a message that says so."""
    remove_from_cache(path)
    return (
        "it was removed from the hub client's cache: run again to fetch it anew; if the checksum "
        "is the same then, the model's `sha256` does not belong to this revision"
    )


def full_commit(name: str, revision: str | None) -> str:
    """Return a revision, if it is a full commit, which never changes its meaning."""
    if revision is None or not FULL_COMMIT.fullmatch(revision):
        problem = f"not a full commit: {revision!r}; a branch or short hash can change its meaning"
        fix = "give the 40 hexadecimal digits of the commit"
        raise ConfigError(problem, where=config_entry(name, "revision"), fix=fix)
    return revision


def from_hub(name: str, hub: str, revision: str) -> Path:
    """Return the folder of a repository in the client's cache; fetch it if need be."""
    check_repository(name, hub)
    return cached(hub, revision) or _fetched(hub, revision)


def check_repository(name: str, hub: str) -> None:
    """Refuse an invalid name of a repository."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined, unused-ignore]

    try:
        validate_repo_id(hub)
    except HFValidationError as error:
        problem = f"not the name of a repository: {hub!r}"
        fix = "write OWNER/NAME; a few of the oldest repositories have just a NAME"
        raise ConfigError(problem, where=config_entry(name, "hub"), fix=fix) from error


def _snapshot(hub: str, revision: str, *, local_files_only: bool) -> Path:
    from huggingface_hub import snapshot_download

    folder = snapshot_download(
        hub, revision=revision, allow_patterns=PATTERNS, local_files_only=local_files_only
    )
    return Path(folder).absolute()


def cached(hub: str, revision: str) -> Path | None:
    """Return a repository's folder in the client's cache, or None if the model is incomplete.

    There are no requests, and the files are not verified.
    """
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = _snapshot(hub, revision, local_files_only=True)
    except LocalEntryNotFoundError:
        return None
    try:
        # Without a listing of files, the client also returns a folder of an interrupted download.
        return folder if lacking(folder) is None else None
    except ModelError:
        # The index is damaged. The client fetches it again only if it is missing.
        forget(folder / WEIGHTS_INDEX)
        return None


def hub_cache() -> Path:
    """Return the folder of the client's cache."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _fetched(hub: str, revision: str) -> Path:
    from huggingface_hub import HfApi, errors

    places = ("the model's `hub`", "the model's `revision`")
    with client_errors(Repository("model", hub, revision, *places, WAYS_ON, ModelError)):
        try:
            # This request has no retries. Without a network, a download fails only after 23 s.
            info = HfApi().model_info(hub, revision=revision, timeout=ANSWER_SECONDS)
            names = [file.rfilename for file in info.siblings or []]
            refuse_pickled(names, hub)
            refuse_layout(names, hub)
        except errors.HfHubHTTPError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                raise
        return _snapshot(hub, revision, local_files_only=False)
