"""Ask the Hugging Face hub through its client, and explain what goes wrong.

The client raises many kinds of errors. Each becomes one error that says what was asked for, why it
failed, and what to do.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wsd.errors import WsdError
from wsd.storage.result_files import UNEXPECTED

ANSWER_SECONDS = 10.0


@dataclass(frozen=True)
class Repository:
    """A repository of the hub, and the words for errors about it.

    Attributes
    ----------
    kind : str
        ``model`` or ``dataset``.
    name, revision : str
    name_at, revision_at : str
        Where the user wrote them.
    ways_on : str
        What else the user can do.
    error : type of WsdError
    """

    kind: str
    name: str
    revision: str
    name_at: str
    revision_at: str
    ways_on: str
    error: type[WsdError]

    def explain(self, error: BaseException) -> WsdError:
        """Return the error for the user."""
        from huggingface_hub import constants, errors

        # The client tries the cache after a failed request: the cause is the network's error.
        if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
            error = error.__cause__
        reason, fix = self._reason_and_fix(error)
        problem = f"{self.kind} {self.name} could not be fetched: {reason}"
        where = f"{constants.ENDPOINT}/{self.name} at {self.revision}"
        return self.error(problem, where=where, fix=fix)

    def _reason_and_fix(self, error: BaseException) -> tuple[str, str]:
        from huggingface_hub import errors

        if isinstance(error, errors.GatedRepoError):
            fix = "ask for access on its page and log in with `hf auth login`"
            return "its owner grants access on request only", f"{fix}; or {self.ways_on}"
        if isinstance(error, errors.RevisionNotFoundError):
            return f"the repository has no revision {self.revision}", f"correct {self.revision_at}"
        if isinstance(error, errors.RepositoryNotFoundError):
            fix = f"correct {self.name_at}; for a private one, log in with `hf auth login`"
            return "there is no such repository, or it is private", fix
        if isinstance(error, errors.OfflineModeIsEnabled):
            reason = "it is not in the cache, and HF_HUB_OFFLINE forbids requests"
            return reason, f"unset HF_HUB_OFFLINE; or {self.ways_on}"
        if isinstance(error, errors.HfHubHTTPError):
            status = error.response.status_code
            fix = "log in with `hf auth login`, or remove a token that is not valid; or "
            fix = f"{fix if status in (401, 403) else ''}{self.ways_on}"
            return f"the hub answered {status} {error.response.reason_phrase}", fix
        text = str(error) or type(error).__name__
        if isinstance(error, http_error()):
            return f"the hub cannot be reached: {text}", self.ways_on
        if isinstance(error, AttributeError | LookupError | TypeError):
            text = f"the hub's answer cannot be read: {type(error).__name__} {error}"
        return text.splitlines()[0], f"run again; or {self.ways_on}"


@contextmanager
def client_errors(repository: Repository) -> Iterator[None]:
    """Turn every error of the client into one error about a repository.

    An error of the disk passes unchanged.
    """
    from huggingface_hub import get_session
    from huggingface_hub.utils.tqdm import disable_progress_bars

    session = get_session()
    session.event_hooks = {
        **session.event_hooks,
        "response": [partial(_refuse_path, repository.error)],
    }
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        yield
    # For an answer that it cannot use, the client raises OSError, or fails in its own code.
    except (http_error(), OSError, *UNEXPECTED) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise repository.explain(error) from error


def http_error() -> type[Exception]:
    """Return the base class of the errors of the client's HTTP library."""
    from huggingface_hub import errors

    return errors.HTTPError  # type: ignore[attr-defined, no-any-return, unused-ignore]


def remove_from_cache(path: Path) -> None:
    """Remove a file from the client's cache, with every link that leads to it.

    Otherwise the client would link the same file again.
    """
    listing = path.parent.parent.parent / "trees" / f"{path.parent.name}.json"
    while path.is_symlink():
        target = path.parent / path.readlink()
        path.unlink()
        path = target
    path.unlink(missing_ok=True)
    listing.unlink(missing_ok=True)


def _refuse_path(error: type[WsdError], response: Any) -> None:
    """Refuse a tag that is a path, because the client names a file in its cache by the tag."""
    if response.request.method != "HEAD":
        return
    for header in ("X-Linked-Etag", "ETag"):
        tag = response.headers.get(header, "")
        if set(tag.removeprefix("W/")) & {"/", "\\", "\0"}:
            problem = f"the hub's tag for a file is a path: {tag!r}"
            fix = "set HF_ENDPOINT to a hub that you trust, or unset it"
            raise error(problem, where=str(response.url), fix=fix)
