"""The model hub: from the client's cache, or fetched into it; one message for what goes wrong."""

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
    """Remove a file from the hub client's cache, with every link on the way to its bytes.

    The client trusts whatever it finds at any of these places, and would link it again.
    """
    listing = path.parent.parent.parent / "trees" / f"{path.parent.name}.json"
    while path.is_symlink():
        target = path.parent / path.readlink()
        path.unlink()
        path = target
    path.unlink(missing_ok=True)
    listing.unlink(missing_ok=True)
    return (
        "it was removed from the hub client's cache: run again to fetch it anew; if the same "
        "checksum comes again, the model's `sha256` is not that of this revision"
    )


def full_commit(name: str, revision: str | None) -> str:
    """A revision that cannot change its meaning."""
    if revision is None or not FULL_COMMIT.fullmatch(revision):
        problem = (
            f"not a full commit: {revision!r}; a branch or a short hash can change its meaning"
        )
        fix = "give the 40 hexadecimal digits of the commit"
        raise ConfigError(problem, where=config_entry(name, "revision"), fix=fix)
    return revision


def from_hub(name: str, hub: str, revision: str) -> Path:
    """A repository of the hub, from the client's cache or fetched into it."""
    check_repository(name, hub)
    return cached(hub, revision) or _fetched(hub, revision)


def check_repository(name: str, hub: str) -> None:
    """Refuse what no repository can be called."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import (  # type: ignore[attr-defined, unused-ignore]
        validate_repo_id,
    )

    try:
        validate_repo_id(hub)
    except HFValidationError as error:
        problem = f"not the name of a repository: {hub!r}"
        fix = "write OWNER/NAME, or NAME for one of the oldest"
        raise ConfigError(problem, where=config_entry(name, "hub"), fix=fix) from error


def _snapshot(hub: str, revision: str, *, local_files_only: bool) -> Path:
    from huggingface_hub import snapshot_download

    folder = snapshot_download(
        hub, revision=revision, allow_patterns=PATTERNS, local_files_only=local_files_only
    )
    return Path(folder).absolute()


def cached(hub: str, revision: str) -> Path | None:
    """A repository's folder in the hub client's cache, if all of the model is there.

    Nothing is asked or verified.
    """
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = _snapshot(hub, revision, local_files_only=True)
    except LocalEntryNotFoundError:
        return None
    try:
        # The client returns a folder that an interrupted download left, if it has no listing.
        return folder if lacking(folder) is None else None
    except ModelError:
        # The index is damaged, and as long as it is there the client would not fetch it again.
        forget(folder / WEIGHTS_INDEX)
        return None


def hub_cache() -> Path:
    """Where the hub client keeps what it fetched."""
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
            # Asked without retries: where there is no network, a download takes 23 s to say so.
            info = HfApi().model_info(hub, revision=revision, timeout=ANSWER_SECONDS)
            names = [file.rfilename for file in info.siblings or []]
            refuse_pickled(names, hub)
            refuse_layout(names, hub)
        except errors.HfHubHTTPError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                raise
        return _snapshot(hub, revision, local_files_only=False)
    # The client raises OSError and whatever its own code leads to for an answer it cannot use.
    except (_http_error(), OSError, *UNEXPECTED) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's own words: full, or not writable
        raise _explained(error, hub, revision) from error


def _refuse_path(response: Any) -> None:
    """Refuse an answer whose tag is a path: the client names a file of its cache by it."""
    if response.request.method != "HEAD":
        return
    for header in ("X-Linked-Etag", "ETag"):
        tag = response.headers.get(header, "")
        if set(tag.removeprefix("W/")) & {"/", "\\", "\0"}:
            problem = f"the hub names a file by a path, which no hub does: {tag!r}"
            fix = "set HF_ENDPOINT to a hub that you trust, or unset it"
            raise ModelError(problem, where=str(response.url), fix=fix)


def _http_error() -> type[Exception]:
    """What the client raises when the hub cannot be reached, of its own HTTP library."""
    from huggingface_hub import errors

    return errors.HTTPError  # type: ignore[attr-defined, no-any-return, unused-ignore]


def _explained(error: BaseException, hub: str, revision: str) -> ModelError:
    """One message for whatever the client raised."""
    from huggingface_hub import constants, errors

    # "Not in the cache either" hides what happened on the network.
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    fix = WAYS_ON
    if isinstance(error, errors.GatedRepoError):
        reason = "its owner grants access on request only"
        fix = f"ask for access on its page and log in with `hf auth login`; or {WAYS_ON}"
    elif isinstance(error, errors.RevisionNotFoundError):
        reason = f"the repository has no revision {revision}"
        fix = "correct the model's `revision`"
    elif isinstance(error, errors.RepositoryNotFoundError):
        reason = "there is no such repository, or it is private"
        fix = "correct the model's `hub`; for a private one, log in with `hf auth login`"
    elif isinstance(error, errors.OfflineModeIsEnabled):
        reason = "it is not in the cache, and HF_HUB_OFFLINE forbids to fetch it"
        fix = f"unset HF_HUB_OFFLINE; or {WAYS_ON}"
    elif isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        reason = f"the hub answered {status} {error.response.reason_phrase}"
        if status in (401, 403):
            fix = f"log in with `hf auth login`, or remove a token that is not valid; or {WAYS_ON}"
    elif isinstance(error, _http_error()):
        reason = f"the hub cannot be reached: {str(error) or type(error).__name__}"
    elif isinstance(error, AttributeError | LookupError | TypeError):
        reason = f"the hub's answer cannot be read: {type(error).__name__} {error}"
        fix = f"run again; or {WAYS_ON}"
    else:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        fix = f"run again; or {WAYS_ON}"
    problem = f"model {hub} could not be had: {reason}"
    return ModelError(problem, where=f"{constants.ENDPOINT}/{hub} at {revision}", fix=fix)
