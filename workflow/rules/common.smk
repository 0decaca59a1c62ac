# In:  the merged config.
# Out: CONFIG (checked), FILES (where every file of the run lies), and what rules list as inputs
#      besides data. No rules.
#
# Every path has a key of what decides the file (wsd/run/keys.py), so that a file which is there is
# right. All inputs are ancient(), and Snakemake keeps no notes: it is asked for what is missing.

import atexit
import json
import math
import os
import re
import shlex
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

import wsd
import wsd.logs
import wsd.run.config
import wsd.run.config_files
import wsd.run.key_checks
import wsd.run.plan
import wsd.run.session
from wsd.artifacts import dataset, noad
from wsd.studies.registry import STUDIES
from wsd.artifacts.pair_table import PAGE as PAIRS_PAGE
from wsd.artifacts.run_map import bare, megabytes
from wsd.artifacts.training_set import FULL
from wsd.corpora import coarsewsd20
from wsd.corpora import published_systems
from wsd.errors import StorageError, WsdError, of_system
from wsd.report.leaderboard import leaderboard
from wsd.run import run_files
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


def reproduce_command():
    """What to type to get the same tables again."""
    keys = workflow.config_settings.config or {}
    return wsd.run.config_files.command(workflow.overwrite_configfiles, keys)


in_one_message(check_encoding, sys.getfilesystemencoding())
# Snakemake keeps the last of a key that a file has twice, and says nothing.
if workflow.is_main_process:
    in_one_message(
        wsd.run.config_files.read_configs,
        [BASE, *map(Path, workflow.overwrite_configfiles)],
    )
CONFIG = in_one_message(wsd.run.config.check, config)
ALL_RESULTS = Path("results")
# Held while this process lives. Snakemake's own lock is off (profiles/): it outlives a run that was
# killed, and has then to be removed by hand.
SESSION = in_one_message(
    lambda: wsd.run.session.Session(
        CONFIG,
        config,
        reproduce_command(),
        ALL_RESULTS,
        main=workflow.is_main_process,
    )
)
FILES = SESSION.files
KEYS = FILES.keys
STORE = FILES.store
STARTED = time.time()
DATASET = CONFIG.dataset.name
# The patterns of the files of studies, by study.
STUDY_FILES = FILES.study
# The words' files, and what `--words` takes: safe in paths, shells and wildcards.
WORDS = tuple(file_name(word) for word in CONFIG.words)
# What one job embeds; the parts are numbered from 1.
PARTS = FILES.parts
LOGS = f"results/logs/{DATASET}"
TABLES = str(CONFIG.tables(ALL_RESULTS))
PACKAGE = in_one_message(
    wsd.run.key_checks.without_braces,
    os.path.relpath(Path(wsd.__file__).parent),
    "the folder of the program",
)
CONDA = "../envs/wsd.yaml"
# Its full path is that of the environment's file.
in_one_message(
    wsd.run.key_checks.without_braces,
    workflow.basedir,
    "the folder of the program",
    wsd.run.key_checks.RENAME,
)

# A started .venv/bin/snakemake finds the `wsd` beside it, activated or not.
BIN = Path(sys.executable).parent
if (BIN / "wsd").exists():
    shell.prefix(f"export PATH={shlex.quote(str(BIN))}:$PATH; ")

# By its key in a path: an encoder, a classifier, another system.
MODEL_OF = {
    keyed: CONFIG.encoders[name]
    for wildcard in ("model", "record", *KEYS.names)
    for name, keyed in FILES.keyed[wildcard].items()
}
OTHER_TRAINS = [FILES.train(name) for name in FILES.other_trains]
# The training set of everything but learning curves.
FULL_TRAIN = FILES.train(FULL)


def any_of(names):
    """What a wildcard may be."""
    return "|".join(map(re.escape, names)) or "(?!)"


def keyed(wildcard, names):
    """The same of names that stand in paths with their keys."""
    return any_of(FILES.keyed[wildcard][name] for name in names)


wildcard_constraints:
    **{wildcard: any_of(FILES.keyed[wildcard].values()) for wildcard in KEYS.names},
    model=any_of(FILES.keyed["model"].values()),
    record=any_of(FILES.keyed["record"].values()),
    train=any_of(FILES.keyed["train"].values()),
    classifier=any_of(FILES.keyed["classifier"].values()),
    system=any_of([*published_systems.SYSTEMS, *FILES.keyed["system"].values()]),
    method=any_of(FILES.keyed["method"].values()),
    part=r"\d+",
    view=r"[a-z_]+(\+[a-z_]+)*@[0-9a-f]{10}",
    layers=r"[a-z0-9-]+(\+[a-z0-9-]+)*",


def named(wildcards):
    """The wildcards without their keys."""
    return SimpleNamespace(**{name: bare(of) for name, of in wildcards.items()})


