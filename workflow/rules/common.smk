# In:  the merged config.
# Out: CONFIG (checked), the folders, and what rules list as inputs besides data. No rules.

import atexit
import json
import math
import os
import re
import shlex
import sys
import time
from contextlib import nullcontext, suppress
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.persistence import RECORD_FORMAT_VERSION

import wsd
import wsd.artifacts.pairs
import wsd.logs
import wsd.report.overview
import wsd.run.config
import wsd.run.config_files
import wsd.run.demands
import wsd.run.listings
import wsd.run.lock
import wsd.run.notes
import wsd.run.parts
import wsd.run.plan
import wsd.run.sharing
import wsd.run.steps
from wsd.artifacts import dataset, gloss_vectors, noad
from wsd.artifacts.training_set import FULL
from wsd.corpora import coarsewsd20, systems
from wsd.errors import StorageError, WsdError, of_system
from wsd.report.leaderboard import leaderboard
from wsd.storage.file_names import check_encoding, file_name


def in_one_message(function, *arguments):
    """What a function of the package gives; its error ends the run without a traceback."""
    try:
        return function(*arguments)
    except WsdError as error:
        raise WorkflowError(str(error)) from None
    except OSError as error:
        found = of_system(error, ["results", ".snakemake"])
        if found is None:
            raise
        raise WorkflowError(str(found)) from None


def starts_jobs():
    """Whether this call will run jobs: no dry run, and no drawing."""
    settings = workflow.resource_settings
    return not workflow.output_settings.dryrun and bool(
        settings.cores or settings.nodes
    )


def begin_run(results):
    """Before the files are looked at: no other run here, nothing half-written, nothing damaged,
    and nothing of which nobody knows what made it.
    """
    wsd.run.sharing.check_folders(CONFIG, results)
    run = wsd.run.lock.begin(results) if starts_jobs() else None
    # On a disk that cannot be written, a look at what would run goes by the notes that are there.
    with nullcontext() if starts_jobs() else suppress(StorageError):
        wsd.run.notes.keep_beside(results, Path(".snakemake"))
        # Another run notes what it has made only after that.
        if run or not wsd.run.lock.busy(results):
            wsd.run.notes.redo(results, RECORD_FORMAT_VERSION)
    return run


def list_reports(results):
    """Write the page that lists every report, at the end of every run, however that ends.

    It is no output of a rule: a rule would have to run each time, for what another run or the user
    has added or removed, and Snakemake would delete the page with a job that failed. It is no hook
    either, since those are left out where there is nothing to do, and by --no-hooks. The run's lock
    is still held then; on a disk without locks, whoever is last lists what all have written.
    """
    try:
        wsd.report.overview.write_overview(results)
    except WsdError as error:
        print(f"the list of reports: {error}", file=sys.stderr, flush=True)


in_one_message(check_encoding, sys.getfilesystemencoding())
# Snakemake keeps the last of a key that a file has twice, and says nothing.
if workflow.is_main_process:
    in_one_message(
        wsd.run.config_files.read_configs,
        [BASE, *map(Path, workflow.overwrite_configfiles)],
    )
CONFIG = in_one_message(wsd.run.config.check, config)
ALL_RESULTS = Path("results")
os.environ[wsd.run.lock.VARIABLE] = str(wsd.run.lock.jobs_lock(ALL_RESULTS))
# Held while this process lives. Snakemake's own lock is off (profiles/): it outlives a run that was
# killed, and has then to be removed by hand.
RUN = in_one_message(begin_run, ALL_RESULTS) if workflow.is_main_process else None
if workflow.is_main_process and starts_jobs():
    atexit.register(list_reports, ALL_RESULTS.absolute())
STARTED = time.time()
DATASET = CONFIG.dataset.name
# The words' files, and what `--words` takes: safe in paths, shells and wildcards.
WORDS = tuple(file_name(word) for word in CONFIG.words)
# What one job embeds; the parts are numbered from 1.
PARTS = dict(enumerate(wsd.run.parts.in_parts(CONFIG.words, CONFIG.dataset.sizes), 1))
# What depends on its wildcards and on settings that runs have in common: shared by all runs.
RESULTS = f"results/{DATASET}"
LOGS = f"results/logs/{DATASET}"
# What depends on the choice that this config makes.
TABLES = str(CONFIG.tables(ALL_RESULTS))
TABLE_LOGS = str(CONFIG.tables(ALL_RESULTS / "logs"))
OF_RUN = f"--run {CONFIG.run}" if CONFIG.run else ""
PACKAGE = in_one_message(
    wsd.run.demands.without_braces,
    os.path.relpath(Path(wsd.__file__).parent),
    "the folder of the program",
)
CONDA = "../envs/wsd.yaml"
# Its full path is that of the environment's file.
in_one_message(
    wsd.run.demands.without_braces,
    workflow.basedir,
    "the folder of the program",
    wsd.run.demands.RENAME,
)

