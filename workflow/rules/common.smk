# In:  the merged config.
# Out: CONFIG (checked), FILES (the places of all files), and functions for the rules. No rules.
#
# A path contains a key of everything that decides the file's content (wsd/run/keys.py), so that an
# existing file is up to date. All inputs are ancient(), and Snakemake keeps no metadata: the run asks
# it only for missing files.

import atexit
import json
import math
import os
import re
import shlex
import sys
import time
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

import wsd
import wsd.logs
import wsd.run.config
import wsd.run.config_files
import wsd.run.plan
from wsd.artifacts import dataset
from wsd.artifacts import noad_datasets
from wsd.artifacts.input_template import as_argument
from wsd.artifacts.reserved_names import WITH_MANIFEST
from wsd.studies.registry import STUDIES, extensions, studies_of
from wsd.artifacts.run_json import bare, megabytes
from wsd.artifacts.training_set import FULL
from wsd.corpora import coarsewsd20
from wsd.errors import WsdError
from wsd.report.leaderboard import leaderboard
from wsd.run import run_files
from wsd.run.key_checks import check_program_folder
from wsd.run.run_session import Session
from wsd.storage.file_names import check_encoding, file_name


def in_one_message(function, *arguments):
    """Call a function of the package; its error ends the run without a traceback."""
    try:
        return function(*arguments)
    except WsdError as error:
        raise WorkflowError(str(error)) from None
    except OSError as error:
        raise WorkflowError(str(error)) from None


def starts_jobs():
    """Return whether this call will run jobs, unlike a dry run or a drawing."""
    settings = workflow.resource_settings
    return not workflow.output_settings.dryrun and bool(settings.cores or settings.nodes)


def reproduce_command():
    """Return the command that computes the same tables again."""
    keys = workflow.config_settings.config or {}
    return wsd.run.config_files.command(workflow.overwrite_configfiles, keys)


in_one_message(check_encoding, sys.getfilesystemencoding())
# Snakemake accepts a key that a file has twice, and keeps the last value. The config files of another
# workflow are its own.
if workflow.is_main_process and workflow.modifier.is_main_snakefile():
    in_one_message(
        wsd.run.config_files.read_configs,
        [BASE, *map(Path, workflow.overwrite_configfiles)],
    )
# In another workflow (`module`), the config is what that workflow gives, without the files above.
SETTINGS = in_one_message(wsd.run.config_files.over_defaults, config)
CONFIG = in_one_message(wsd.run.config.check, SETTINGS)
ALL_RESULTS = Path("results")
# The session's lock ends with this process. Snakemake's own lock is off (profiles/), since after a
# killed run somebody would have to remove it.
SESSION = in_one_message(
    partial(Session, main=workflow.is_main_process),
    CONFIG,
    SETTINGS,
    reproduce_command(),
    ALL_RESULTS,
)
FILES = SESSION.files
KEYS = FILES.keys
STORE = FILES.store
STARTED = time.time()
DATASET = CONFIG.dataset.name
# The patterns of the studies' files, by study.
STUDY_FILES = FILES.study
# The words in the form of `--words` and of file names: safe in paths, shells and wildcards.
WORDS = tuple(file_name(word) for word in CONFIG.words)
# The words of each embedding job; the parts are numbered from 1.
PARTS = FILES.parts
LOGS = f"results/logs/{DATASET}"
TABLES = str(CONFIG.tables(ALL_RESULTS))
PACKAGE = in_one_message(check_program_folder, os.path.relpath(Path(wsd.__file__).parent))
CONDA = "../envs/wsd.yaml"
# The full path of the environment's file contains this folder.
in_one_message(check_program_folder, workflow.basedir)

# .venv/bin/snakemake finds the `wsd` in its folder, even if .venv is not activated.
BIN = Path(sys.executable).parent
if (BIN / "wsd").exists():
    shell.prefix(f"export PATH={shlex.quote(str(BIN))}:$PATH; ")

# The encoder behind each name with a key.
MODEL_OF = {
    keyed: CONFIG.encoders[name]
    for wildcard in ("model", "record", *KEYS.names)
    for name, keyed in FILES.keyed[wildcard].items()
    if name in CONFIG.encoders
}
OTHER_TRAINS = [FILES.train(name) for name in FILES.other_trains]
# Only learning curves use further training sets.
FULL_TRAIN = FILES.train(FULL)


