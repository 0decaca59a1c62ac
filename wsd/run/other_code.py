"""Which results were made by other code than the program's: those that the next run makes again.

Snakemake's notes (:mod:`wsd.run.notes`) have the checksum of the file that stands for a step's
modules (:mod:`wsd.run.steps`), as it was when the result was made.
"""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

from wsd.commands import COMMANDS
from wsd.run import steps
from wsd.run.listings import is_listed
from wsd.run.noted import noted_results

SUMS = "input_checksums"


def made_by_other_code(results: Path) -> Counter[str]:
    """How many of the files that are there each step made with other modules than it has now.

    Parameters
    ----------
    results : Path
        Folder of all results.

    Returns
    -------
    Counter of step
        A step that is none any more counts too.
    """
    found: Counter[str] = Counter()
    now: dict[str, str] = {}
    noted = {result: note for note, result in noted_results(results)}
    for result, note in noted.items():
        path = results.parent / result
        # Of a file in a folder, or of a listing, the note may be of before there were these.
        listed = is_listed(result, results.parent)
        if not path.exists() or listed or not noted.keys().isdisjoint(result.parents):
            continue
        with suppress(AttributeError, KeyError, TypeError, ValueError):  # no note, or half of one
            for path, said in json.loads(note.read_text(encoding="utf-8"))[SUMS].items():
                step = Path(path).stem
                if Path(path).parent.name == steps.FOLDER:
                    if step not in now:
                        now[step] = steps.checksum(step) if step in COMMANDS else ""
                    found[step] += said != f"sha256:{now[step]}"
    return +found
