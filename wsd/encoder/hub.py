"""Get the files of a model from the hub, or from the cache of the hub's client.

The client raises many kinds of errors. Each becomes one error that says which model was asked for,
why it could not be fetched, and what to do.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.errors import ModelError
from wsd.storage.result_files import UNEXPECTED

LOG_IN = "log in with `hf auth login`"
WAYS_ON = (
    "use a model that a package carries, as config/minilm.yaml does; "
    "or name a local folder as the model's `path`"
)


def snapshot(hub: str, revision: str, patterns: Sequence[str], *, fetch: bool = True) -> Path:
    """Return the folder of a repository in the client's cache; fetch what is missing."""
    from huggingface_hub import snapshot_download

    with _client_errors(hub, revision):
        folder = snapshot_download(
            hub, revision=revision, allow_patterns=[*patterns], local_files_only=not fetch
        )
    return Path(folder).absolute()


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
    http_error: type[Exception] = getattr(errors, "HTTPError")  # noqa: B009 - not in its types
    try:
        yield
    # For an answer that it cannot use, the client raises OSError, or fails in its own code.
    except (http_error, OSError, *UNEXPECTED) as error:
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

    known = {
        errors.GatedRepoError: (
            "its owner grants access on request only",
            f"ask for access on its page and {LOG_IN}; or {WAYS_ON}",
        ),
        errors.RevisionNotFoundError: (
            f"the repository has no revision {revision}",
            "correct the model's `revision`",
        ),
        errors.RepositoryNotFoundError: (
            "there is no such repository, or it is private",
            f"correct the model's `hub`; for a private one, {LOG_IN}",
        ),
        errors.OfflineModeIsEnabled: (
            "it is not in the cache, and HF_HUB_OFFLINE forbids requests",
            f"unset HF_HUB_OFFLINE; or {WAYS_ON}",
        ),
    }
    for kind, reason_and_fix in known.items():
        if isinstance(error, kind):
            return reason_and_fix
    text = f"{type(error).__name__} {error}".splitlines()[0]
    return text, f"run again; for a refused request, {LOG_IN} or remove a token; or {WAYS_ON}"


def _refuse_path(response: Any) -> None:
    """Refuse a tag that is a path, because the client names a file in its cache by the tag."""
    for header in ("X-Linked-Etag", "ETag"):
        tag = response.headers.get(header, "")
        is_path = set(tag.removeprefix("W/")) & {"/", "\\", "\0"}
        if is_path and response.request.method == "HEAD":
            problem = f"the hub's tag for a file is a path: {tag!r}"
            fix = "set HF_ENDPOINT to a hub that you trust, or unset it"
            raise ModelError(problem, where=str(response.url), fix=fix)
