"""The ``wsd`` command: one thin function per step of the workflow.

Each imports what it needs when it runs, so that a command pays for its own libraries only.
"""

import argparse
import atexit
import gc
import json
import logging
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from wsd import logs, running
from wsd.errors import ConfigError, DamageError, ResultError, WsdError, visible

log = logging.getLogger("wsd")


def _download(args: argparse.Namespace) -> None:
    from wsd.download import download_coarsewsd20

    archive = os.environ.get("WSD_COARSEWSD20_ARCHIVE")
    download_coarsewsd20(args.out, archive=Path(archive) if archive else None)


def _import(args: argparse.Namespace) -> None:
    from wsd import importer
    from wsd.datasets import ABOUT

    text = importer.build(
        args.files,
        out=args.out,
        name=args.name,
        about={key: getattr(args, key) for key in ABOUT},
        word=args.word,
        columns=_columns(args.columns),
        gold=args.gold,
        at_least=args.at_least,
        share=args.test_share,
        seed=args.seed,
    )
    _print(text)


def _columns(items: Sequence[str]) -> dict[str, str]:
    from wsd.importer.tables import NAMES

    pairs = [item.partition("=") for item in items]
    for key, _, name in pairs:
        if key not in NAMES or not name:
            raise ConfigError(
                f"{key}={name} is not KEY=COLUMN",
                where="--columns",
                fix=f"write one of {', '.join(NAMES)}, = and the name that it has in the file",
            )
    return {key: name for key, _, name in pairs}


def _own(args: argparse.Namespace) -> None:
    from wsd import owncorpus

    owncorpus.copy(args.folder, args.out, name=args.name, title=args.title)


