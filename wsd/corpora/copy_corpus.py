"""Copy a corpus that ``wsd import`` wrote, and check every file.

For an imported corpus, a run does this instead of the download.
"""

import argparse
import json
import shutil
from pathlib import Path

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import MANIFEST, check_name, read_manifest
from wsd.artifacts.run_json import list_folders
from wsd.errors import CorpusError
from wsd.storage.atomic import replacing
from wsd.storage.checksums import sha256
from wsd.storage.json import write_json


def copy(folder: Path, out: Path, *, name: str, title: str | None = None) -> None:
    """Copy the files of a corpus, check their checksums, and write the manifest last.

    Parameters
    ----------
    folder : Path
        Written by ``wsd import``.
    out : Path
    name, title
        The name and title of the corpus in this run. They go into the manifest of the copy.

    Raises
    ------
    CorpusError
        If the manifest is invalid, or a file is missing or has another checksum.
    """
    dataset = read_manifest(folder / MANIFEST, name=name, title=title)
    for file, expected in dataset.digests.items():
        source = folder / file
        if not source.exists():
            raise CorpusError("a corpus file is missing", where=str(source), fix="import again")
        with replacing(out / file) as temporary:
            shutil.copyfile(source, temporary)
            digest = sha256(temporary)
            if digest != expected:
                problem = "the file has changed since its import"
                problem += f": its SHA-256 is {digest}, not {expected}"
                fix = "import again; to keep the change, import this folder: "
                fix += f"`wsd import {folder} --out OTHER --name {name}`"
                raise CorpusError(problem, where=str(source), fix=fix)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    write_json(out / MANIFEST, {**manifest, "name": dataset.name, "title": dataset.title})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--title", help="(default: the title in the manifest)")
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_name(args.name, "--name")
    copy(args.folder, args.out, name=args.name, title=args.title)
    list_folders(args.listings)
