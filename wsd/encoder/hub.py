"""Get a model from the hub, or from the cache of the hub's client.

Whatever error the client raises becomes one message.
"""

import sys
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import FULL_COMMIT, config_entry
from wsd.encoder.model_files import PATTERNS, WEIGHTS_INDEX, lacking, refuse_pickled
from wsd.encoder.unsupported_folders import refuse_layout
from wsd.errors import ConfigError, ModelError
from wsd.storage.result_files import UNEXPECTED

ANSWER_SECONDS = 10.0
WAYS_ON = (
    "use a model that a package carries, as config/minilm.yaml does; "
    "or name a local folder as the model's `path`"
)


def forget(path: Path) -> str:
    """Remove a file from the hub client's cache, with every link that leads to it.

    Otherwise the client would link the same file again. Return a message that says so.
    """
    listing = path.parent.parent.parent / "trees" / f"{path.parent.name}.json"
    while path.is_symlink():
        target = path.parent / path.readlink()
        path.unlink()
        path = target
    path.unlink(missing_ok=True)
    listing.unlink(missing_ok=True)
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
    from huggingface_hub import HfApi, errors, get_session
    from huggingface_hub.utils.tqdm import disable_progress_bars

    session = get_session()
    session.event_hooks = {**session.event_hooks, "response": [_refuse_path]}
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
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
    # For an answer that it cannot use, the client raises OSError, or fails in its own code.
    except (_http_error(), OSError, *UNEXPECTED) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the disk
        raise _explained(error, hub, revision) from error


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


def _http_error() -> type[Exception]:
    """Return the base class of the errors of the client's HTTP library."""
    from huggingface_hub import errors

    return errors.HTTPError  # type: ignore[attr-defined, no-any-return, unused-ignore]


def _explained(error: BaseException, hub: str, revision: str) -> ModelError:
    from huggingface_hub import constants, errors

    # The client tries the cache after a failed request: the cause is the error of the network.
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    reason, fix = _reason_and_fix(error, revision)
    problem = f"model {hub} could not be fetched: {reason}"
    return ModelError(problem, where=f"{constants.ENDPOINT}/{hub} at {revision}", fix=fix)


def _reason_and_fix(error: BaseException, revision: str) -> tuple[str, str]:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        fix = "ask for access on its page and log in with `hf auth login`"
        return "its owner grants access on request only", f"{fix}; or {WAYS_ON}"
    if isinstance(error, errors.RevisionNotFoundError):
        return f"the repository has no revision {revision}", "correct the model's `revision`"
    if isinstance(error, errors.RepositoryNotFoundError):
        fix = "correct the model's `hub`; for a private one, log in with `hf auth login`"
        return "there is no such repository, or it is private", fix
    if isinstance(error, errors.OfflineModeIsEnabled):
        reason = "it is not in the cache, and HF_HUB_OFFLINE forbids requests"
        return reason, f"unset HF_HUB_OFFLINE; or {WAYS_ON}"
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        fix = "log in with `hf auth login`, or remove a token that is not valid; or "
        fix = f"{fix if status in (401, 403) else ''}{WAYS_ON}"
        return f"the hub answered {status} {error.response.reason_phrase}", fix
    text = str(error) or type(error).__name__
    if isinstance(error, _http_error()):
        return f"the hub cannot be reached: {text}", WAYS_ON
    if isinstance(error, AttributeError | LookupError | TypeError):
        text = f"the hub's answer cannot be read: {type(error).__name__} {error}"
    return text.splitlines()[0], f"run again; or {WAYS_ON}"
