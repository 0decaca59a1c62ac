"""The table of commands: the purpose and the module of each.

A command's module has ``arguments(parser)`` and ``run(args)``; it is imported when the command is
called. Command, module and rule have the same name, with hyphens in the command and underscores in
module and rule. The only exception is ``import``, a reserved word of Python, whose module is
``import_corpus``.
"""

from wsd.studies.base import Command
from wsd.studies.registry import STUDIES

# The commands by purpose: the room and the help of each.
TABLE = {
    "run the experiment": {
        "quickstart": ("run", "Run the whole pipeline on the built-in corpus, offline."),
        "run": ("run", "Run the workflow as snakemake does, with the same arguments."),
    },
    "look at results and encoders": {
        "leaderboard": ("report", "Print the layer choices, best first."),
        "overview": ("report", "Write the page that lists all reports."),
        "inspect": ("inference", "Show a word's pieces and vectors in one sentence or two."),
        "table": ("inference", "Write predictions, vectors or scores of a run as one table."),
    },
    "use it on text": {
        "import": ("corpora", "Import sentences as a corpus."),
        "fit": ("fitted", "Write the selected classifier to one file."),
        "predict": ("inference", "Predict the sense of a word in new text."),
    },
    "keep things in order": {
        "plan": ("run", "Estimate the disk space and time of a run."),
        "check": ("run", "Check that no result has changed since it was written."),
        "clean": ("run", "List or delete files that no run refers to."),
    },
    "run a step of the workflow": {
        "download": ("corpora", "Download CoarseWSD-20 and check every file."),
        "noad": ("corpora", "Download SemCor and MASC with NOAD's senses as a corpus."),
        "dwug-en": ("corpora", "Download the word usage graphs of DWUG EN as a corpus."),
        "copy-corpus": ("corpora", "Copy an imported corpus and check every file."),
        "corpus": ("corpora", "Read and check the files of every word."),
        "training-sets": ("corpora", "List the sentences of each further training set."),
        "folds": ("corpora", "Draw the folds of a training set, near-duplicates together."),
        "model": ("encoder", "Find or download an encoder and verify its files."),
        "embed": ("encoder", "Run an encoder over the sentences, keeping every layer."),
        "alignment": ("encoder", "Summarise the word pieces of the focal words."),
        "classify": ("classification", "Tune, fit and predict every word on a feature set."),
        "select": ("classification", "Select a configuration by cross-validation."),
        "classify-selected": ("classification", "Fit each word with its selected configuration."),
        "project": ("analysis", "Project every word to two dimensions."),
        "neighbours": ("analysis", "Find the nearest instances of each instance."),
        "evaluate": ("evaluation", "Score predictions, per word and over all words."),
        "compare": ("evaluation", "Compare the selected configuration with everything else."),
        "layerwise": ("evaluation", "Compare every layer choice with the selected one."),
        "calibration": ("fitted", "Measure how well the selected probabilities are calibrated."),
        "figures": ("report", "Write the figures for a paper."),
        "report": ("report", "Write the pages of the report."),
    },
}


def _command(room: str, name: str, text: str) -> Command:
    module = "import_corpus" if name == "import" else name.replace("-", "_")
    return Command(f"wsd.{room}.{module}", text)


GROUPS = {
    group: {name: _command(room, name, text) for name, (room, text) in rows.items()}
    for group, rows in TABLE.items()
}
for study in STUDIES.values():
    for name, text in study.commands.items():
        command = _command(f"studies.{study.name}", name, text)
        GROUPS.setdefault(study.group, {})[name] = command
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
