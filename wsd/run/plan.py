"""What a run will cost, said before it starts, in disk and roughly in time.

The disk is that of the embeddings: everything else is small beside it. The time is that of the
encoder's matrix products, at the speed measured here and now, of tuning the classifiers, of
pictures, tables and pages, and of starting the jobs; that of fine-tuning is said apart. Analyses
are not in it.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wsd import logs
from wsd.arguments import add_configfiles, count, processors
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.run_map import DIGITS
from wsd.artifacts.vectors import VECTORS
from wsd.artifacts.view_names import DRAWN, blocks_of
from wsd.errors import WsdError
from wsd.run.digests import SEEN, Digests, Seen
from wsd.run.embedding_jobs import in_parts
from wsd.run.keys import Keys
from wsd.run.lock import STATE
from wsd.run.machine_speed import EFFICIENCY, TRAINING_EFFICIENCY, duration, forward_seconds
from wsd.run.path_patterns import Places
from wsd.run.settings import Classifier, Config, Model
from wsd.storage.file_names import file_name
from wsd.studies.base import Costs
from wsd.studies.registry import STUDIES

# Processor time of one job beside its work, for libraries and weights: of an embedding job, which
# has a part of the words, and of a classification, a projection by PCA or a search for neighbours.
START_SECONDS = 4.0
JOB_SECONDS = 2.0
# Processor time of what takes long in those jobs, measured with MiniLM on CoarseWSD-20: of a
# logistic regression and of LDA per instance, feature, penalty or shrinkage, and fit, all folds at
# once; of knn per pair of instances of a word and drawing of the folds; of any per word and
# training set, the further ones being small; and of t-SNE per instance.
LOGISTIC_SECONDS = 1e-8
LDA_SECONDS = 3e-9
KNN_SECONDS = 1.3e-8
SET_SECONDS = 0.03
TSNE_SECONDS = 6e-3
# The same of what comes after: per instance of a projection by PCA or a search for neighbours; of
# the comparison and the curves over layers per word and combination; of folds, baselines and
# calibration per instance; and of a word's page.
SHOWN_SECONDS = 8e-5
COMPARED_SECONDS = 0.05
INSTANCE_SECONDS = 2.3e-3
PAGE_SECONDS = 0.3
# What of a search space takes time; of the rest all values are had at once.
SEARCHED = {"logistic": ("C", LOGISTIC_SECONDS), "lda": ("shrinkage", LDA_SECONDS)}


def places_of(config: Config, results: Path) -> Places:
    """Where the files of a config lie.

    Raises
    ------
    WsdError, OSError
        If something that decides them cannot be read, such as a model's folder.
    """
    return Places(config, Keys(config, {}, Digests(Seen(results / STATE / SEEN)), results))


def to_embed(
    config: Config, places: Places | None
) -> Iterator[tuple[Model, list[str], tuple[str, ...]]]:
    """Per encoder, the words that have no embeddings yet and the views to be kept.

    A word that was embedded with other sentences counts as one that has: which sentences a run
    will read is known when it has read them.

    Parameters
    ----------
    config : Config
    places : Places, optional
        Without them, no word has.
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


def embedding_bytes(model: Model, instances: int, views: Sequence[str]) -> int:
    """Disk that a model's embeddings take: float32, every hidden state of every view.

    A static view is taken for as wide as a hidden state, and can be narrower.
    """
    layers = sum(blocks_of(view, model.blocks) + 1 for view in views)
    return 4 * layers * model.width * instances


def pass_seconds(model: Model, jobs: int, instances: int) -> float:
    """Rough processor time of passing instances through the encoder, in so many jobs."""
    return forward_seconds(model, instances, EFFICIENCY) + START_SECONDS * jobs


COSTS = Costs(
    job=JOB_SECONDS,
    instance=SHOWN_SECONDS,
    passes=lambda model, instances: pass_seconds(model, 1, instances),
    training=lambda model, instances: forward_seconds(model, instances, TRAINING_EFFICIENCY),
    duration=duration,
)


class Classification(NamedTuple):
    """One of a feature set with a classifier.

    Attributes
    ----------
    classifier : Classifier
    width : int
        Number of features.
    sets : int
        Number of training sets.
    job : float
        Its share of a job: of a control all layers and classifiers are one.
    """

    classifier: Classifier
    width: int
    sets: int = 1
    job: float = 1.0