# A started .venv/bin/snakemake finds the `wsd` beside it, activated or not.
BIN = Path(sys.executable).parent
if (BIN / "wsd").exists():
    shell.prefix(f"export PATH={shlex.quote(str(BIN))}:$PATH; ")


# Encoders: those that are compared, their twins with random weights, and what was fine-tuned.
ENCODERS = CONFIG.encoders
OTHER_TRAINS = CONFIG.trains[1:]
CONTROL_VIEWS = [view for view in CONFIG.controls.views if view not in CONFIG.classify]
# The models that are asked what they would say in the focal word's place.
WITHOUT_HEAD = wsd.run.plan.without_head(CONFIG)
SUBSTITUTED = [
    name
    for name in CONFIG.models
    if "substitutes" in CONFIG.analyses and name not in WITHOUT_HEAD
]
# The classifiers whose scores are probabilities, for the audit and for code lengths.
JUDGES = [
    name
    for name, classifier in CONFIG.classifiers.items()
    if classifier.estimator == "logistic"
][:1]
PROBABILISTIC = [
    name
    for name in CONFIG.controls.classifiers
    if CONFIG.classifiers[name].estimator in ("logistic", "lda")
]


def any_of(names):
    """What a wildcard may be."""
    return "|".join(map(re.escape, names))


wildcard_constraints:
    model=any_of(ENCODERS),
    part=r"\d+",
    classifier=any_of(CONFIG.classifiers),
    view=r"[a-z_]+(\+[a-z_]+)*",
    train=any_of(CONFIG.trains),
    layers=r"[a-z0-9-]+(\+[a-z0-9-]+)*",
    method="pca|discriminant|tsne",
    gloss="|".join(gloss_vectors.KINDS),


def modules(step):
    """The file that stands for the modules of wsd that a step runs: another one reruns the step.

    It lies beside the results, so that they and what decides a rerun stay together.
    """
    return str(
        in_one_message(wsd.run.steps.write, step, ALL_RESULTS / wsd.run.steps.FOLDER)
    )


def scaled(base, per_mb=0):
    """A resource that grows with the MB that a job reads, and again as much with every attempt.

    Files that are not there yet are those of the job's own group, or of a dry run: they count
    nothing. Memory has room for the two Snakemake processes that hold a job on SLURM.
    """

    def resource(wildcards, input, attempt):
        mb = sum(wsd.run.listings.megabytes(Path(file)) for file in input)
        return attempt * math.ceil(base + per_mb * mb)

    return resource


def weights_mb(wildcards):
    """Size of an encoder: 12 width² per block, and one vector for each of some 31,000 pieces."""
    model = ENCODERS[wildcards.model]
    return 4 * (12 * model.width**2 * model.blocks + 31_000 * model.width) / 1e6


def embed_minutes(wildcards, attempt):
    return pass_minutes(wildcards.model, PARTS[int(wildcards.part)], attempt)


def pass_minutes(name, words, attempt):
    """Three times what one core took for MiniLM, by the encoder's products and the sentences."""
    model = ENCODERS[name]
    sentences = sum(CONFIG.dataset.sizes[word] for word in words)
    products = model.blocks * model.width**2 / (6 * 384**2)
    return attempt * math.ceil(10 + 0.7 * products * sentences / 1000)


def encoder_record(wildcards):
    """The record of an encoder."""
    return f"results/{CONFIG.record(wildcards.model)}"


def model_source(wildcards):
    """The source of a model as flags of `wsd model`."""
    model = ENCODERS[wildcards.model]
    flags = {key.replace("_", "-"): value for key, value in model.source.items()}
    if model.random_weights is not None:
        flags["random-weights"] = str(model.random_weights)
    return " ".join(f"--{key} {shlex.quote(value)}" for key, value in flags.items())


def model_checksums(wildcards):
    return [f"{k}={v}" for k, v in ENCODERS[wildcards.model].sha256.items()]


