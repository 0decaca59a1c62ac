"""A folder put in order before a run begins: nothing half-written, damaged, or missing without a
notice.
"""

import json
import os
import sys
from base64 import urlsafe_b64decode
from pathlib import Path

from wsd.errors import visible
from wsd.storage.atomic import probe, replacing
from wsd.storage.partial import sweep
from wsd.storage.times import from_the_future

MISSING = "the file is missing"


def put_in_order(results: Path) -> None:
    """Nothing half-written, nothing damaged, nothing dated in the future."""
    from wsd.run import check

    probe(results)
    for path in sweep(results):
        say(f"removed, left half-written by a run that was killed: {path}")
    for path, what in check.damaged(results, quick=True):
        aside = check.put_away(path)
        say(f"damaged: {path}: {what}. Kept as {aside.name}; what it takes is made again")
    if ahead := from_the_future(results):
        say(f"{len(ahead)} files, such as {ahead[0]}, are dated in the future: dated now")


def redo_missing(state: Path) -> list[Path]:
    """Have every result that is not there made again, and say which.

    When a job fails, Snakemake removes what it should have made and notes the new settings as
    those of the missing files. A later run then finds nothing that asks for them, as long as what
    was made of the old ones is there, and would keep figures of the old settings. A note that says
    another command than the step's makes it run again, whoever asks for its files.

    Parameters
    ----------
    state : Path
        Snakemake's folder, with a note per result under ``metadata``.
    """
    notes, found = state / "metadata", []
    for note in sorted(path for path in notes.rglob("*") if path.is_file()):
        # Long names are spread over folders, each part but the last behind an @.
        parts = [part.removeprefix("@") for part in note.relative_to(notes).parts]
        try:
            result = Path(urlsafe_b64decode("".join(parts)).decode())
            if result.parts[:1] != ("results",) or os.path.lexists(result):
                continue
            said = json.loads(note.read_text(encoding="utf-8"))
            with replacing(note) as temporary:
                temporary.write_text(json.dumps({**said, "code": MISSING}), encoding="utf-8")
        except (TypeError, ValueError):  # not one of these notes, or half of one
            continue
        found.append(result)
    return found


def say(text: str) -> None:
    """Tell whoever started the run."""
    print(visible(text), file=sys.stderr, flush=True)
