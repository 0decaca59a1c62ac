"""Write predictions, vectors or scores of a run as one table, for other programs.

``docs/reference/tables.md`` describes the columns.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from wsd.arguments import add_choice, add_configuration, add_results, writes
from wsd.errors import ConfigError
from wsd.fitted.selected_results import narrowed
from wsd.inference.finished_run import Run, instance_frame, open_run
from wsd.inference.predictor import resolve_word
from wsd.logs import log
from wsd.storage.atomic import check_target, replacing
from wsd.storage.csv import write_csv
from wsd.storage.parquet import METADATA_KEY

PREDICTIONS, VECTORS, SCORES = CONTENTS = ("predictions", "vectors", "scores")
PARQUET, JSON_LINES, CSV = SUFFIXES = (".parquet", ".jsonl", ".csv")


def write(path: Path, frame: pd.DataFrame, provenance: Mapping[str, Any]) -> None:
    """Write a frame atomically.

    Parameters
    ----------
    path : Path
        Its suffix, among ``SUFFIXES``, decides the format.
    frame : DataFrame
    provenance : mapping
        Goes into the metadata of Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    types: dict[str, Any] = {
        str(name): pa.from_numpy_dtype(kind) if is_numeric_dtype(kind) else pa.string()
        for name, kind in frame.dtypes.items()
    }
    if "scores" in frame:
        types["scores"] = pa.list_(pa.struct([("sense", pa.string()), ("score", pa.float64())]))
        pairs = [[{"sense": k, "score": v} for k, v in row.items()] for row in frame["scores"]]
        frame = frame.assign(scores=pd.Series(pairs, frame.index))
    if "vector" in frame:
        types["vector"] = pa.list_(pa.float32(), len(frame["vector"].iloc[0]))
    if path.suffix.lower() == CSV:
        if "scores" in frame:
            frame["scores"] = frame["scores"].map(json.dumps)
        write_csv(path, frame)
        return
    table = pa.Table.from_pandas(frame, pa.schema(types), preserve_index=False)
    with replacing(path) as temporary:
        if path.suffix.lower() == JSON_LINES:
            lines = [f"{json.dumps(row)}\n" for row in table.to_pylist()]
            temporary.write_text("".join(lines), encoding="ascii")
        else:
            about = {METADATA_KEY: json.dumps(provenance, sort_keys=True).encode()}
            table = table.replace_schema_metadata(about)
            pq.write_table(table, temporary, compression="zstd")


def _vectors(run: Run, words: Sequence[str], names: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row per instance of every split, with its vector."""
    corpora, frames = {word: run.results.corpus(word) for word in words}, []
    for word, corpus in corpora.items():
        vectors = run.vectors(word, **names)
        gold = vectors.index.get_level_values("sense")
        columns = {"gold": gold, "vector": list(vectors.to_numpy()), **names}
        frames.append(instance_frame(corpora, word, range(len(corpus)), columns))
    return pd.concat(frames)


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
    check_target(args.out)
    expected = (PARQUET, JSON_LINES) if args.what == VECTORS else SUFFIXES
    if (suffix := args.out.suffix.lower()) not in expected:
        problem = f"{args.what} cannot be written as {suffix or 'a file without a suffix'}"
        fix = f"end the name in {' or '.join(expected)}"
        raise ConfigError(problem, where=str(args.out), fix=fix)
    opened = open_run(args.results, args.of_run)
    words = [resolve_word(word, opened.words) for word in args.words or opened.words]
    names = {name: getattr(args, name) for name in ("model", "view", "layers", "classifier")}
    if args.what == SCORES:
        frame = narrowed(opened.scores, names, "row")
        frame = frame[frame["word"].isin(words)]
    elif args.what == VECTORS:
        if args.layers is None:
            names = vars(opened.choose(args.model, args.view))
        model, view = opened.model_named(names["model"]), names["view"] or "focal"
        layers = opened.results.layer_name(names["layers"], view, model)
        names = {"model": model, "view": view, "layers": layers}
        frame = _vectors(opened, words, names)
    else:
        names = vars(opened.choose(**names))
        frame = opened.predictions(**names, word=words, test=None)
    write(args.out, frame, {"what": args.what, **names, "wsd": version("wsd")})
    log.info(f"table: {args.out}, {len(frame):,} rows")