def _corpus(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.names import file_name

    table = corpus.read_text(args.source / file_name(args.word), args.word, args.out_of_domain)
    corpus.write(args.out, table)
    log.debug("%s: %d instances of %d senses", args.word, len(table), len(table.senses))


def _trains(args: argparse.Namespace) -> None:
    from wsd import corpus, trains

    trains.build(args.source, corpus.read_all(args.corpus, args.words), args.trains, args.out)


def _published(args: argparse.Namespace) -> None:
    from wsd import corpus, published

    published.build(args.source, args.system, corpus.read_all(args.corpus, args.words), args.out)


def _score(args: argparse.Namespace) -> None:
    from wsd import corpus, outputs

    words = args.words or sorted(path.stem for path in args.corpus.glob("*.parquet"))
    if not words:
        raise ConfigError(
            "no tables of words in the folder", where=str(args.corpus), fix="run snakemake first"
        )
    found = outputs.build(args.file, args.name, corpus.read_all(args.corpus, words), args.out)
    _print(outputs.describe(args.name, found))


def _folds(args: argparse.Namespace) -> None:
    from wsd import corpus, folds, trains

    made = folds.make(
        corpus.read_all(args.corpus, args.words),
        trains.read(args.train) if args.train else None,
        k=args.k,
        repeats=args.repeats,
        seed=args.seed,
    )
    folds.write(args.out, made)


def _model(args: argparse.Namespace) -> None:
    from wsd import models
    from wsd.files import write_json

    record = models.resolve(
        args.name,
        hub=args.hub,
        revision=args.revision,
        package=args.package,
        path=args.path,
        sha256=_pairs(args.sha256),
        blocks=args.blocks,
        width=args.width,
        random_weights=args.random_weights,
    )
    # Where the files are on this machine is no part of what the model is.
    folder = record.pop("folder")
    write_json(args.out, record)
    log.debug("%s: found in %s", args.name, folder)


def _embed(args: argparse.Namespace) -> None:
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    from wsd import corpus, embeddings, models

    try:
        embeddings.embed(
            corpus.read(args.corpus),
            models.read_record(args.model),
            views=args.views,
            pooling=args.pooling,
            seed=args.seed,
            device=args.device,
            threads=args.threads,
            out=args.out,
            input=args.input,
            precision=args.precision,
        )
    except models.CacheError as error:
        # This step asks no hub; the one that made the record does.
        raise DamageError(error.what, path=args.model) from error


def _alignment(args: argparse.Namespace) -> None:
    from wsd import pieces

    pieces.table(args.model, args.embeddings, args.words, args.out)


def _classify(args: argparse.Namespace) -> None:
    _learn(args)


def _control(args: argparse.Namespace) -> None:
    from wsd.control import control_labels

    _learn(args, task="control", relabel=lambda corpus: control_labels(corpus, args.seed))


def _learn(args: argparse.Namespace, **task: Any) -> None:
    from wsd import corpus, predictions

    if not len(args.folds) == len(args.searches) == len(args.out):
        raise ConfigError(
            f"{len(args.folds)} folds, {len(args.searches)} searches, {len(args.out)} outputs",
            where="--folds, --searches, --out",
            fix="give one of each per training set",
        )
    predictions.classify(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        view=args.view,
        layers=args.layers,
        name=args.name or args.estimator,
        estimator=args.estimator,
        space=_object(args.space, "--space"),
        objective=args.objective,
        folds=args.folds,
        searches=args.searches,
        out=args.out,
        **task,
    )


def _classify_selected(args: argparse.Namespace) -> None:
    from wsd import corpus, predictions
    from wsd.files import expecting, read_json

    with expecting(args.selection):
        chosen = read_json(args.selection)["chosen"].get(args.model, {}).get("full", {})
    predictions.classify_per_word(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        chosen=chosen.get("words", {}),
        folds=args.folds,
        out=args.out,
    )


def _baseline(args: argparse.Namespace) -> None:
    from wsd import baselines, corpus

    baselines.build(
        args.name,
        corpus.read_all(args.corpus, args.words),
        objective=args.objective,
        folds=args.folds,
        out=args.out,
    )


def _select(args: argparse.Namespace) -> None:
    from wsd.selection import select

    select(args.searches, objective=args.objective, table=args.table, out=args.out)


def _reproduce(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.reproduce import reproduce

    reproduce(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        layers=args.layers,
        centroids=args.centroids,
        published=args.published,
        out=args.out,
    )


def _project(args: argparse.Namespace) -> None:
    from wsd import corpus, projection

    projection.project(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        view=args.view,
        layers=args.layers,
        out=args.out,
        method=args.method,
        seed=args.seed,
    )


def _neighbours(args: argparse.Namespace) -> None:
    from wsd import corpus, neighbours

    neighbours.neighbours(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        view=args.view,
        layers=args.layers,
        out=args.out,
    )


def _evaluate(args: argparse.Namespace) -> None:
    from wsd.evaluation import evaluate

    evaluate(
        args.predictions,
        dataset=args.dataset,
        config=_object(args.config, "--config"),
        command=args.reproduce,
        scores=args.scores,
        summary=args.summary,
        out=args.provenance,
        systems=args.systems,
    )


def _compare(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.comparison import compare

    compare(
        corpus.read_all(args.corpus, args.words),
        candidates=args.candidates,
        per_word_files=args.per_word,
        baselines=args.baselines,
        views=args.views,
        twins=args.twins,
        control=args.control,
        published=args.published,
        outputs=args.systems,
        selection=args.selection,
        selection_table=args.selection_table,
        scores=args.scores,
        seed=args.seed,
        table=args.table,
        out=args.out,
    )


def _layerwise(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.layerwise import layerwise

    layerwise(
        corpus.read_all(args.corpus, args.words),
        predictions=args.predictions,
        searches=args.searches,
        seed=args.seed,
        layers=args.layers,
        words=args.word_layers,
        models=args.model_layers,
    )


def _figures(args: argparse.Namespace) -> None:
    from wsd import paper

    paper.figures(
        comparison=args.comparison,
        layers=args.layers,
        word_layers=args.word_layers,
        controls=args.controls,
        learning=args.learning,
        out=args.out,
        formats=args.format or paper.FORMATS,
    )


def _geometry(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.geometry import geometry

    geometry(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        view=args.view,
        layers=args.layers,
        seed=args.seed,
        out=args.out,
    )


def _audit(args: argparse.Namespace) -> None:
    from wsd import audit, corpus

    corpora = corpus.read_all(args.corpus, args.words)
    audit.audit_duplicates(corpora, out=args.out / "duplicates.csv")
    audit.audit_instances(
        corpora, args.predictions, judge=args.judge, out=args.out / "instances.csv"
    )
    audit.audit_confusions(corpora, args.predictions, out=args.out / "confusions.csv")


def _code_length(args: argparse.Namespace) -> None:
    from wsd import codelength, corpus

    codelength.measure(
        corpus.read_all(args.corpus, args.words),
        args.embeddings,
        predictions=args.predictions,
        folds=args.folds,
        out=args.out,
    )


def _report(args: argparse.Namespace) -> None:
    from wsd import corpus
    from wsd.datasets import find
    from wsd.report import BEHIND, build_report
    from wsd.report.inputs import CONFIDENCE

    build_report(
        dataset=find(args.dataset),
        corpora=corpus.read_all(args.corpus, args.words),
        predictions=args.predictions,
        projections=args.projections,
        neighbours=args.neighbours,
        tables={
            "scores": [args.scores],
            "summary": [args.summary],
            "comparison": [args.comparison],
            **{name: [args.tables / f"{name}.csv"] for name in BEHIND},
            "geometry": args.geometry,
            "alignment": args.alignment,
            **{name: [folder / f"{name}.csv" for folder in args.confidence] for name in CONFIDENCE},
        },
        provenance=args.provenance,
        view=args.view,
        text=not args.no_text,
        out=args.out,
        portable=args.portable,
    )


def _calibration(args: argparse.Namespace) -> None:
    from wsd.confidence import measure
    from wsd.fitting import Results

    measure(Results(args.results), args.model, seed=args.seed, out=args.out)


def _fit(args: argparse.Namespace) -> None:
    from wsd.files import check_target
    from wsd.fitting import Fitting, Results
    from wsd.modelfile import fit

    check_target(args.out)
    results = Results(args.results)
    chosen = results.choose(args.model, args.view, args.layers, args.classifier)
    fit(Fitting(results, chosen), out=args.out, with_sentences=args.with_sentences)


def _predict(args: argparse.Namespace) -> None:
    # The hub is never asked: `wsd model` alone fetches.
    os.environ["HF_HUB_OFFLINE"] = "1"
    from wsd import answering

    answering.predict(
        texts=args.text,
        file=args.file,
        word=args.word,
        as_json=args.jsonl,
        form=args.format,
        out=args.out,
        model_file=args.model_file,
        results=args.results,
        asked=(args.model, args.view, args.layers, args.classifier),
        encoder=args.encoder,
        device=args.device,
        threads=args.threads,
    )


def _leaderboard(args: argparse.Namespace) -> None:
    from wsd.leaderboard import leaderboard

    _print(leaderboard(args.summary, top=args.top))


def _check(args: argparse.Namespace) -> None:
    from wsd import checking

    found = list(checking.damaged(args.results))
    for path, what in found:
        aside = f"; kept as {checking.put_away(path).name}" if args.set_aside else ""
        _print(f"{path}: {what}{aside}")
    if found:
        again = "run snakemake: what is missing is made again"
        raise ResultError(
            f"{len(found)} files are not what was written",
            where=str(args.results),
            fix=again if args.set_aside else f"wsd check --set-aside, and then {again}",
        )
    _print(f"{args.results}: every file that has a checksum is what was written")


def _doctor(args: argparse.Namespace) -> int:
    from wsd import config, doctor, plan

    files = [Path("config/config.yaml"), *args.configfile]
    checked = config.check(plan.read(files), args.schema)
    findings = doctor.examine(checked, args.results, Path(".snakemake"))
    for finding in findings:
        _print(str(finding))
    over = ["--configfile", *map(str, args.configfile)] if args.configfile else []
    _print(doctor.advice(findings, shlex.join(["snakemake", "--cores", "all", *over])))
    return int(any(finding.state == doctor.BAD for finding in findings))


def _inspect(args: argparse.Namespace) -> None:
    from wsd import focus, inspection, opening

    if len(args.sentence) > 2:
        raise ConfigError(f"{len(args.sentence)} sentences", where="SENTENCE", fix="give 1 or 2")
    if len(args.occurrence) not in (0, 1, len(args.sentence)):
        raise ConfigError(
            f"{len(args.occurrence)} occurrences for {len(args.sentence)} sentences",
            where="--occurrence",
            fix="give one, or one per sentence",
        )
    which = args.occurrence or [None]
    which = which * len(args.sentence) if len(which) == 1 else which
    asked = [
        focus.find(sentence, args.word, occurrence)
        for sentence, occurrence in zip(args.sentence, which, strict=True)
    ]
    source, how = _source(args)
    encoder = opening.load(opening.find(source), device=args.device, **how)
    found = [inspection.inspect(encoder, one) for one in asked]
    if args.json:
        _print(json.dumps(inspection.as_record(source.name, found), ensure_ascii=False))
    else:
        _print(inspection.as_text(source.name, found))


def _source(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The encoder that the arguments name, and how it is used."""
    from wsd import opening

    how = {"pooling": args.pooling or "mean"}
    if args.hub is not None:
        where = {"hub": args.hub, "revision": args.revision or ""}
        return opening.Source(args.hub.rpartition("/")[2], where), how
    if args.revision:
        raise ConfigError("a revision without a repository", where="--revision", fix="add --hub")
    if args.package is not None:
        return opening.Source(args.package, {"package": args.package}), how
    if args.path is not None:
        if not args.path:
            raise ConfigError("an empty path", where="--path", fix="name the model's folder")
        return opening.named(Path(args.path)), how
    if not args.configfile:
        return opening.named(args.model), how
    from wsd import config, plan

    entries = config.check(plan.read(args.configfile), args.schema).models
    if args.model is not None and args.model not in entries:
        raise ConfigError(
            f"the config has no model {args.model!r}",
            where="--model",
            fix=f"choose among {', '.join(entries)}",
        )
    entry = entries[args.model or next(iter(entries))]
    if entry.random_weights is not None:
        raise ConfigError(f"{entry.name} has random weights, a control", where="--model")
    how = {"pooling": args.pooling or entry.pooling, "masked": entry.input == "masked"}
    return opening.Source(entry.name, entry.source, entry.sha256), how


def _plan(args: argparse.Namespace) -> None:
    from wsd import config, plan

    checked = config.check(plan.read(args.configfile), args.schema)
    _print(plan.describe(checked, args.results, args.cores))


def _print(text: str) -> None:
    """To a terminal of any encoding: what it has no letter for, it gets as an escape."""
    encoding = sys.stdout.encoding or "utf-8"
    print(visible(text, "\n").encode(encoding, "backslashreplace").decode(encoding))


def _pairs(items: Sequence[str]) -> dict[str, str]:
    pairs = [item.partition("=") for item in items]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise ConfigError(f"{name}{equals}{value!r} is not FILE=SHA256", where="--sha256")
    return {name: value for name, _, value in pairs}


def _object(text: str, where: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (RecursionError, ValueError):
        value = None
    if not isinstance(value, dict):
        raise ConfigError(f"{text!r} is not a JSON object", where=where)
    return value


def _count(text: str) -> int:
    """A number from 1 up; argparse turns the ValueError into its own message."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


def _seed(text: str) -> int:
    """A number that every generator of random numbers takes."""
    if not 0 <= (number := int(text)) < 2**32:
        raise ValueError
    return number


_count.__name__, _seed.__name__ = "count", "seed"  # as argparse shows them


class _Parser(argparse.ArgumentParser):
    """Its messages quote arguments, which may be foreign."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="wsd",
        description="Which layer of an encoder knows which sense of a word? "
        "Every step of the workflow is one of these commands; `snakemake` runs them all.",
    )
    from wsd import __version__

    parser.add_argument("--version", action="version", version=f"wsd {__version__}")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the messages here too")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, function: object, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(function=function, step=name)
        return made

    def out(to: argparse.ArgumentParser, text: str) -> None:
        to.add_argument("--out", type=Path, required=True, metavar="PATH", help=text)

    words: dict[str, Any] = {
        "nargs": "+",
        "required": True,
        "metavar": "WORD",
        "help": "words, or the names of their files",
    }

    def data(to: argparse.ArgumentParser) -> None:
        to.add_argument("--corpus", type=Path, required=True, help="folder of <word>.parquet")
        to.add_argument("--words", **words)

    def vectors(to: argparse.ArgumentParser) -> None:
        data(to)
        to.add_argument(
            "--embeddings", type=Path, required=True, help="folder of <word>/<view>.safetensors"
        )
        to.add_argument("--view", default="focal", help="what is read: focal (the default), ...")
        to.add_argument("--layers", required=True, help="a layer choice: 6, mean-last-4, ...")

    def tuned_for(to: argparse.ArgumentParser) -> None:
        to.add_argument(
            "--objective",
            default="mean_macro_f1",
            choices=["mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy"],
            help="what decides between points of the search space",
        )

    p = command("download", _download, "Download CoarseWSD-20 and check every file.")
    out(p, "folder for the corpus files")

    p = command("import", _import, "Turn labelled sentences into a corpus of the pipeline.")
    p.add_argument(
        "files", type=Path, nargs="+", metavar="FILE",
        help=".csv, .tsv or .jsonl; .xml with gold keys; .data.txt of WiC; or a folder of words",
    )  # fmt: skip
    out(p, "folder to make")
    p.add_argument("--name", required=True, help="of the corpus, and its folder under results/")
    p.add_argument("--word", help="the word of all rows, where there is no column for it")
    p.add_argument(
        "--columns", nargs="+", default=[], metavar="KEY=COLUMN",
        help="what a column is called that is not found by its name: sentence=, sense=, word=, "
        "split=, position=, start=, end=",
    )  # fmt: skip
    p.add_argument("--gold", type=Path, metavar="FILE", help="gold keys that lie elsewhere")
    p.add_argument(
        "--at-least", type=_count, metavar="N",
        help="leave out senses with fewer instances, and words with fewer than two senses then",
    )  # fmt: skip
    p.add_argument(
        "--test-share", type=float, default=0.3, help="where there are no splits (default: 0.3)"
    )
    p.add_argument("--seed", type=_seed, default=1, help="of the splits")
    p.add_argument("--title", help="what the pages call the corpus (default: its name)")
    p.add_argument("--source", help="where it comes from: an address, a paper, a person")
    p.add_argument("--licence", help="what may be done with it")
    p.add_argument("--licence-url", metavar="URL")
    p.add_argument("--citation", help="what to cite")

    p = command("own", _own, "Copy a corpus that `wsd import` wrote, and check every file.")
    p.add_argument("folder", type=Path)
    p.add_argument("--name", required=True)
    p.add_argument("--title", help="in place of the manifest's own")
    out(p, "folder for the corpus files")

    p = command("corpus", _corpus, "Read and check one word's files.")
    p.add_argument("--source", type=Path, required=True, help="folder of <word>/ folders")
    p.add_argument("--word", required=True, help="as --word=WORD if it begins with a hyphen")
    p.add_argument("--out-of-domain", type=Path, metavar="FILE", help="further test sentences")
    out(p, "the word's table, .parquet")

    p = command("trains", _trains, "Find which sentences each further training set has.")
    data(p)
    p.add_argument("--source", type=Path, required=True, help="folder of the download")
    p.add_argument("--trains", nargs="+", required=True, metavar="TRAIN")
    out(p, "folder for <train>.parquet")

    p = command("published", _published, "Read what a published system said of each instance.")
    data(p)
    p.add_argument("--source", type=Path, required=True, help="folder of the download")
    p.add_argument("--system", required=True)
    out(p, "its predictions, .parquet")

    p = command("score", _score, "Check and score what any system says of the test instances.")
    p.add_argument("file", type=Path, metavar="FILE", help="JSON lines: word, id, sense, scores")
    p.add_argument("--name", required=True, help="the system's")
    p.add_argument("--corpus", type=Path, required=True, help="folder of <word>.parquet")
    p.add_argument("--words", nargs="+", metavar="WORD", help="(default: all of the folder)")
    p.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="its predictions, .parquet"
    )

    p = command("folds", _folds, "Draw the folds of a training set, near-duplicates together.")
    data(p)
    p.add_argument("--train", type=Path, metavar="FILE", help="of `wsd trains` (default: full)")
    p.add_argument("--k", type=_count, default=5, help="number of folds (default: 5)")
    p.add_argument("--repeats", type=_count, default=3, help="how often (default: 3)")
    p.add_argument("--seed", type=_seed, default=1)
    out(p, "the folds, .parquet")

    p = command("model", _model, "Find or fetch an encoder and verify its files.")
    p.add_argument("--name", required=True, help="the short name of the config")
    where = p.add_mutually_exclusive_group(required=True)
    where.add_argument("--hub", metavar="ID", help="id on the hub, with --revision")
    where.add_argument("--package", help="an installed Python package that carries the model")
    where.add_argument("--path", help="a local folder")
    p.add_argument("--revision", help="full commit hash on the hub")
    p.add_argument("--sha256", nargs="*", default=[], metavar="FILE=SHA256")
    p.add_argument("--random-weights", type=_seed, metavar="SEED", help="weights drawn, not read")
    p.add_argument("--blocks", type=_count, required=True, help="blocks the model must have")
    p.add_argument("--width", type=_count, required=True, help="width the model must have")
    out(p, "the model's record, .json")

    p = command("embed", _embed, "Run an encoder over one word's sentences, keeping every layer.")
    p.add_argument("--model", type=Path, required=True, help="a record of `wsd model`")
    p.add_argument("--corpus", type=Path, required=True, help="the word's table")
    p.add_argument(
        "--views",
        nargs="+",
        default=["focal"],
        choices=["focal", "context", "cls", "other", "static", "static_context"],
        help="what is kept of a sentence, per layer",
    )
    p.add_argument("--pooling", default="mean", choices=["mean", "first", "last"])
    p.add_argument(
        "--input",
        default="plain",
        choices=["plain", "masked"],
        help="the sentence, or a mask token for its focal word",
    )
    p.add_argument("--seed", type=_seed, default=1)
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument(
        "--precision",
        default="float32",
        choices=["float32", "bfloat16", "float16"],
        help="what the model computes in; float16 on a GPU alone",
    )
    p.add_argument("--threads", type=_count, default=1)
    out(p, "the word's folder, for <view>.safetensors and alignment.json")

    p = command("alignment", _alignment, "Put together what a tokenizer made of the focal words.")
    p.add_argument("--model", required=True, help="its name in the table")
    p.add_argument("--embeddings", type=Path, required=True, help="folder of <word>/alignment.json")
    p.add_argument("--words", **words)
    out(p, "the table, .csv")

    def learner(to: argparse.ArgumentParser) -> None:
        vectors(to)
        several: dict[str, Any] = {"type": Path, "nargs": "+", "required": True, "metavar": "FILE"}
        estimators = ["nearest_centroid", "logistic", "lda", "knn"]
        to.add_argument("--estimator", required=True, choices=estimators)
        to.add_argument("--name", help="its name in the config (default: the estimator)")
        to.add_argument(
            "--space", default="{}", metavar="JSON", help="parameters; lists of values are searched"
        )
        tuned_for(to)
        to.add_argument("--folds", help="of `wsd folds`, one per training set", **several)
        to.add_argument("--searches", help="for what the folds say, .parquet", **several)
        to.add_argument("--out", help="for the predictions, .parquet", **several)

    p = command("classify", _classify, "Tune, fit and predict every word on one feature set.")
    learner(p)

    p = command("control", _control, "The same on labels fixed by the neighbouring word.")
    learner(p)
    p.add_argument("--seed", type=_seed, default=1)

    p = command("select", _select, "Choose a configuration by what the folds say.")
    p.add_argument("--searches", type=Path, nargs="+", required=True, metavar="FILE")
    tuned_for(p)
    p.add_argument("--table", type=Path, required=True, help="every candidate, .csv")
    out(p, "what is chosen, .json")

    p = command("classify-selected", _classify_selected, "Fit each word as its own folds choose.")
    data(p)
    p.add_argument(
        "--embeddings", type=Path, required=True, help="folder of <word>/<view>.safetensors"
    )
    p.add_argument("--model", required=True, help="its name in the selection")
    p.add_argument("--selection", type=Path, required=True, help="of `wsd select`, .json")
    p.add_argument("--folds", type=Path, required=True, help="of `wsd folds`")
    out(p, "the predictions, .parquet")

    p = command("baseline", _baseline, "Fit and predict every word without an encoder.")
    data(p)
    p.add_argument("--name", required=True)
    tuned_for(p)
    p.add_argument("--folds", type=Path, required=True, help="of `wsd folds`")
    out(p, "the predictions, .parquet")

    p = command("reproduce", _reproduce, "Compare with the published centroids and predictions.")
    data(p)
    p.add_argument(
        "--embeddings", type=Path, required=True, help="folder of <word>/focal.safetensors"
    )
    p.add_argument("--layers", default="sum-last-4", help="a layer choice (default: the authors')")
    p.add_argument("--centroids", type=Path, required=True, help="the published ones, .txt")
    p.add_argument("--published", type=Path, required=True, help="of `wsd published`, .parquet")
    out(p, "what is found, .json; beside it the same to read, .txt")

    p = command("project", _project, "Project every word on a plane.")
    vectors(p)
    p.add_argument("--method", default="pca", choices=["pca", "tsne"])
    p.add_argument("--seed", type=_seed, default=1, help="of tsne")
    out(p, "the projections, .parquet")

    p = command("neighbours", _neighbours, "Find the instances nearest to each, in the full space.")
    vectors(p)
    out(p, "the neighbours, .parquet")

    p = command("evaluate", _evaluate, "Score predictions: one table per word, one over words.")
    p.add_argument("--predictions", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument(
        "--systems", type=Path, nargs="*", default=[], metavar="FILE",
        help="of `wsd score` and `wsd published`",
    )  # fmt: skip
    p.add_argument("--dataset", required=True)
    p.add_argument("--config", default="{}", metavar="JSON", help="for the provenance")
    p.add_argument("--reproduce", default="", metavar="COMMAND", help="for the provenance")
    p.add_argument("--scores", type=Path, required=True, help="table per word, .csv")
    p.add_argument("--summary", type=Path, required=True, help="table over words, .csv")
    p.add_argument("--provenance", type=Path, required=True, help="what it was made from, .json")

    p = command("compare", _compare, "Compare what was selected with everything else.")
    data(p)
    for kind, text in (
        ("candidates", "every configuration that could be selected"),
        ("per-word", "each word as its own folds choose"),
        ("baselines", "no encoder"),
        ("views", "control views"),
        ("twins", "encoders with random weights"),
        ("control", "the control task"),
        ("published", "of `wsd published`"),
        ("systems", "of `wsd score`"),
    ):
        p.add_argument(
            f"--{kind}",
            type=Path,
            nargs="*",
            default=[],
            metavar="FILE",
            help=f"predictions: {text}",
        )
    p.add_argument("--selection", type=Path, required=True, help="of `wsd select`, .json")
    p.add_argument("--selection-table", type=Path, required=True, help="the same, .csv")
    p.add_argument("--scores", type=Path, required=True, help="of `wsd evaluate`")
    p.add_argument("--seed", type=_seed, default=1)
    p.add_argument("--table", type=Path, required=True, help="the comparison, .csv")
    out(p, "folder for what stands behind it")

    p = command("layerwise", _layerwise, "Compare every layer choice with what the folds choose.")
    data(p)
    p.add_argument("--predictions", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument(
        "--searches", type=Path, nargs="+", required=True, metavar="FILE",
        help="what the folds say of each, in the same order",
    )  # fmt: skip
    p.add_argument("--seed", type=_seed, default=1)
    p.add_argument(
        "--layers", type=Path, required=True, metavar="FILE", help="table over words, .csv"
    )
    p.add_argument(
        "--word-layers", type=Path, required=True, metavar="FILE", help="table per word, .csv"
    )
    p.add_argument(
        "--model-layers", type=Path, required=True, metavar="FILE",
        help="each model less the first, .csv",
    )  # fmt: skip

    p = command("figures", _figures, "Write the figures for a paper.")
    for table in ("comparison", "layers", "word-layers", "controls", "learning"):
        p.add_argument(f"--{table}", type=Path, required=True, metavar="FILE", help="a table, .csv")
    p.add_argument(
        "--format", action="append", choices=["pdf", "svg", "png"], help="default: all three"
    )
    out(p, "folder for the figures")

    p = command("geometry", _geometry, "Measure how the vectors of every layer lie.")
    data(p)
    p.add_argument(
        "--embeddings", type=Path, required=True, help="folder of <word>/<view>.safetensors"
    )
    p.add_argument("--view", default="focal")
    p.add_argument("--layers", nargs="+", required=True, help="layer choices")
    p.add_argument("--seed", type=_seed, default=1)
    out(p, "the table, .csv")

    p = command("audit", _audit, "List near-duplicates, suspected gold and confusions.")
    data(p)
    p.add_argument("--predictions", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument("--judge", metavar="NAME", help="the classifier whose probabilities count")
    out(p, "folder for the tables")

    p = command("code-length", _code_length, "Measure how few bits the labels take (MDL).")
    data(p)
    p.add_argument(
        "--embeddings", type=Path, required=True, help="folder of <word>/<view>.safetensors"
    )
    p.add_argument("--predictions", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument("--folds", type=Path, nargs="+", required=True, help="nested sets, ascending")
    out(p, "the table, .csv")

    p = command("report", _report, "Write the pages.")
    data(p)
    p.add_argument(
        "--dataset", required=True, help="coarsewsd20, quickstart, or the path of a dataset.json"
    )
    p.add_argument("--predictions", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument("--projections", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument("--neighbours", type=Path, nargs="+", required=True, metavar="FILE")
    p.add_argument("--scores", type=Path, required=True)
    p.add_argument("--summary", type=Path, required=True)
    p.add_argument("--provenance", type=Path, required=True)
    p.add_argument("--view", default="focal")
    p.add_argument("--comparison", type=Path, required=True, help="of `wsd compare`, .csv")
    p.add_argument(
        "--tables", type=Path, required=True, help="folder that compare and layerwise wrote"
    )
    p.add_argument(
        "--geometry", type=Path, nargs="*", default=[], metavar="FILE", help="of `wsd geometry`"
    )
    p.add_argument(
        "--alignment",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="of `wsd alignment`",
    )
    p.add_argument(
        "--confidence", type=Path, nargs="*", default=[], metavar="FOLDER",
        help="of `wsd calibration`, one per model",
    )  # fmt: skip
    p.add_argument("--no-text", action="store_true", help="leave the corpus's sentences out")
    p.add_argument("--portable", type=Path, required=True, help="folder for one-file word pages")
    out(p, "folder for index.html")

    p = command("calibration", _calibration, "Measure what the selected probabilities are worth.")
    p.add_argument("--results", type=Path, required=True, help="folder results/<dataset>")
    p.add_argument("--model", required=True, help="its name in the selection")
    p.add_argument("--seed", type=_seed, default=1, help="of the bootstrap")
    out(p, "folder for calibration.csv, reliability.csv and novelty.csv")

    def configuration(to: argparse.ArgumentParser) -> None:
        for name, text in (
            ("model", "of this encoder"),
            ("view", "on this view: focal, focal+context, ..."),
            ("layers", "on this layer choice"),
            ("classifier", "with this classifier"),
        ):
            to.add_argument(
                f"--{name}", help=f"the best candidate by the folds {text} (default: the selected)"
            )

    p = command("fit", _fit, "Keep the selected classifier as one file, to use it elsewhere.")
    p.add_argument("--results", type=Path, required=True, help="folder results/<dataset>")
    configuration(p)
    p.add_argument(
        "--with-sentences",
        action="store_true",
        help="put the training sentences in; mind the corpus's licence before you pass it on",
    )
    out(p, "the model file, .wsd")

    p = command("predict", _predict, "Say the sense of a word in new text.")
    p.add_argument("text", nargs="*", help="sentences (default: lines of --file or standard input)")
    p.add_argument("--word", help="the word in question (default: every word that is known)")
    p.add_argument("--file", type=Path, help="a line per sentence; -, standard input; or .jsonl")
    p.add_argument("--jsonl", action="store_true", help='lines are {"text": ..., "word": ...}')
    p.add_argument("--format", default="table", choices=["table", "csv", "jsonl"])
    p.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    p.add_argument("--model-file", type=Path, metavar="FILE", help="of `wsd fit`")
    p.add_argument(
        "--results", type=Path, help="folder results/<dataset> (default: the only one there is)"
    )
    configuration(p)
    p.add_argument("--encoder", type=Path, metavar="FOLDER", help="where the encoder's files are")
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument("--threads", type=_count, default=os.cpu_count() or 1)

    p = command("inspect", _inspect, "Show what an encoder makes of a word in a sentence, or two.")
    p.add_argument(
        "sentence", nargs="+", metavar="SENTENCE", help="one sentence, or two to compare"
    )
    p.add_argument("--word", required=True, help="the focal word; its plural is found too")
    p.add_argument(
        "--occurrence", type=_count, nargs="+", default=[], metavar="N",
        help="which one, from 1, where the word stands in a sentence several times",
    )  # fmt: skip
    p.add_argument(
        "--model", metavar="NAME",
        help="all-MiniLM-L6-v2 (the default if its package is installed), bert-base-uncased, "
        "hub:OWNER/NAME@COMMIT, package:NAME, path:FOLDER; or an entry of --configfile",
    )  # fmt: skip
    p.add_argument(
        "--configfile", type=Path, nargs="+", metavar="FILE",
        help="config files, later ones over earlier ones, whose models can be named",
    )  # fmt: skip
    p.add_argument("--schema", type=Path, default=Path("workflow/schemas/config.schema.yaml"))
    where = p.add_mutually_exclusive_group()
    where.add_argument("--hub", metavar="ID", help="id on the hub, with --revision")
    where.add_argument("--package", help="an installed Python package that carries the model")
    where.add_argument("--path", help="a folder that holds the model")
    p.add_argument("--revision", metavar="COMMIT", help="full commit of --hub")
    p.add_argument(
        "--pooling", choices=["mean", "first", "last"],
        help="of the focal word's pieces (default: mean, or what the config says)",
    )  # fmt: skip
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument("--json", action="store_true", help="one JSON object, for machines")

    p = command("leaderboard", _leaderboard, "Print the layer choices, best first.")
    p.add_argument("summary", type=Path, help="a summary.csv")
    p.add_argument("--top", type=_count, help="only the best N (default: all)")

    p = command("plan", _plan, "Say what a run will cost, in disk and roughly in time.")
    p.add_argument(
        "configfile", type=Path, nargs="*", default=[Path("config/config.yaml")],
        help="config files, later ones over earlier ones (default: config/config.yaml)",
    )  # fmt: skip
    p.add_argument("--schema", type=Path, default=Path("workflow/schemas/config.schema.yaml"))
    p.add_argument("--results", type=Path, default=Path("results"))
    p.add_argument("--cores", type=_count, default=os.cpu_count() or 1)

    p = command("check", _check, "Look for results that are no longer what was written.")
    p.add_argument("results", type=Path, nargs="?", default=Path("results"))
    p.add_argument(
        "--set-aside", action="store_true",
        help="rename what is damaged, so that snakemake makes it again",
    )  # fmt: skip

    p = command("doctor", _doctor, "Say whether a run can start here, and what is at hand.")
    p.add_argument(
        "--configfile", type=Path, nargs="+", default=[], metavar="FILE",
        help="as of snakemake: over config/config.yaml",
    )  # fmt: skip
    p.add_argument("--schema", type=Path, default=Path("workflow/schemas/config.schema.yaml"))
    p.add_argument("--results", type=Path, default=Path("results"))
    return parser


class _Terminated(BaseException):
    """SIGTERM: unwinds as Ctrl-C does, so that nothing half-written stays."""


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _Terminated


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; an error of the user's prints no traceback.

    Without ``argv``, as the program itself, the process ends here.
    """
    # Imports make hundreds of thousands of objects that stay: looking through them again and again
    # for what may go is a tenth of the time that a step takes to start.
    gc.set_threshold(200_000, 20, 100)
    code = _run(argv)
    if argv is None:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End the process without taking torch and all else apart, which takes it up to a second."""
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by whoever started the process
                stream.flush()
    except BrokenPipeError:
        code = code or 1  # whoever read has gone before the end
    os._exit(code)


def _run(argv: Sequence[str] | None) -> int:
    args = _parser().parse_args(argv)
    job = vars(args)
    logs.start(None, args.step, {})
    with suppress(ValueError):  # not the main thread: whoever calls has it in hand
        signal.signal(signal.SIGTERM, _terminate)
    try:
        if args.log:
            logs.start(args.log, args.step, logs.about(job))
        with running.as_job() as of_a_run:
            try:
                code = args.function(args) or 0
            except DamageError as error:
                if not of_a_run:
                    raise
                raise _set_aside(error) from error
        log.debug(logs.DONE)
    except WsdError as error:
        log.error("error: %s", error)
        return error.exit_code
    except OSError as error:
        # What the system alone can say.
        log.error("error: %s", error)
        return WsdError.exit_code
    except MemoryError:
        log.error("error: not enough memory\n  what to do: %s", MORE_MEMORY)
        return WsdError.exit_code
    except KeyboardInterrupt:
        log.error("interrupted")
        return 130
    except _Terminated:
        log.error("terminated")
        return 128 + signal.SIGTERM
    except Exception:
        log.exception("a fault in the program; please report it with the lines below")
        return 70
    return int(code)


MORE_MEMORY = "run fewer jobs side by side (snakemake --cores), or fewer words or layers at once"


def _set_aside(error: DamageError) -> ResultError:
    """In a run, the file is put out of the way, so that the next run makes it again."""
    from wsd import checking

    try:
        aside = checking.put_away(error.path)
    except OSError:
        return error
    return ResultError(
        error.what,
        where=error.where,
        fix=f"run the same command again: the file is made anew (this one is kept as {aside.name})",
    )


if __name__ == "__main__":
    sys.exit(main())
