# In:  the merged config.
# Out: CONFIG (checked), the folders, and what rules list as inputs besides data. No rules.

import json
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

import wsd
import wsd.config
import wsd.leaderboard
import wsd.plan
from wsd.errors import WsdError


def checked_config():
    try:
        schema = Path(workflow.basedir) / "workflow/schemas/config.schema.yaml"
        return wsd.config.check(config, schema)
    except WsdError as error:
        raise WorkflowError(str(error)) from None


CONFIG = checked_config()
DATASET = CONFIG.dataset.name
RESULTS = f"results/{DATASET}"
LOGS = f"results/logs/{DATASET}"
BENCHMARKS = f"results/benchmarks/{DATASET}"
PACKAGE = os.path.relpath(Path(wsd.__file__).parent)
CONDA = "../envs/wsd.yaml"

# A started .venv/bin/snakemake finds the `wsd` beside it, activated or not.
BIN = Path(sys.executable).parent
if (BIN / "wsd").exists():
    shell.prefix(f"export PATH={shlex.quote(str(BIN))}:$PATH; ")


wildcard_constraints:
    model="|".join(map(re.escape, CONFIG.models)),
    word="|".join(map(re.escape, CONFIG.words)),
    classifier="|".join(map(re.escape, CONFIG.classifiers)),
    view="|".join(CONFIG.store),
    train="full",
    layers="[a-z0-9-]+",


# The modules of wsd that each step runs: editing one reruns the steps that list it, and no other.
# `cli` and `errors` are left out on purpose: an edited message must not embed everything again.
# tests/test_modules.py holds these lists against what a real run of each step imports.
MODULES = {
    "download": ["__init__", "datasets", "download"],
    "corpus": ["__init__", "corpus", "files"],
    "model": ["__init__", "files", "models"],
    "embed": ["__init__", "corpus", "embeddings", "encoder", "files", "models"],
    "classify": [
        "__init__",
        "classifiers",
        "corpus",
        "embeddings",
        "files",
        "layers",
        "predictions",
    ],
    "project": [
        "__init__",
        "corpus",
        "embeddings",
        "files",
        "layers",
        "predictions",
        "projection",
    ],
    "evaluate": [
        "__init__",
        "corpus",
        "embeddings",
        "evaluation",
        "files",
        "layers",
        "predictions",
    ],
    "report": [
        "__init__",
        "corpus",
        "datasets",
        "embeddings",
        "evaluation",
        "files",
        "layers",
        "predictions",
        "projection",
        "report/__init__",
        "report/figures",
        "report/inputs",
        "report/pages",
    ],
}


def modules(step):
    return [f"{PACKAGE}/{module}.py" for module in MODULES[step]]


def model_source(wildcards):
    """The source of a model as flags of `wsd model`."""
    source = CONFIG.models[wildcards.model].source
    return " ".join(f"--{key} {shlex.quote(value)}" for key, value in source.items())


def model_checksums(wildcards):
    return [f"{k}={v}" for k, v in CONFIG.models[wildcards.model].sha256.items()]


def classifier_parameters(wildcards):
    return json.dumps(
        CONFIG.classifiers[wildcards.classifier].parameters, sort_keys=True
    )


def folder_of(name, up=1):
    """For params: the folder that many levels above the first of an input's files."""

    def folder(wildcards, input):
        return str(Path(getattr(input, name)[0]).parents[up - 1])

    return folder


def per_choice(pattern):
    """The paths of one model's layer choices after the other's."""
    return [
        path
        for name, model in CONFIG.models.items()
        for path in expand(
            pattern,
            model=name,
            view=CONFIG.classify,
            layers=model.layers,
            classifier=CONFIG.classifiers,
            train="full",
        )
    ]


def reproduce_command():
    """What to type to get the same tables again, whatever the number of cores."""
    files = [os.path.relpath(file) for file in workflow.overwrite_configfiles]
    keys = workflow.config_settings.config or {}
    single = [f"{key}={json.dumps(value)}" for key, value in keys.items()]
    command = ["snakemake", "--cores", "all"]
    command += ["--configfile", *files] if files else []
    command += ["--config", *single] if single else []
    return shlex.join(command)


def announce_cost():
    try:
        text = wsd.plan.describe(
            CONFIG, Path("results"), workflow.resource_settings.cores or 1
        )
    except WsdError as error:
        raise WorkflowError(str(error)) from None
    print(text, file=sys.stderr, flush=True)


def print_leaderboard():
    # A run of some of the targets has no leaderboard to show, or only an old one.
    if workflow.dag_settings.targets or not Path(f"{RESULTS}/summary.csv").exists():
        return
    text = wsd.leaderboard.leaderboard(Path(f"{RESULTS}/summary.csv"))
    index = Path(f"{RESULTS}/report/index.html").absolute()
    print(f"\n{text}\n\nThe pages: {index}", file=sys.stderr, flush=True)