def classifier_flags(names):
    """Classifiers of the config as flags of `wsd classify`."""
    asked = [CONFIG.classifiers[name] for name in names]
    flags = {
        "estimator": [one.estimator for one in asked],
        "name": names,
        "space": [json.dumps(one.space) for one in asked],
    }
    return " ".join(f"--{key} {shlex.join(values)}" for key, values in flags.items())


def listings(model, kinds):
    """What lists the files of a model's words: the vectors of views, or the alignments."""
    return expand(
        "{results}/{model}/embeddings/{kind}.{part}.json",
        results=RESULTS,
        model=model,
        kind=kinds,
        part=PARTS,
    )


def listings_of_part(kinds):
    """The same as the outputs of a job, the alignments among them."""
    return [
        f"{RESULTS}/{{model}}/embeddings/{kind}.{{part}}.json"
        for kind in (*kinds, "alignment")
    ]


def vectors(wildcards):
    """The embeddings that a feature set reads."""
    return listings(wildcards.model, wildcards.view.split("+"))


def stored_vectors(wildcards):
    """The embeddings of every view: which of them was selected is known when the step runs."""
    return listings(wildcards.model, CONFIG.store)


def pages_vectors(wildcards):
    """The embeddings of the view that the pages show."""
    return listings(wildcards.model, CONFIG.classify[0])


def folder_of(name, up=1):
    """For params: the folder that many levels above the first of an input's files."""

    def folder(wildcards, input):
        return str(Path(getattr(input, name)[0]).parents[up - 1])

    return folder


def candidates(pattern, train=FULL, classifiers=None, joined=True):
    """The paths of every configuration that may be selected, one model after the other.

    Without ``joined``, only those that classify one view.
    """
    return [
        pattern.format(
            model=name, train=train, view=view, layers=layers, classifier=classifier
        )
        for name, model in CONFIG.models.items()
        for view, layers in CONFIG.feature_sets(model)
        if joined or (view, layers) not in model.features
        for classifier in classifiers or CONFIG.classifiers
        if CONFIG.classifiers[classifier].fits(layers)
    ]


def controls(pattern, models, views, classifiers=CONFIG.controls.classifiers):
    """The paths of every single layer of some models' views, with some classifiers."""
    return [
        pattern.format(
            model=name, train=FULL, view=view, layers=layers, classifier=classifier
        )
        for name, model in models.items()
        for view in views
        for layers in model.single_of(view)
        for classifier in classifiers
    ]


def common_layers(models, views):
    """The single layers of some models' views, for one job; where they are not the same, each for
    its own: an output cannot hang on a wildcard.
    """
    found = {model.single_of(view) for model in models.values() for view in views}
    return found.pop() if len(found) == 1 else ("{layers}",)


def controls_of(pattern, layers):
    """The paths of some layers with every classifier of a control."""
    names = CONFIG.controls.classifiers
    return expand(
        pattern, train=FULL, layers=layers, classifier=names, allow_missing=True
    )


def only(layers):
    """What a log's name says of the layers: those of a job of their own."""
    return ".{layers}" if layers == ("{layers}",) else ""


def finetuned_layers(pattern):
    """The paths of every single layer of what was fine-tuned, with every classifier."""
    return controls(pattern, CONFIG.finetuned, CONFIG.classify[:1], CONFIG.classifiers)


def of_every_train(pattern):
    """The paths of every configuration on every training set."""
    other = [
        path
        for train in OTHER_TRAINS
        for path in candidates(pattern, train, CONFIG.controls.classifiers)
    ]
    return [*candidates(pattern), *other]


def scored(pattern):
    """The same, and those of the further views."""
    paths = [
        *of_every_train(pattern),
        *controls(pattern, CONFIG.models, CONTROL_VIEWS),
        *controls(pattern, CONFIG.twins, CONFIG.classify[:1]),
        *finetuned_layers(pattern),
    ]
    return list(dict.fromkeys(paths))


def analyses():
    """The further tables that the config asks for."""
    asked = CONFIG.analyses
    return [
        f"{TABLES}/{path}"
        for model in CONFIG.models
        for path in [
            *([f"{model}/substitutes.csv"] if model in SUBSTITUTED else []),
            *([f"{model}/geometry.csv"] if "geometry" in asked else []),
            *([f"{model}/code-length.csv"] if "code_length" in asked else []),
            *([f"audit/{model}/instances.csv"] if "audit" in asked else []),
        ]
    ]


