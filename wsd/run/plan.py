"""Estimate the disk space and processor time of a run; the command ``wsd plan``.

The embeddings need nearly all of the disk space. The time has four parts: the matrix products of
the encoder, at the speed of this machine; tuning the classifiers; plots, tables and pages; and
starting the jobs. Studies add their own time, except analyses of results.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from wsd import logs
from wsd.arguments import add_configfiles, count, processors
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.run_json import DIGITS
from wsd.artifacts.vectors import VECTORS
from wsd.artifacts.view_names import DRAWN
from wsd.errors import WsdError
from wsd.run.checked_config import Classifier, Config, Model
from wsd.run.digests import SEEN, Digests, Seen
from wsd.run.embedding_jobs import in_parts
from wsd.run.keys import Keys
from wsd.run.lock import STATE
from wsd.run.machine_speed import (
    EFFICIENCY,
    TRAINING_EFFICIENCY,
    duration,
    forward_seconds,
    weights,
)
from wsd.run.memory_size import describe_memory, embedding_bytes
from wsd.run.path_patterns import Places
from wsd.run.sample_size import describe_power
from wsd.storage.file_names import file_name
from wsd.studies.base import Costs
from wsd.studies.registry import studies_of

# Seconds of processor time to start a job with its libraries: a job that embeds, to which come the
# checksum and the loading of each weight; and a classification, a projection by PCA or a search for
# neighbours.
START_SECONDS = 4.0
WEIGHT_SECONDS = 2e-8
JOB_SECONDS = 2.0
# Seconds of processor time for the slow parts, measured with MiniLM on CoarseWSD-20. Logistic
# regression and LDA: per instance, feature, fit, and penalty or shrinkage.
# knn: per pair of instances of a word and repeat of the folds. Any classifier: per word and further
# training set, which is small. t-SNE: per instance.
LOGISTIC_SECONDS = 6e-9
LDA_SECONDS = 5e-9
KNN_SECONDS = 2.6e-8
SET_SECONDS = 0.03
TSNE_SECONDS = 6e-3
# Seconds of the later steps: a projection by PCA or a search for neighbours, per instance; the
# comparison and the curves over layers, per word and combination; folds, baselines and calibration,
# per instance; and a word's page.
SHOWN_SECONDS = 8e-5
COMPARED_SECONDS = 0.05
INSTANCE_SECONDS = 2.3e-3
PAGE_SECONDS = 0.3
# The parameter whose values each take a fit; all values of other parameters take a single fit.
SEARCHED = {"logistic": ("C", LOGISTIC_SECONDS), "lda": ("shrinkage", LDA_SECONDS)}


def places_of(config: Config, results: Path) -> Places:
    """Return the places of a config's files.

    Raises
    ------
    WsdError, OSError
        If a file that is part of a key cannot be read, such as a file in a model's folder.
    """
    return Places(config, Keys(config, {}, Digests(Seen(results / STATE / SEEN)), results))


def to_embed(
    config: Config, places: Places | None
) -> Iterator[tuple[Model, list[str], tuple[str, ...]]]:
    """Yield each encoder with the words that have no embeddings yet, and its views.

    A word counts as embedded even if it was embedded with other sentences, since the plan reads no
    sentences.

    Parameters
    ----------
    config : Config
    places : Places, optional
        Without them, no word counts as embedded.
    """
    for model in config.encoders.values():
        views = config.stored_views(model)
        drawn = {DRAWN: f"{DRAWN}@{config.seed:0{DIGITS}x}"}
        files = [f"{drawn.get(view, view)}{VECTORS}" for view in views]
        listings = places.listings(model.name, [config.page_view], [1]) if places else []
        there = {
            folder.name.rpartition("@")[0]
            for listing in listings
            for folder in Path(listing).parent.glob("[!.]*@*")
            if all((folder / file).is_file() for file in files)
        }
        yield model, [word for word in config.words if file_name(word) not in there], views


def pass_seconds(model: Model, jobs: int, instances: int) -> float:
    """Return the rough processor time of passing instances through the encoder, in seconds."""
    start = START_SECONDS + WEIGHT_SECONDS * weights(model)
    return forward_seconds(model, instances, EFFICIENCY) + start * jobs


COSTS = Costs(
    job=JOB_SECONDS,
    instance=SHOWN_SECONDS,
    passes=lambda model, instances: pass_seconds(model, 1, instances),
    training=lambda model, instances: forward_seconds(model, instances, TRAINING_EFFICIENCY),
    duration=duration,
)


def classifying_seconds(config: Config, model: Model) -> float:
    """Return the rough processor time of a model's classifications, folds included, in seconds."""
    controls = [config.classifiers[name] for name in config.controls.classifiers]
    compared = model.name in config.models
    set_seconds, job_seconds = SET_SECONDS * len(config.words), JOB_SECONDS
    if model.name in config.random_controls:  # all its layers and classifiers are one job
        job_seconds /= len(model.single) * len(controls)
    seconds = 0.0
    for views, layers in config.feature_sets(model):
        parts = parse_features(views, layers, model.blocks).parts
        width = model.width * sum(choice.widths for _, choice in parts)
        for classifier in config.classifiers_of(model):
            if classifier.fits(layers):
                seconds += job_seconds + set_seconds + _fit_seconds(config, classifier, width)
                if compared and config.trains[1:] and classifier in controls:
                    seconds += JOB_SECONDS + set_seconds * len(config.trains[1:])
    if compared:
        views_of_controls = [view for view in config.controls.views if view not in config.classify]
        for view in (*views_of_controls, *(config.classify[:1] if config.controls.task else ())):
            fits = sum(set_seconds + _fit_seconds(config, c, model.width) for c in controls)
            seconds += JOB_SECONDS + fits * len(model.single_of(view))
    return seconds


