"""Which results are no longer what was written, and the command that says so. It also says in how
many test sentences `wsd predict` would find the focal word.

A file that later steps read has its checksum in ``.sums`` beside it (:mod:`wsd.storage.atomic`); a
file of vectors has one per layer in itself (:mod:`wsd.artifacts.vectors`); a downloaded file is in
the dataset's manifest (:mod:`wsd.corpora.archive`), or in that of the user's own corpus
(:mod:`wsd.corpora.own`).
"""

import argparse
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from wsd import logs
from wsd.arguments import add_configfiles, add_run
from wsd.artifacts.corpus import read
from wsd.artifacts.dataset import MANIFEST, OF_PAIRS
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.pair_cosines import COSINES, TABLE
from wsd.artifacts.pairs import PAGE
from wsd.artifacts.runs import described_runs
from wsd.artifacts.vectors import VECTORS, check_vectors
from wsd.corpora.archive import changed_files
from wsd.corpora.found import FoundCount, found_in_test
from wsd.corpora.own import changed_copies
from wsd.encoder.model_files import WEIGHTS
from wsd.errors import ConfigError, DamageError, ResultError
from wsd.run.noted import not_of_a_step
from wsd.run.settings import Config
from wsd.storage.checksums import SUMMED, has_checksum, set_aside, verify
from wsd.storage.file_names import file_name

# What a run of any config ends with, in the folder of its tables.
TABLES = (
    "selection.json", "selection.csv", "scores.csv", "summary.csv", "provenance.json",
    "comparison.csv", "report/index.html",
)  # fmt: skip
# The same of a corpus without senses.
USES = ("uses/uses.csv", "uses/index.html")
SOURCE = Path("coarsewsd20/source")
FIND_RESULTS = "name the folder of the results, or change to the folder that it is in"
OTHER = "not the dataset's file: its SHA-256 is another"


def damaged(results: Path, *, quick: bool = False) -> Iterator[tuple[Path, str]]:
    """Every file below ``results`` that is not what was written, and what is wrong with it.

    Parameters
    ----------
    results : Path
    quick : bool
        Of vectors look at the header and the size alone; their layers are checked when they
        are read.
    """
    for path in _files(results):
        try:
            if path.suffix == VECTORS and path.name != WEIGHTS:
                check_vectors(path, layers=not quick)
            else:
                verify(path)
        except DamageError as error:
            yield path, error.what
    for path in changed_files(results / SOURCE):
        yield path, OTHER
    for manifest in sorted(results.glob(f"*/source/{MANIFEST}")):
        try:
            verify(manifest)
        except DamageError:
            continue  # said already; the copy is made again
        for path in changed_copies(manifest.parent, read_manifest(manifest).digests):
            yield path, OTHER


def _files(results: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(results):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root) / name for name in sorted(files) if not name.startswith("."))


def missing(results: Path, config: Config) -> Iterator[Path]:
    """What a run of a config ends with and is not there: tables, vectors, pages."""
    here, words = results / config.dataset.name, [file_name(word) for word in config.words]
    tables = config.tables(results)
    if config.dataset.of_pairs:
        ends = [f"{name}/{file}" for name in config.models for file in (TABLE, COSINES, PAGE)]
    elif config.dataset.labelled:
        ends = [*TABLES, *(f"report/words/{word}.html" for word in words)]
    else:
        ends = [*USES]
    expected = [
        *(tables / name for name in ends),
        *(here / f"corpus/{word}.parquet" for word in words),
        *(results / config.record(name) for name in config.encoders),
        *(
            here / name / "embeddings" / word / f"{view}{VECTORS}"
            for name, model in config.encoders.items()
            for word in words
            for view in config.stored_views(model)
        ),
    ]
    yield from (path for path in expected if not path.is_file())


def found_words(results: Path, leave_out: Collection[Path]) -> Iterator[tuple[Path, FoundCount]]:
    """Of each dataset, in how many test sentences the focal word is found in running text.

    Parameters
    ----------
    results : Path
        Folder of all results, or of a dataset's.
    leave_out : collection of Path
        Corpora that cannot be relied on.
    """
    for folder in (results / "corpus", *sorted(results.glob("*/corpus"))):
        tables = sorted(folder.glob("*.parquet"))
        if {path.name for path in tables} >= {*OF_PAIRS}:  # whose sentences have no word in common
            continue
        corpora = [path for path in tables if path not in leave_out]
        count = sum((found_in_test(read(path)) for path in corpora), FoundCount())
        if count.sentences:
            yield folder.parent, count


def put_away(path: Path) -> Path:
    """Set a damaged file aside, and say where it is now.

    One of the download would be in the way of the next one, which replaces the whole folder and
    nothing that is not the dataset's: it is moved beside that folder.
    """
    for parent in path.parents:
        if parent.parts[-2:] == SOURCE.parts:
            aside = parent.with_name(f"{path.name}.damaged")
            path.replace(aside)
            return aside
    return set_aside(path)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    text = "as of snakemake: what these ask for must be there"
    add_configfiles(parser, "--configfile", text, nargs="+", default=None)
    add_run(parser, "of those configs, what this run asks for")
    text = "rename what is damaged, so that snakemake makes it again"
    parser.add_argument("--set-aside", action="store_true", help=text)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if not args.results.is_dir():
        what = "no folder of results" if args.results.exists() else "there is no such folder"
        raise ConfigError(what, where=str(args.results), fix=FIND_RESULTS)
    if args.of_run is not None and args.config is None:
        fix = "name the config too, with --configfile"
        raise ConfigError("a run without its config", where="--run", fix=fix)
    wrong = list(damaged(args.results))
    for path, what in wrong:
        aside = f"; kept as {put_away(path).name}" if args.set_aside else ""
        logs.show(f"{path}: {what}{aside}")
    files = [path for path in _files(args.results) if path.suffix in (VECTORS, *SUMMED)]
    unsummed = [path for path in files if path.suffix != VECTORS and not has_checksum(path)]
    foreign = set(not_of_a_step(args.results, unsummed))
    files = [path for path in files if path not in foreign]
    unknown = [path for path in unsummed if path not in foreign]
    for path in sorted(foreign):
        logs.show(f"{path}: no step has written it, so it is not checked")
    gone = list(missing(args.results, args.config)) if args.config else []
    for paths, what in ((unknown, "has no checksum beside it"), (gone, "is not there")):
        for path in paths:
            logs.show(f"{path}: {what}")
    for folder, count in found_words(args.results, {*(path for path, _ in wrong), *unknown}):
        logs.show(f"{folder}: finds the focal word in {count}")
    said = [
        f"{len(paths)} {what}"
        for paths, what in (
            (wrong, "are not what was written"),
            (unknown, "cannot be checked"),
            (gone, "are missing"),
        )
        if paths
    ]
    if not said and not files:
        raise ResultError("nothing to check", where=str(args.results), fix="run snakemake")
    if said:
        again = "run snakemake: what is missing is made again"
        fix = again if args.set_aside or not wrong else f"wsd check --set-aside, and then {again}"
        if unknown:
            fix = f"move files of your own elsewhere, and delete the others without checksum; {fix}"
        raise ResultError(f"of the files, {', '.join(said)}", where=str(args.results), fix=fix)
    for line in described_runs(args.results):
        logs.show(line)
    logs.show(f"{args.results}: {len(files)} files read, each is what was written")
