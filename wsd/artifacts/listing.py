"""Which files a step of many words has made, in one small file for all words.

Snakemake asks for the time and size of every input of every job, again and again: a rule that
named a file per word would keep it busy for longer than the work takes. So rules name the listing:
a JSON object of each file's path, from the listing's folder, and its checksum. The words' tables
have one, and each view of a model's vectors.
"""

from collections.abc import Mapping
from pathlib import Path

from wsd.storage.json import write_json

# In the folder of the words' tables.
TABLES = "words.json"


def of_part(folder: Path, kind: str, part: int) -> Path:
    """The listing of one part of the words; no word's folder has a dot in its name."""
    return folder / f"{kind}.{part}.json"


def write_listing(out: Path, checksums: Mapping[Path, str | None]) -> None:
    """List files that lie below the listing's folder, with their checksums."""
    found = {path.relative_to(out.parent).as_posix(): said for path, said in checksums.items()}
    write_json(out, found)