def any_of(names):
    """Return a pattern that matches any of the names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def keyed(wildcard, names):
    """Return a pattern that matches any of the names with its key."""
    return any_of(FILES.keyed[wildcard][name] for name in names)


wildcard_constraints:
    **{wildcard: any_of(FILES.keyed[wildcard].values()) for wildcard in KEYS.names},
    model=any_of(FILES.keyed["model"].values()),
    record=any_of(FILES.keyed["record"].values()),
    train=any_of(FILES.keyed["train"].values()),
    classifier=any_of(FILES.keyed["classifier"].values()),
    method=any_of(FILES.keyed["method"].values()),
    part=r"\d+",
    view=r"[a-z_]+(\+[a-z_]+)*@[0-9a-f]{10}",
    layers=r"[a-z0-9-]+(\+[a-z0-9-]+)*",


def named(wildcards):
    """Return the wildcards without their keys."""
    return SimpleNamespace(**{name: bare(value) for name, value in wildcards.items()})


def scaled(base, per_mb=0):
    """Return a resource that grows with the MB that a job reads, and with every attempt.

    Missing files, as in a dry run or from the job's own group, count nothing. The memory has room for
    the two Snakemake processes of a job on SLURM.
    """

    def resource(wildcards, input, attempt):
        mb = sum(megabytes(Path(file)) for file in input)
        return attempt * math.ceil(base + per_mb * mb)

    return resource


def weights_mb(model):
    """Return an encoder's size in MB: 12 width² weights per block, and some 31,000 piece vectors."""
    return 4 * (12 * model.width**2 * model.blocks + 31_000 * model.width) / 1e6


def model_of(wildcards):
    """Return the encoder that a job uses."""
    return next(MODEL_OF[value] for value in wildcards if value in MODEL_OF)


def by_weights(base, factor):
    """Return a resource in MB that grows with the encoder's weights, and with every attempt."""

    def resource(wildcards, attempt):
        return attempt * math.ceil(base + factor * weights_mb(model_of(wildcards)))

    return resource


def single_layers(wildcards):
    """Return every single layer of an encoder."""
    return model_of(wildcards).single


def embed_minutes(wildcards, attempt):
    # Glosses are a few sentences and have no parts.
    words = PARTS.get(int(wildcards.get("part", 0)), [])
    return pass_minutes(model_of(wildcards), words, attempt)


def pass_minutes(model, words, attempt):
    """Return three times the minutes that a core needs, scaled from MiniLM by size and sentences."""
    sentences = sum(CONFIG.dataset.sizes[word] for word in words)
    products = model.blocks * model.width**2 / (6 * 384**2)
    return attempt * math.ceil(10 + 0.7 * products * sentences / 1000)


def record_of(wildcards):
    """Return the path of an encoder's record."""
    return FILES.path(FILES.record, record=model_of(wildcards).name)


def source_flags(model, weights):
    """Return an encoder's source and shape as flags of `wsd model`."""
    flags = {key.replace("_", "-"): value for key, value in model.source.items()}
    flags |= {"path": str(Path(weights[0]).parent)} if weights else {}
    flags |= {"blocks": model.blocks, "width": model.width}
    if model.random_weights is not None:
        flags["random-weights"] = model.random_weights
    words = [word for key, value in flags.items() for word in (f"--{key}", str(value))]
    # The checksums in the key: `wsd model` refuses a file that has changed since.
    sums = {**KEYS.contents(model), **model.sha256}
    return shlex.join([*words, "--sha256", *(f"{k}={v}" for k, v in sums.items())])


def vectors_flags(wildcards):
    """Return an encoder's settings as flags of `wsd embed` and `wsd finetune`."""
    model = model_of(wildcards)
    flags = f"--pooling {model.pooling} --input {shlex.quote(as_argument(model.input))}"
    if "base" in wildcards.keys():
        return flags
    flags = f"{flags} --precision {model.precision}"
    for key, value in model.storage.items():
        values = value if isinstance(value, tuple) else [value]
        flags += f" --{key.replace('_', '-')} {' '.join(map(str, values))}"
    return flags


def classifier_flags(names):
    """Return classifiers of the config as flags of `wsd classify`."""
    classifiers = [CONFIG.classifiers[name] for name in names]
    flags = {
        "estimator": [classifier.estimator for classifier in classifiers],
        "name": names,
        "space": [json.dumps(classifier.space) for classifier in classifiers],
    }
    return " ".join(f"--{key} {shlex.join(values)}" for key, values in flags.items())


def vectors(wildcards):
    """Return the listings of the embeddings that a feature set reads."""
    return FILES.listings(wildcards.model, bare(wildcards.view).split("+"))


def stored_vectors(wildcards):
    """Return the listings of every view: only the running step knows which view was selected."""
    return FILES.listings(wildcards.model, CONFIG.store)


def pages_vectors(wildcards):
    """Return the listings of the view that the pages show."""
    return FILES.listings(wildcards.model, [CONFIG.page_view])


def folder_of(name):
    """Return a function for params that returns the folder of the first file of an input."""
    return lambda wildcards, input: str(Path(getattr(input, name)[0]).parent)


def common_layers(models, views):
    """Return the single layers of some models' views, for one job.

    If the models have different layers, return a wildcard, so that each layer gets its own job.
    """
    layers = {model.single for model in models.values()}
    return layers.pop() if len(layers) == 1 else ("{layers}",)


def controls_of(pattern, layers):
    """Return the paths of some layers with every classifier of a control."""
    names = [FILES.keyed["classifier"][name] for name in CONFIG.controls.classifiers]
    return expand(pattern, train=FULL_TRAIN, layers=layers, classifier=names, allow_missing=True)