def classifications(config: Config, model: Model) -> Iterator[Classification]:
    """A model's classifications."""
    named = config.controls.classifiers if model.name in config.models else []
    further = len(config.trains) - 1
    share = 1 / len(model.single_of(config.classify[0])) / len(config.controls.classifiers)
    job = share if model.name in config.random_controls else 1.0
    for of_set, layers in config.feature_sets(model):
        parts = parse_features(of_set, layers, model.blocks).parts
        width = model.width * sum(choice.widths for _, choice in parts)
        for classifier in config.classifiers_of(model):
            if classifier.fits(layers):
                yield Classification(classifier, width, job=job)
                if further and classifier.name in named:
                    yield Classification(classifier, width, further)
    views = [view for view in config.controls.views if view not in config.classify]
    for view in (*views, *(config.classify[:1] if config.controls.task else ())):
        asked = [config.classifiers[name] for name in named for _ in model.single_of(view)]
        for classifier in asked:
            yield Classification(classifier, model.width, job=1 / len(asked))


def classifying_seconds(config: Config, model: Model) -> float:
    """Rough processor time of a model's classifications, on the folds and on all."""
    sizes = [config.dataset.sizes[word] for word in config.words]
    fits = config.tuning.folds * config.tuning.repeats + 1
    seconds = 0.0
    for classifier, width, sets, job in classifications(config, model):
        seconds += JOB_SECONDS * job + SET_SECONDS * len(sizes) * sets
        if sets > 1:
            continue
        if classifier.estimator in SEARCHED:
            name, each = SEARCHED[classifier.estimator]
            values = {point.get(name) for point in grid_points(classifier.space)}
            seconds += each * sum(sizes) * width * len(values) * fits
        elif classifier.estimator == "knn":
            seconds += KNN_SECONDS * sum(size**2 for size in sizes) * config.tuning.repeats
    return seconds


def describe(config: Config, results: Path, cores: int) -> str:
    """A few lines for the terminal; what is there already is not counted."""
    lines: list[str] = []
    places, unknown = None, []
    try:
        places = places_of(config, results)
    except (WsdError, OSError) as error:
        what = error.what if isinstance(error, WsdError) else error
        unknown = [f"what is there already cannot be told: {what}"]
    fetched: list[dict[str, str]] = []
    for model, words, views in to_embed(config, places):
        choices = f"{len(model.unmixed(config.classify[0]))} layer choices"
        if config.dataset.of_pairs:
            what = f"pairs, {choices}"
        elif config.dataset.labelled:
            combinations = f"{len(config.combinations(model))} combinations"
            what = f"{len(config.words)} words, {combinations} of features and classifier"
        else:
            what = f"{len(config.words)} words, clusters in {choices}: there are no senses"
        lines.append(f"{model.name} on {config.dataset.title}: {what}")
        for study in STUDIES.values():
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
        # A random-initialisation control comes from the same files.
        if "hub" in model.source and model.source not in fetched:
            fetched.append(model.source)
            weights = 4 * (12 * model.width**2 * model.blocks + 31_000 * model.width)
            text = f"about {weights / 1e9:.1f} GB of model"
            lines.append(f"  to fetch, unless the hub's cache has it: {text}")
    notes = [
        f"left out of {study.name}: {reason}"
        for study in STUDIES.values()
        for reason in study.left_out(config)
    ]
    return "\n".join([*lines, *notes, *unknown])


def _later_seconds(config: Config, model: Model) -> float:
    """Rough processor time of what is done with a model's vectors."""
    instances = sum(config.dataset.sizes[word] for word in config.words)
    if not config.dataset.labelled:
        return JOB_SECONDS * len(model.unmixed(config.classify[0]))
    # Layer choices with projections and neighbours; a control has none.
    compared = model.name in config.models
    shown = sum(len(model.unmixed(view)) for view in config.classify) if compared else 0
    jobs = shown * (len(config.projections) + 1)
    pictures = TSNE_SECONDS * instances * shown if "tsne" in config.projections else 0.0
    seconds = JOB_SECONDS * jobs + classifying_seconds(config, model) + pictures
    seconds += sum(study.seconds(config, model, COSTS) for study in STUDIES.values())
    return seconds + (_tables_seconds(config, model, jobs) if compared else 0.0)


def _tables_seconds(config: Config, model: Model, jobs: int) -> float:
    """Rough processor time of pictures, tables and pages, beside starting their jobs."""
    words, instances = len(config.words), sum(config.dataset.sizes[w] for w in config.words)
    combinations = len(config.combinations(model))
    each = COMPARED_SECONDS * combinations + PAGE_SECONDS
    return (SHOWN_SECONDS * jobs + INSTANCE_SECONDS) * instances + each * words


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = "config files, later ones over earlier ones, all over config/config.yaml"
    add_configfiles(parser, "configfile", text, nargs="*")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--cores", type=count, default=processors())


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(describe(args.config, args.results, args.cores))
