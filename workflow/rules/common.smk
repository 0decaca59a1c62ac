# In:  the merged config.
# Out: CONFIG (checked), FILES (the places of all files), and functions for the rules. No rules.
#
# A path contains a key of everything that decides the file's content (wsd/run/keys.py), so that an
# existing file is up to date. All inputs are ancient(), and Snakemake keeps no metadata: the run asks
# it only for missing files.

import atexit
import hashlib
import json
import math
import os
import re
import shlex
import sys
import time
from importlib import import_module
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

import wsd
import wsd.logs
import wsd.run.config
import wsd.run.config_files
import wsd.run.plan
from wsd.artifacts import dataset
from wsd.artifacts.dataset import NOAD, WITH_MANIFEST
from wsd.artifacts.encoder_input import as_argument
from wsd.artifacts.run_json import bare, megabytes
from wsd.errors import WsdError
from wsd.report.leaderboard import leaderboard
from wsd.run.files import CONFIDENCE, command_line
from wsd.run.session import Session
from wsd.storage.atomic import write_text
from wsd.storage.file_names import check_encoding, file_name
from wsd.studies.base import without_braces
from wsd.studies.registry import STUDIES, extensions, studies_of


def in_one_message(function, *arguments, **options):
    """Call a function of the package; its error ends the run without a traceback."""
    try:
        return function(*arguments, **options)
    except (WsdError, OSError) as error:
        raise WorkflowError(str(error)) from None


in_one_message(check_encoding, sys.getfilesystemencoding())
# Snakemake accepts a key that a file has twice, and keeps the last value. The config files of another
# workflow are its own.
if workflow.is_main_process and workflow.modifier.is_main_snakefile():
    files = [BASE, *map(Path, workflow.overwrite_configfiles)]
    in_one_message(wsd.run.config_files.read_configs, files)
