"""Snakemake's notes on results, which decide what is made again, kept beside the results.

Snakemake notes of every result which command, settings and inputs made it, under
``.snakemake/metadata``, and of jobs that were cut off under ``.snakemake/incomplete``. Without them
it takes any file that is there for what the config asks for. So they lie in ``results/.state/``,
and ``.snakemake`` has links to them: what is kept, copied or shared are results with their notes,
and ``.snakemake`` may go. A result that has no note is made again.
"""

import json
import os
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wsd.run.listings import is_listed, is_listing, is_whole
from wsd.run.lock import say
from wsd.run.noted import CUT_OFF, NOTES, STATE, noted_results
from wsd.storage.atomic import storing

# What lies among the results and is none, or is of all of them; benchmarks are of earlier versions.
ASIDE = {"logs", "benchmarks", "README.md", "index.html"}
# What stands in a note in place of a step's command, so that the step runs again.
MISSING = "a file is missing"
UNKNOWN = "nobody noted what made the file"


def keep_beside(results: Path, snakemake: Path) -> None:
    """Let Snakemake's notes lie beside the results, also those that it has already.

    Parameters
    ----------
    results : Path
        Folder of all results.
    snakemake : Path
        Snakemake's own folder, ``.snakemake``.

    Raises
    ------
    StorageError
        If a folder cannot be written, or its disk knows no links.
    """
    for name in (NOTES, CUT_OFF):
        home, place = results / STATE / name, snakemake / name
        with storing(home):
            home.parent.mkdir(parents=True, exist_ok=True)
            if place.is_dir() and not place.is_symlink():  # as Snakemake makes it
                if home.exists():
                    shutil.rmtree(place)
                else:
                    shutil.move(place, home)
            home.mkdir(exist_ok=True)
        target = os.path.relpath(home.absolute(), place.parent.absolute())
        with storing(place):
            place.parent.mkdir(exist_ok=True)
            if not place.is_symlink() or str(place.readlink()) != target:
                place.unlink(missing_ok=True)
                place.symlink_to(target)


def redo(results: Path, version: int) -> None:
    """Have every result made again that is not there, or of which there is no note; of many words'
    files, the listing counts as not there when one of them is not.

    When a job fails, Snakemake removes what it should have made and notes the new settings as
    those of the missing files. A later run then finds nothing that asks for them, as long as what
    was made of the old ones is there, and would keep figures of the old settings. And it takes a
    file without a note, or with one in an older form, for what is asked for. A note that says
    another command than the step's makes it run again, whoever asks for its files.

    Parameters
    ----------
    results : Path
    version : int
        Of the form of Snakemake's notes.
    """
    notes = results / STATE / NOTES
    noted = set()
    for note, result in noted_results(results):
        with suppress(AttributeError, ValueError):  # no note, or half of one
            said = json.loads(note.read_text(encoding="utf-8"))
            if said.get("record_format_version") == version:
                noted.add(result)
            path = results.parent / result
            if not os.path.lexists(path) or (is_listing(result) and not is_whole(path)):
                _say(note, {**said, "code": MISSING})
    # Of a folder that a rule names, its files are not noted; nor those that a listing names.
    unknown = [
        path
        for path in _files(results)
        if noted.isdisjoint((path, *path.parents)) and not is_listed(path, results.parent)
    ]
    for path in unknown:
        _say(_note(notes, path), {"code": UNKNOWN, "record_format_version": version})
    # Pages have files beside them that no rule names: some are without a note after every run.
    if unknown and not noted:
        say(
            f"{results}: nobody noted what made the {len(unknown)} files here, so they are made "
            "again. If they are what the config asks for, `snakemake --touch --cores 1`, with its "
            "--configfile, keeps them"
        )


def _files(results: Path) -> Iterator[Path]:
    """Every result, as Snakemake names it."""
    for root, folders, files in os.walk(results):
        aside = ASIDE if Path(root) == results else set()
        folders[:] = [name for name in folders if not name.startswith(".") and name not in aside]
        for name in files:
            if not name.startswith(".") and not name.endswith(".damaged") and name not in aside:
                yield (Path(root) / name).relative_to(results.parent)


def _note(notes: Path, result: Path) -> Path:
    """Where the note of a result is; a long name is spread over folders, which begin with an @."""
    most = os.pathconf(notes, "PC_NAME_MAX") - 1  # that depends on the disk
    encoded = urlsafe_b64encode(str(result).encode()).decode()
    parts = [encoded[i : i + most] for i in range(0, len(encoded), most)]
    return notes.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])


def _say(note: Path, text: dict[str, object]) -> None:
    with storing(note):
        note.parent.mkdir(parents=True, exist_ok=True)
        # In one go: half a note counts as none.
        note.write_text(json.dumps(text), encoding="utf-8")
