"""Get a model from the hub, or from the cache of the hub's client.

The client raises many kinds of errors. Each becomes one error that says which model was asked for,
why it could not be fetched, and what to do.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import FULL_COMMIT, config_entry
from wsd.encoder.model_files import PATTERNS, is_whole
from wsd.errors import ConfigError, ModelError
from wsd.storage.result_files import UNEXPECTED

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

    with _client_errors(hub, revision):
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


@contextmanager
def _client_errors(hub: str, revision: str) -> Iterator[None]:
    """Turn every error of the client into one error about a model.

    An error of the disk passes unchanged.
    """
    from huggingface_hub import constants, errors, get_session
    from huggingface_hub.utils.tqdm import disable_progress_bars

    session = get_session()
    session.event_hooks = {**session.event_hooks, "response": [_refuse_path]}
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        yield
    # For an answer that it cannot use, the client raises OSError, or fails in its own code.
    except (_http_error(), OSError, *UNEXPECTED) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        cause: BaseException = error
        # The client tries the cache after a failed request: the cause is the network's error.
        if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
            cause = error.__cause__
        reason, fix = _reason_and_fix(cause, revision)
        problem = f"model {hub} could not be fetched: {reason}"
        where = f"{constants.ENDPOINT}/{hub} at {revision}"
        raise ModelError(problem, where=where, fix=fix) from error


def _reason_and_fix(error: BaseException, revision: str) -> tuple[str, str]:
    """Return why a model could not be fetched, and what to do."""
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        fix = f"ask for access on its page and log in with `hf auth login`; or {WAYS_ON}"
        return "its owner grants access on request only", fix
    if isinstance(error, errors.RevisionNotFoundError):
        return f"the repository has no revision {revision}", "correct the model's `revision`"
    if isinstance(error, errors.RepositoryNotFoundError):
        fix = "correct the model's `hub`; for a private one, log in with `hf auth login`"
        return "there is no such repository, or it is private", fix
    if isinstance(error, errors.OfflineModeIsEnabled):
        reason = "it is not in the cache, and HF_HUB_OFFLINE forbids requests"
        return reason, f"unset HF_HUB_OFFLINE; or {WAYS_ON}"
    if isinstance(error, errors.HfHubHTTPError):
        status, login = error.response.status_code, ""
        if status in (401, 403):
            login = "log in with `hf auth login`, or remove a token that is not valid; or "
        return f"the hub answered {status} {error.response.reason_phrase}", f"{login}{WAYS_ON}"
    text = str(error) or type(error).__name__
    if isinstance(error, _http_error()):
        return f"the hub cannot be reached: {text}", WAYS_ON
    if isinstance(error, AttributeError | LookupError | TypeError):
        text = f"the hub's answer cannot be read: {type(error).__name__} {error}"
    return text.splitlines()[0], f"run again; or {WAYS_ON}"


def _http_error() -> type[Exception]:
    """Return the base class of the errors of the client's HTTP library."""
    from huggingface_hub import errors

    return errors.HTTPError  # type: ignore[attr-defined, no-any-return, unused-ignore]


def _refuse_path(response: Any) -> None:
    """Refuse a tag that is a path, because the client names a file in its cache by the tag."""
    if response.request.method != "HEAD":
        return
    for header in ("X-Linked-Etag", "ETag"):
        tag = response.headers.get(header, "")
        if set(tag.removeprefix("W/")) & {"/", "\\", "\0"}:
            problem = f"the hub's tag for a file is a path: {tag!r}"
            fix = "set HF_ENDPOINT to a hub that you trust, or unset it"
            raise ModelError(problem, where=str(response.url), fix=fix)