def scaled(base, per_mb=0):
    """A resource that grows with the MB that a job reads, and again as much with every attempt.

    Files that are not there yet are those of the job's own group, or of a dry run: they count
    nothing. Memory has room for the two Snakemake processes that hold a job on SLURM.
    """

    def resource(wildcards, input, attempt):
        mb = sum(megabytes(Path(file)) for file in input)
        return attempt * math.ceil(base + per_mb * mb)

    return resource


def weights_mb(model):
    """Size of an encoder: 12 width² per block, and one vector for each of some 31,000 pieces."""
    return 4 * (12 * model.width**2 * model.blocks + 31_000 * model.width) / 1e6


def embed_minutes(wildcards, attempt):
    # Glosses are a few sentences, and have no parts.
    words = PARTS.get(int(wildcards.get("part", 0)), [])
    return pass_minutes(MODEL_OF[wildcards.model], words, attempt)


def pass_minutes(model, words, attempt):
    """Three times what one core took for MiniLM, by the encoder's products and the sentences."""
    sentences = sum(CONFIG.dataset.sizes[word] for word in words)
    products = model.blocks * model.width**2 / (6 * 384**2)
    return attempt * math.ceil(10 + 0.7 * products * sentences / 1000)


def record_of(wildcards):
    """The record of an encoder."""
    found = [MODEL_OF[of].name for of in wildcards if of in MODEL_OF]
    return FILES.path(FILES.record, record=found[0])


def source_flags(model, weights):
    """Where an encoder comes from and what it should be, as flags of `wsd model`."""
    of = {key.replace("_", "-"): value for key, value in model.source.items()}
    of |= {"path": str(Path(weights[0]).parent)} if weights else {}
    of |= {"blocks": model.blocks, "width": model.width}
    if model.random_weights is not None:
        of["random-weights"] = model.random_weights
    words = [word for key, value in of.items() for word in (f"--{key}", str(value))]
    # Those that decided the key, so that what has changed since is refused.
    sums = {**KEYS.contents(model), **model.sha256}
    return shlex.join([*words, "--sha256", *(f"{k}={v}" for k, v in sums.items())])


def vectors_flags(wildcards):
    """How an encoder is used, as flags of `wsd embed` and `wsd finetune`."""
    (model,) = [MODEL_OF[of] for of in wildcards if of in MODEL_OF]
    how = f"--pooling {model.pooling} --input {model.input}"
    return how if "base" in wildcards.keys() else f"{how} --precision {model.precision}"


def classifier_flags(names):
    """Classifiers of the config as flags of `wsd classify`."""
    asked = [CONFIG.classifiers[name] for name in names]
    flags = {
        "estimator": [one.estimator for one in asked],
        "name": names,
        "space": [json.dumps(one.space) for one in asked],
    }
    return " ".join(f"--{key} {shlex.join(values)}" for key, values in flags.items())


def vectors(wildcards):
    """The embeddings that a feature set reads."""
    return FILES.listings(wildcards.model, bare(wildcards.view).split("+"))


def stored_vectors(wildcards):
    """The embeddings of every view: which of them was selected is known when the step runs."""
    return FILES.listings(wildcards.model, CONFIG.store)


def pages_vectors(wildcards):
    """The embeddings of the view that the pages show."""
    return FILES.listings(wildcards.model, [CONFIG.page_view])


def folder_of(name, up=1):
    """For params: the folder that many levels above the first of an input's files."""

    def folder(wildcards, input):
        return str(Path(getattr(input, name)[0]).parents[up - 1])

    return folder


def common_layers(models, views):
    """The single layers of some models' views, for one job; where they are not the same, each for
    its own: an output cannot hang on a wildcard.
    """
    found = {model.single_of(view) for model in models.values() for view in views}
    return found.pop() if len(found) == 1 else ("{layers}",)


def controls_of(pattern, layers):
    """The paths of some layers with every classifier of a control."""
    names = [FILES.keyed["classifier"][name] for name in CONFIG.controls.classifiers]
    return expand(
        pattern, train=FULL_TRAIN, layers=layers, classifier=names, allow_missing=True
    )


def only(layers):
    """What a log's name says of the layers: those of a job of their own."""
    return ".{layers}" if layers == ("{layers}",) else ""


# Wildcards in flags and messages, where they stand without their keys.
NAMED = re.compile(
    r"\{(asked|base|baseline|classifier|layers|method|model|part|record|system|train|view)\}"
)
STEPS = []
# Nothing is noted of what was made, on purpose: no reason to say so each time.
logger.addFilter(
    lambda of: not re.search("provenance/metadata|Missing metadata", of.getMessage())
)