def _fit_seconds(config: Config, classifier: Classifier, width: int) -> float:
    """Return the rough time of tuning and fitting a classifier on a number of features."""
    sizes = [config.dataset.sizes[word] for word in config.words]
    if classifier.estimator == "knn":
        return KNN_SECONDS * sum(size**2 for size in sizes) * config.tuning.repeats
    if classifier.estimator not in SEARCHED:
        return 0.0
    name, each = SEARCHED[classifier.estimator]
    values = {point.get(name) for point in grid_points(classifier.space)}
    fits = config.tuning.folds * config.tuning.repeats + 1
    return each * sum(sizes) * width * len(values) * fits


def describe(config: Config, results: Path, cores: int) -> str:
    """Return the plan in a few lines of text; existing files cost nothing."""
    lines: list[str] = []
    downloads: list[dict[str, str]] = []
    places, unknown = None, []
    try:
        places = places_of(config, results)
    except (WsdError, OSError) as error:
        problem = error.problem if isinstance(error, WsdError) else error
        unknown = [f"which files exist already is unknown: {problem}"]
    for model, words, views in to_embed(config, places):
        choices = f"{len(model.unmixed(config.classify[0]))} layer choices"
        if config.dataset.of_pairs:
            work = f"pairs, {choices}"
        elif config.dataset.labelled:
            combinations = f"{len(config.combinations(model))} combinations"
            work = f"{len(config.words)} words, {combinations} of features and classifier"
        else:
            work = f"{len(config.words)} words, clusters in {choices}: there are no senses"
        lines.append(f"{model.name} on {config.dataset.title}: {work}")
        for study in studies_of(config):
            lines += study.plan_lines(config, model, places, COSTS, cores)
        if not words:
            lines.append("  every sentence is embedded already")
            continue
        instances = sum(config.dataset.sizes[word] for word in words)
        jobs = len(in_parts(words, config.dataset.sizes))
        seconds = pass_seconds(model, jobs, instances)
        if not config.dataset.of_pairs:
            seconds += _later_seconds(config, model)
        lines.append(
            f"  to embed: {instances:,} sentences of {len(words)} words; "
            f"{embedding_bytes(model, instances, views) / 1e9:.2f} GB in "
            f"{results / config.dataset.name}; roughly {duration(seconds / cores)} on {cores} "
            f"core{'s' if cores > 1 else ''} without GPU"
        )
        lines.append(describe_memory(model, gpu=config.uses_gpu))
        # A random-initialisation control comes from the same files.
        if "hub" in model.source and model.source not in downloads:
            downloads.append(model.source)
            text = f"about {4 * weights(model) / 1e9:.1f} GB of model"
            lines.append(f"  to download, unless the hub's cache has it: {text}")
    notes = [
        f"left out of {study.name}: {reason}"
        for study in studies_of(config)
        for reason in study.left_out(config)
    ]
    if config.dataset.labelled and not config.dataset.of_pairs:
        lines.append(describe_power(config.dataset, config.words))
    return "\n".join([*lines, *notes, *unknown])


def _later_seconds(config: Config, model: Model) -> float:
    """Return the rough processor time of everything after a model's embeddings, in seconds."""
    instances = sum(config.dataset.sizes[word] for word in config.words)
    if not config.dataset.labelled:
        return JOB_SECONDS * len(model.unmixed(config.classify[0]))
    # Layer choices with projections and neighbours; a control has none.
    compared = model.name in config.models
    shown = sum(len(model.unmixed(view)) for view in config.classify) if compared else 0
    jobs = shown * (len(config.projections) + 1)
    tsne = TSNE_SECONDS * instances * shown if "tsne" in config.projections else 0.0
    seconds = JOB_SECONDS * jobs + classifying_seconds(config, model) + tsne
    seconds += sum(study.seconds(config, model, COSTS) for study in studies_of(config))
    return seconds + (_tables_seconds(config, model, jobs) if compared else 0.0)


def _tables_seconds(config: Config, model: Model, jobs: int) -> float:
    """Return the rough processor time of plots, tables and pages, in seconds."""
    words, instances = len(config.words), sum(config.dataset.sizes[w] for w in config.words)
    combinations = len(config.combinations(model))
    each = COMPARED_SECONDS * combinations + PAGE_SECONDS
    return (SHOWN_SECONDS * jobs + INSTANCE_SECONDS) * instances + each * words


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "config files; later ones override earlier ones, and all override config/config.yaml"
    add_configfiles(parser, "configfile", text, nargs="*")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--cores", type=count, default=processors())


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(describe(args.config, args.results, args.cores))
