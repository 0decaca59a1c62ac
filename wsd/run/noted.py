"""Which results have notes (:mod:`wsd.run.notes`), and which files no step has written."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wsd.run.listings import is_listed

# In the folder of all results: what the workflow knows of them. In it Snakemake's notes of what it
# made and of what it is making, in folders of Snakemake's names.
STATE, NOTES, CUT_OFF = ".state", "metadata", "incomplete"


def noted_results(results: Path) -> Iterator[tuple[Path, Path]]:
    """Every note, and the result that it is of, as Snakemake names it."""
    notes = results / STATE / NOTES
    for note in sorted(path for path in notes.rglob("*") if path.is_file()):
        encoded = "".join(part.removeprefix("@") for part in note.relative_to(notes).parts)
        with suppress(ValueError):  # not one of these notes
            result = Path(urlsafe_b64decode(encoded).decode())
            if result.parts[:1] == (results.name,):
                yield note, result


def not_of_a_step(results: Path, paths: Iterable[Path]) -> list[Path]:
    """The files that no step has written, such as the user's own.

    Parameters
    ----------
    results : Path
        Folder of all results. Without notes of any step there, every file may be one's.
    paths : iterable of Path
        Files below it.
    """
    of_steps = set()
    for note, result in noted_results(results):
        with suppress(AttributeError, ValueError):  # no note, or half of one
            if json.loads(note.read_text(encoding="utf-8")).get("rule"):
                of_steps.add(result)
    found = []
    for path in paths:
        result = path.relative_to(results.parent)
        if of_steps.isdisjoint((result, *result.parents)):
            found += [] if is_listed(result, results.parent) else [path]
    return found if of_steps else []