# In another workflow (`module`), the config is what that workflow gives, without the files above.
SETTINGS = in_one_message(wsd.run.config_files.over_defaults, config)
CONFIG = in_one_message(wsd.run.config.check, SETTINGS)
# The command that computes the same tables again.
COMMAND = wsd.run.config_files.command(
    workflow.overwrite_configfiles, workflow.config_settings.config or {}
)
ALL_RESULTS = Path("results")
# The session's lock ends with this process. Snakemake's own lock is off (profiles/), since after a
# killed run somebody would have to remove it.
SESSION = in_one_message(
    Session, CONFIG, SETTINGS, COMMAND, ALL_RESULTS, main=workflow.is_main_process
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
TABLES = str(CONFIG.tables(ALL_RESULTS))
PACKAGE = os.path.relpath(Path(wsd.__file__).parent)
for folder in (PACKAGE, workflow.basedir):  # the environment's file is below the latter
    in_one_message(without_braces, folder, "the folder of the program", "rename the folder")

# .venv/bin/snakemake finds the `wsd` in its folder, even if .venv is not activated.
BIN = Path(sys.executable).parent
if (BIN / "wsd").exists():
    shell.prefix(f"export PATH={shlex.quote(str(BIN))}:$PATH; ")

# The files in the store by their published paths.
READABLE = {f"{TABLES}/{name}": path for name, path in SESSION.names.items()}
# Published paths that the command line asks for.
ASKED = [path for path in map(os.path.normpath, sys.argv[1:]) if path in READABLE]
# Forced jobs whose files exist already.
FORCED = any(re.fullmatch(r"-\w*[fFR]\w*|--force(all|run)?(=.*)?", word) for word in sys.argv[1:])
DRY_RUN, CORES = workflow.output_settings.dryrun, workflow.resource_settings.cores
# Whether this call runs jobs, unlike a dry run or a drawing.
RUNS = not DRY_RUN and bool(CORES or workflow.resource_settings.nodes)
STARTS = RUNS and workflow.is_main_process
# Whether the run asks for all files, not only for missing ones.
EVERY = FORCED or not (RUNS or DRY_RUN)

# The encoder behind each name with a key.
MODEL_OF = {
    keyed: CONFIG.encoders[name]
    for wildcard in ("model", "record", *KEYS.names)
    for name, keyed in FILES.keyed[wildcard].items()
    if name in CONFIG.encoders
}
# Only learning curves use further training sets.
FULL_TRAIN, *OTHER_TRAINS = (FILES.train(name) for name in CONFIG.trains)


def any_of(names):
    """Return a pattern that matches any of the names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def keyed(wildcard, names):
    """Return a pattern that matches any of the names with its key."""
    return any_of(FILES.keyed[wildcard][name] for name in names)


wildcard_constraints:
    **{wildcard: any_of(names.values()) for wildcard, names in FILES.keyed.items()},
    part=r"\d+",
    view=r"[a-z_]+(\+[a-z_]+)*@[0-9a-f]{10}",
    layers=r"[a-z0-9-]+(\+[a-z0-9-]+)*",


# What jobs need: MB of memory and minutes, each a number and a number per MB of input.
TABLES_ONLY = {"mem": (800, 20), "minutes": (20, 1)}
VECTORS = {"mem": (800, 1.5), "minutes": (20, 0.2)}
COMPARED = {"mem": (800, 50), "minutes": (20, 2)}
DRAWN = {"mem": (800, 100), "minutes": (20, 10)}
# Steps that run an encoder use all cores and run first: otherwise cores would be idle until the last job
# of a single core ends. A GPU runs one job at a time, since each job takes all memory it can use.
HEAVY = {"priority": 2, "threads": CORES or 1, "gpu": int(CONFIG.uses_gpu)}


def scaled(base, per_mb=0):
    """Return a resource that grows with the MB that a job reads, and with every attempt.

    Missing files, as in a dry run or from the job's own group, count nothing. The memory has room for
    the two Snakemake processes of a job on SLURM.
    """

    def resource(wildcards, input, attempt):
        mb = sum(megabytes(Path(file)) for file in input)
        return attempt * math.ceil(base + per_mb * mb)

    return resource


def model_of(wildcards):
    """Return the encoder that a job uses."""
    return next(MODEL_OF[value] for value in wildcards if value in MODEL_OF)


def by_weights(base, factor):
    """Return a resource in MB that grows with the encoder's weights, and with every attempt."""

    def resource(wildcards, attempt):
        mb = 4 * wsd.run.plan.weights(model_of(wildcards)) / 1e6
        return attempt * math.ceil(base + factor * mb)

    return resource


def pass_minutes(wildcards, attempt, words=CONFIG.words):
    """Return three times the minutes that a core needs, scaled from MiniLM by size and sentences."""
    model = model_of(wildcards)
    sentences = sum(CONFIG.dataset.sizes[word] for word in words)
    products = model.blocks * model.width**2 / (6 * 384**2)
    return attempt * math.ceil(10 + 0.7 * products * sentences / 1000)


def of_encoder(key):
    """Return a function that returns an attribute of the encoder that a job uses."""
    return lambda wildcards: getattr(model_of(wildcards), key)


def name_of(wildcard):
    """Return a function that returns the value of a wildcard without its key."""
    return lambda wildcards: bare(wildcards[wildcard])


def record_of(wildcards):
    """Return the path of an encoder's record."""
    return FILES.path(FILES.record, record=model_of(wildcards).name)


def vectors_of(views=None):
    """Return a function that returns the listings of a model's embeddings, of the job's view."""
    return lambda wildcards: FILES.listings(
        wildcards.model, views or bare(wildcards.view).split("+")
    )


STORED_VECTORS = vectors_of(CONFIG.store)
PAGE_VECTORS = vectors_of([CONFIG.page_view])


def in_short(name, words):
    """Return the words of a command line, or the name of a file with them if they are too many.

    A failing job then prints its error, not pages of paths, which a shell would even refuse. A dry run
    shows the words.
    """
    text = "\n".join(words)
    if DRY_RUN or len(text) < 2000:
        return shlex.join(words)
    path = Path(FILES.logs, f"{name}@{hashlib.sha256(text.encode()).hexdigest()[:10]}.txt")
    if not path.exists():
        write_text(path, text)
    return f"@{path}"


def shorten(record):
    """Cut the lists of files in a job's error; hide warnings about metadata, which nothing needs."""
    if record.levelname == "ERROR" and hasattr(record, "rule_msg"):
        for part in ("input", "output"):
            files = getattr(record, part)
            setattr(record, part, files if len(files) < 6 else [*files[:5], "..."])
    return not re.search("provenance/metadata|Missing metadata", record.getMessage())


logger.addFilter(shorten)


def step(name, reads, writes, flags={}, folder=None, **more):
    """Define a rule that runs a `wsd` command.

    The names of inputs and outputs are flags of the command, unless they begin with an underscore.
    The wildcards ``view``, ``layers`` and ``method`` and the settings in the key of the command's
    files (wsd/run/digests.py) are flags too, and ``flags`` has others; it or its values may be
    functions of the wildcards. ``folder`` is --out of a command that itself names its files: by default
    the folder of listings, or of outputs that are no flags. ``more`` has the command and the log, if
    they differ from the rule's; its first ``words``; and arguments for Snakemake: ``mem`` and
    ``minutes`` are functions, or a number and a number per MB of input; ``only`` has wildcard
    constraints.
    """
    command = more.get("command", name.replace("_", "-"))
    writes = writes if isinstance(writes, dict) else {"out": writes}
    first, outputs = next(iter(writes.items()))
    if not outputs:
        return  # this config needs no such files
    output_path = outputs if isinstance(outputs, str) else outputs[0]
    if first[0] == "_":
        folder = folder or str(Path(output_path).parent)
    elif first == "listings":
        folder = folder or output_path.removesuffix(".json")

    def arguments(wildcards, input, output, threads):
        named = dict(wildcards.items())
        values = {key: bare(named[key]) for key in ("view", "layers", "method") if key in named}
        values |= flags(wildcards) if callable(flags) else flags
        values |= KEYS.settings_of(command)
        values |= {"threads": threads} if "threads" in more else {}
        values |= {"out": folder.format(**named)} if folder else {}
        files = {**dict(input.items()), **dict(output.items())}
        if files.pop("corpus", None):
            values |= {"corpus": Path(FILES.corpus).parent, "words": WORDS}
        values |= {option: paths for option, paths in files.items() if option[0] != "_"}
        called = {k: value(wildcards) if callable(value) else value for k, value in values.items()}
        words = more.get("words", [])
        first_words = words(wildcards) if callable(words) else words
        return in_short(name, [*first_words, *command_line(called)])

    names = dict.fromkeys(re.findall(r"\{(\w+)", output_path))
    mem, minutes = (more.get(key, TABLES_ONLY[key]) for key in ("mem", "minutes"))

    rule:
        name:
            name
        input:
            **{option: ancient(paths) for option, paths in reads.items()},
        output:
            **writes,
        log:
            more.get("log", FILES.log(output_path)),
        wildcard_constraints:
            **more.get("only", {}),
        priority: more.get("priority", 0)
        conda:
            "../envs/wsd.yaml"
        threads: more.get("threads", 1)
        resources:
            mem_mb=mem if callable(mem) else scaled(*mem),
            runtime=minutes if callable(minutes) else scaled(*minutes),
            gpu=more.get("gpu", 0),
        params:
            arguments=arguments,
            names=lambda wildcards: ", ".join(bare(wildcards[name]) for name in names),
        message:
            f"{name}: {{params.names}}" if names else name
        shell:
            f"wsd --log {{log}} {command} {{params.arguments}}"


def show_reports(published):
    """Print the leaderboard, if it is new, and the paths of the pages."""
    # This imports pandas and Bokeh, which a dry run does not need.
    from wsd.report.overview import write_overview

    studies = [import_module(name) for name in extensions("overview")]
    overview = write_overview(ALL_RESULTS.absolute(), studies)
    lines = []
    if published.get("summary.csv"):
        lines += ["", leaderboard(Path(TABLES, "summary.csv")), ""]
    front_pages = ["index.html", *(f"{name}.html" for name in STUDIES)]
    pages = [Path(TABLES, path) for path in published if Path(path).name in front_pages]
    lines += [f"The pages: {page.absolute()}" for page in pages]
    lines += [f"All reports: {overview}"] if pages else []
    print(*lines, sep="\n", end="\n" if lines else "", file=sys.stderr, flush=True)


if STARTS:
    in_one_message(SESSION.begin, ASKED)
    atexit.register(SESSION.end, show_reports)
    # This runs before: with --directory, Snakemake has gone back to the folder where it was called.
    atexit.register(os.chdir, os.getcwd())
SESSION.share()