# The wildcards that flags and messages show without their keys.
NAMED = re.compile(
    r"\{(asked|base|baseline|classifier|layers|method|model|part|record|system|train|view)\}"
)
# Snakemake keeps no metadata, on purpose; this hides its warnings about that.
logger.addFilter(
    lambda record: not re.search("provenance/metadata|Missing metadata", record.getMessage())
)


def step(name, reads, writes, message, flags="", kind=None, folder=None, **more):
    """Define a rule that runs a `wsd` command.

    The names of inputs and outputs are flags of the command, unless they begin with an underscore.
    ``folder`` is --out of a command that itself names the files in its folder. With ``kind``, the
    settings in the key of that kind of file are flags too. ``more`` has the command, if its name
    differs from the rule's, and arguments for Snakemake: ``mem`` and ``minutes`` are functions, or a
    number and a number per MB of input; ``only`` has wildcard constraints.
    """
    writes = writes if isinstance(writes, dict) else {"out": writes}
    params = {"named": named}
    if folder:
        params["folder"] = lambda wildcards: folder.format(**dict(wildcards.items()))
    # These flags come first: after --words, a file without a flag would be a word.
    command = more.get("command", name.replace("_", "-"))
    parts = [f"wsd --log {{log}} {command}", NAMED.sub(r"{params.named.\1}", flags)]
    for option in reads:
        if option == "corpus":
            params |= {"corpus": folder_of("corpus"), "words": WORDS}
            parts.append("--corpus {params.corpus} --words {params.words}")
        elif not option.startswith("_"):
            parts.append(f"--{option.replace('_', '-')} {{input.{option}}}")
    parts.append(shlex.join(FILES.flags(kind)))
    parts += [
        f"--{option.replace('_', '-')} {{output.{option}}}" for option in writes if option[0] != "_"
    ]
    parts.append("--out {params.folder}" if folder else "")
    outputs = next(iter(writes.values()))
    if not outputs:
        return  # this config needs no such files
    log = FILES.log(outputs if isinstance(outputs, str) else outputs[0])
    mem, minutes = more.get("mem", (600,)), more.get("minutes", (10,))

    rule:
        name:
            name
        input:
            **{option: ancient(paths) for option, paths in reads.items()},
        output:
            **writes,
        log:
            more.get("log", log),
        wildcard_constraints:
            **more.get("only", {}),
        priority: more.get("priority", 0)
        conda:
            CONDA
        threads: more.get("threads", 1)
        resources:
            mem_mb=mem if callable(mem) else scaled(*mem),
            runtime=minutes if callable(minutes) else scaled(*minutes),
            gpu=more.get("gpu", 0),
        params:
            **(params | more.get("params", {})),
        message:
            NAMED.sub(r"{params.named.\1}", message)
        shell:
            " ".join(filter(None, parts))


def limit_by_cores():
    """Remove Snakemake's limit of jobs per second, unless jobs go to a queue.

    With the limit, every finished job starts a timer that schedules the ready jobs each second: after
    200 jobs, 200 times a second.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def announce_cost():
    cores = workflow.resource_settings.cores or 1
    for line in wsd.run.plan.describe(FILES, cores):
        print(line, file=sys.stderr, flush=True)


def show_failed_jobs():
    """Repeat the errors of failed jobs at the end, below Snakemake's output."""
    for text in wsd.logs.failed_jobs(Path("results/logs"), STARTED):
        print(f"\n{text}", file=sys.stderr, flush=True)


def show_reports(published):
    """Print the leaderboard, if it is new, and the paths of the pages."""
    # This imports pandas and Bokeh, which a dry run does not need.
    from wsd.report.overview import write_overview

    studies = [import_module(name) for name in extensions("overview")]
    overview = write_overview(ALL_RESULTS.absolute(), studies)
    if published.get("summary.csv"):
        leaders = leaderboard(Path(f"{TABLES}/summary.csv"))
        print(f"\n{leaders}\n", file=sys.stderr, flush=True)
    front_pages = ["index.html", *(study.front_page for study in STUDIES.values())]
    pages = [path for path in published if Path(path).name in front_pages]
    for page in pages:
        print(f"The pages: {Path(TABLES, page).absolute()}", file=sys.stderr)
    if pages:
        print(f"All reports: {overview}", file=sys.stderr, flush=True)


def wanted(paths):
    """Return the missing files, or all files for a drawing or forced jobs."""
    draws = not workflow.output_settings.dryrun and not starts_jobs()
    return [path for path in paths if FORCED or draws or not os.path.lexists(path)]


# The files in the store by their published paths.
READABLE = {f"{TABLES}/{name}": path for name, path in SESSION.names.items()}
# Published paths that the command line asks for.
ASKED = [path for path in map(os.path.normpath, sys.argv[1:]) if path in READABLE]
# Whether the command line forces jobs whose files exist already.
FORCED = any(re.match(r"-\w*[FR]|--force(all|run)\b", word) for word in sys.argv[1:])
if workflow.is_main_process and starts_jobs():
    in_one_message(SESSION.begin, ASKED)
    atexit.register(SESSION.end, show_reports)
    # This runs before: with --directory, Snakemake has gone back to the folder where it was called.
    atexit.register(os.chdir, os.getcwd())
SESSION.share()
