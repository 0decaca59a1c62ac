"""Write predictions, vectors or scores of a run as one table, for other programs."""

import argparse
import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.arguments import add_choice, add_configuration, add_results, writes
from wsd.errors import ConfigError, unknown_choice
from wsd.fitted.selected_results import Results
from wsd.inference import result_tables
from wsd.logs import log
from wsd.storage.atomic import check_target, replacing
from wsd.storage.csv import write_csv
from wsd.storage.parquet import METADATA_KEY

if TYPE_CHECKING:
    import pyarrow as pa

PREDICTIONS, VECTORS, SCORES = CONTENTS = ("predictions", "vectors", "scores")
PARQUET, JSON_LINES, CSV = SUFFIXES = (".parquet", ".jsonl", ".csv")


def write(path: Path, tables: Iterator["pa.Table"], provenance: Mapping[str, Any]) -> int:
    """Write tables with the same columns as one file, atomically; return the number of rows.

    Parameters
    ----------
    path : Path
        Its suffix, among ``SUFFIXES``, decides the format.
    tables : iterator of Table
    provenance : mapping
        Goes into the metadata of Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix.lower() == CSV:
        frame = pa.concat_tables(tables).to_pandas()
        if "scores" in frame:
            frame["scores"] = [json.dumps(list(scores)) for scores in frame["scores"]]
        write_csv(path, frame)
        return len(frame)
    number, writer = 0, None
    with replacing(path) as temporary, temporary.open("wb") as file:
        for table in tables:
            number += len(table)
            if path.suffix.lower() == JSON_LINES:
                lines = (f"{json.dumps(row)}\n" for row in table.to_pylist())
                file.writelines(line.encode() for line in lines)
                continue
            packed = json.dumps(provenance, sort_keys=True).encode()
            schema = table.schema.with_metadata({METADATA_KEY: packed})
            writer = writer or pq.ParquetWriter(file, schema, compression="zstd")
            writer.write_table(table.replace_schema_metadata({METADATA_KEY: packed}))
        if writer:
            writer.close()
    return number


def _check(args: argparse.Namespace) -> None:
    """Refuse a format that the content does not have."""
    check_target(args.out)
    suffix = args.out.suffix.lower()
    expected = (PARQUET, JSON_LINES) if args.what == VECTORS else SUFFIXES
    if suffix not in expected:
        problem = f"{args.what} cannot be written as {suffix or 'a file without a suffix'}"
        fix = f"end the name in {' or '.join(expected)}"
        raise ConfigError(problem, where=str(args.out), fix=fix)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_results(parser)
    add_choice(parser, "--what", CONTENTS, "the content (default: predictions)")
    add_configuration(parser)
    text = "only these words (default: all)"
    parser.add_argument("--words", nargs="+", default=[], metavar="WORD", help=text)
    text = f"the table ({', '.join(SUFFIXES)}; docs/reference/tables.md)"
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help=text)
    writes(parser, "out")


def run(args: argparse.Namespace) -> None:
    """Write the table."""
    _check(args)
    results = Results(args.results, args.of_run)
    named = {name: getattr(args, name) for name in result_tables.NAMES}
    used: Mapping[str, str | None] = named
    if args.what == SCORES:
        tables = result_tables.scores(results, named, args.words)
    elif args.what == VECTORS:
        model, view, layers = _feature_set(results, named)
        used = {"model": model, "view": view, "layers": layers}
        tables = result_tables.vectors(results, model, view, layers, args.words)
    else:
        configuration = results.choose(**named)
        used = vars(configuration)
        tables = result_tables.predictions(results, configuration, args.words)
    about = {"what": args.what, **used, "wsd": version("wsd")}
    number = write(args.out, tables, about)
    log.info(f"table: {args.out}, {number:,} rows")


def _feature_set(results: Results, named: Mapping[str, str | None]) -> tuple[str, str, str]:
    """Return the model, the views and the layers; any stored layers, or the selected ones."""
    if named["layers"] is None:
        chosen = results.choose(named["model"], named["view"])
        return chosen.model, chosen.view, chosen.layers
    model = named["model"] or results.choose().model
    known = dict.fromkeys(n.split("/")[0] for n in results.map.files if "/embeddings/" in n)
    if model not in known:
        raise unknown_choice(f"the run has no vectors of {model!r}", known, "--model")
    return model, named["view"] or "focal", named["layers"]