def step(name, reads, writes, says, flags="", kind=None, folder=None, **more):
    """Note a rule that runs one `wsd` command; the rules are made at the end, in Snakefile.

    What it reads and writes are flags of the command by their names, but for those that begin with
    an underscore; ``folder`` is its --out, where it names the files in it itself. With ``kind`` the
    settings that stand in its files' keys are flags too. ``more`` has the command, if its name is
    another, and what Snakemake is told besides: ``mem`` and ``minutes`` are a number and one per MB
    that is read, or functions; ``only`` are wildcard constraints.
    """
    writes = writes if isinstance(writes, dict) else {"out": writes}
    params = {"named": named}
    if folder:
        params["folder"] = lambda wildcards: folder.format(**dict(wildcards.items()))
    # Its own flags come first: a file without one would be taken for a word behind --words.
    command = more.get("command", name.replace("_", "-"))
    parts = [f"wsd --log {{log}} {command}", NAMED.sub(r"{params.named.\1}", flags)]
    for of in reads:
        if of == "corpus":
            params |= {"corpus": folder_of("corpus"), "words": WORDS}
            parts.append("--corpus {params.corpus} --words {params.words}")
        elif not of.startswith("_"):
            parts.append(f"--{of.replace('_', '-')} {{input.{of}}}")
    parts.append(shlex.join(FILES.flags(kind)))
    parts += [
        f"--{of.replace('_', '-')} {{output.{of}}}" for of in writes if of[0] != "_"
    ]
    parts.append("--out {params.folder}" if folder else "")
    made = next(iter(writes.values()))
    if not made:
        return  # this config asks for none
    log = FILES.log(made if isinstance(made, str) else made[0])
    usual = {"gpu": 0, "priority": 0, "threads": 1, "mem": (600,), "minutes": (10,)}
    noted = SimpleNamespace(**{"name": name, "log": log, "only": {}, **usual, **more})
    noted.reads = {of: ancient(paths) for of, paths in reads.items()}
    noted.writes, noted.shell = writes, " ".join(filter(None, parts))
    noted.says = NAMED.sub(r"{params.named.\1}", says)
    noted.params = params | more.get("params", {})
    for resource in ("mem", "minutes"):
        asked = getattr(noted, resource)
        setattr(noted, resource, asked if callable(asked) else scaled(*asked))
    STEPS.append(noted)


def make_rule(of):
    """Make what Snakemake runs of a step: in a function, which has its own ``of`` by then."""

    rule:
        name:
            of.name
        input:
            **of.reads,
        output:
            **of.writes,
        log:
            of.log,
        wildcard_constraints:
            **of.only,
        priority: of.priority
        conda:
            CONDA
        threads: of.threads
        resources:
            mem_mb=of.mem,
            runtime=of.minutes,
            gpu=of.gpu,
        params:
            **of.params,
        message:
            of.says
        shell:
            of.shell


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
    print(text, file=sys.stderr, flush=True)


def tell_of_failed_jobs():
    """At the end once more: a list of hundreds of files may stand below what a job said."""
    by_slurm = wsd.logs.said_by_slurm(Path(".snakemake/slurm_logs"), STARTED)
    for said in [*by_slurm, *wsd.logs.not_done(Path("results/logs"), STARTED)]:
        print(f"\n{said}", file=sys.stderr, flush=True)


def show_reports(published):
    """Show the leaderboard, if it is new, and name the pages."""
    # Not above: a dry run needs no pandas and no Bokeh.
    from wsd.report.overview import write_overview

    every = write_overview(ALL_RESULTS.absolute())
    if published.get("summary.csv"):
        leaders = leaderboard(Path(f"{TABLES}/summary.csv"))
        print(f"\n{leaders}\n", file=sys.stderr, flush=True)
    pages = [of for of in published if Path(of).name in ("index.html", PAIRS_PAGE)]
    for page in pages:
        print(f"The pages: {Path(TABLES, page).absolute()}", file=sys.stderr)
    if pages:
        print(f"All reports: {every}", file=sys.stderr, flush=True)


def wanted(paths):
    """The files of these that are not there; all of them for what draws or lists the jobs, and where
    jobs are forced. A target by its name, or by the path that people read, is asked for as it is.
    """
    runs = workflow.output_settings.dryrun or starts_jobs()
    every = FORCED or not runs
    return [path for path in paths if every or not os.path.lexists(path)]


# Links to notes of Snakemake's, of an earlier version.
for link in map(Path, (".snakemake/metadata", ".snakemake/incomplete")):
    if workflow.is_main_process and link.is_symlink():
        with suppress(OSError):
            link.unlink()

# By the path that people read.
READABLE = {f"{TABLES}/{name}": path for name, path in SESSION.names.items()}
# Such paths, asked for on the command line.
ASKED = [path for path in map(os.path.normpath, sys.argv[1:]) if path in READABLE]
# Jobs that are run though their files are there.
FORCED = any(re.match(r"-\w*[FR]|--force(all|run)\b", of) for of in sys.argv[1:])
if workflow.is_main_process and starts_jobs():
    in_one_message(SESSION.begin, ASKED, FORCED)
    atexit.register(SESSION.end, show_reports)
SESSION.share()