def shown(pattern, views=CONFIG.classify):
    """The paths that the pages show: the layer choices of the views, each with a picture."""
    return [
        path
        for name, model in CONFIG.models.items()
        for view in views
        for path in expand(
            pattern,
            model=name,
            # In their order: the pages open with the first.
            method=CONFIG.projections,
            view=view,
            layers=model.unmixed(view),
            classifier=CONFIG.classifiers,
            train=FULL,
        )
    ]


def gloss_file():
    """Where the glosses are: with the program, in the corpus's manifest, or where the config says."""
    if CONFIG.glosses != gloss_vectors.OF_CORPUS:
        return CONFIG.glosses
    return (
        f"{SOURCE}/{dataset.MANIFEST}"
        if OWN
        else f"{PACKAGE}/data/glosses/{DATASET}.tsv"
    )


def zero_shot():
    """The predictions from glosses, by layer choice and kind of gloss vector."""
    return [
        ZERO_SHOT.format(model=name, layers=layers, gloss=kind)
        for name, model in CONFIG.models.items()
        for layers in model.unmixed(gloss_vectors.VIEW)
        if CONFIG.has_glosses
        for kind in gloss_vectors.KINDS
    ]


def finetuned(trains=CONFIG.finetune_trains):
    """The predictions of fine-tuned encoders, by training set and seed."""
    seeds = CONFIG.finetune.seeds if CONFIG.finetune else []
    return expand(FINETUNED, model=CONFIG.models, train=trains, seed=seeds)


def finetuned_weights(wildcards):
    """What fine-tuning keeps of the model that an encoder was trained from."""
    base = CONFIG.finetuned[wildcards.model].source["finetuned_from"]
    return f"{FINETUNE}/model/model.safetensors".format(model=base, train=FULL)


def finetune_minutes(wildcards, attempt):
    """Three times what one core is told to take; as many trainings as settings and seeds."""
    seconds = wsd.run.plan.finetune_seconds(
        CONFIG, ENCODERS[wildcards.model], wildcards.train
    )
    return attempt * math.ceil(10 + 3 * seconds / 60)


def gloss_worth():
    """What each model's glosses are worth."""
    return expand(GLOSS_WORTH, model=CONFIG.models if CONFIG.has_glosses else [])


def asked(pattern):
    """A path per model that can be asked, as far as its files are at hand to tell."""
    return expand(pattern, model=SUBSTITUTED)


def reproduce_command():
    """What to type to get the same tables again, whatever the number of cores."""
    files = [os.path.relpath(file) for file in workflow.overwrite_configfiles]
    keys = workflow.config_settings.config or {}
    single = [f"{key}={json.dumps(value)}" for key, value in keys.items()]
    command = ["snakemake", "--cores", "all"]
    command += ["--configfile", *files] if files else []
    command += ["--config", *single] if single else []
    return shlex.join(command)


def limit_by_cores():
    """Take off Snakemake's limit of jobs per second, but for a queue's sake.

    With it each job that ends sets a clock going that weighs the ready jobs every second from then
    on, as long as there are any: after 200 jobs, 200 times a second.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def announce_cost():
    cores = workflow.resource_settings.cores or 1
    text = in_one_message(wsd.run.plan.describe, CONFIG, ALL_RESULTS, cores)
    for said in wsd.run.sharing.clashes(CONFIG, config, ALL_RESULTS):
        text += f"\n{said}"
    print(text, file=sys.stderr, flush=True)


def tell_of_failed_jobs():
    """At the end once more: a list of hundreds of files may stand below what a job said."""
    by_slurm = wsd.logs.said_by_slurm(Path(".snakemake/slurm_logs"), STARTED)
    for said in [*by_slurm, *wsd.logs.not_done(Path("results/logs"), STARTED)]:
        print(f"\n{said}", file=sys.stderr, flush=True)


def print_pages():
    # Of a corpus without senses, which has no leaderboard.
    pages = [Path(page).absolute() for page in WANTED if str(page).endswith(".html")]
    if not CONFIG.dataset.labelled and all(page.exists() for page in pages):
        print("\nThe pages:", *pages, file=sys.stderr, flush=True)


def print_leaderboard():
    # A run of some of the targets has no leaderboard to show, or only an old one.
    if workflow.dag_settings.targets or not Path(f"{TABLES}/summary.csv").exists():
        return
    text = leaderboard(Path(f"{TABLES}/summary.csv"))
    index = Path(f"{TABLES}/report/index.html").absolute()
    every = (ALL_RESULTS / "index.html").absolute()
    said = f"\n{text}\n\nThe pages: {index}\nAll reports: {every}"
    print(said, file=sys.stderr, flush=True)
