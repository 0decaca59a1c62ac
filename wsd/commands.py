"""The table of commands: what each is for and the module that holds it.

A command's module has ``arguments(parser)`` and ``run(args)``, and is imported when it is called.
Command, module and rule of the workflow have one name, with a hyphen, an underscore and an
underscore between its words; only ``import``, which Python keeps for itself, is ``import_corpus``.
"""

from wsd.studies.base import Command
from wsd.studies.registry import STUDIES

# In groups, by what a person wants: of every command, its room and what it does.
TABLE = {
    "run a step of the workflow": {
        "download": ("corpora", "Download CoarseWSD-20 and check every file."),
        "noad": ("corpora", "Download SemCor and MASC with NOAD's senses, and lay them out."),
        "copy-corpus": ("corpora", "Copy a corpus that `wsd import` wrote, and check every file."),
        "corpus": ("corpora", "Read and check the words' files."),
        "training-sets": ("corpora", "Find which sentences each further training set has."),
        "folds": ("corpora", "Draw the folds of a training set, near-duplicates together."),
        "model": ("encoder", "Find or fetch an encoder and verify its files."),
        "embed": ("encoder", "Run an encoder over words' sentences, keeping every layer."),
        "alignment": ("encoder", "Put together what a tokenizer made of the focal words."),
        "classify": ("classification", "Tune, fit and predict every word on one feature set."),
        "select": ("classification", "Choose a configuration by what the folds say."),
        "classify-selected": ("classification", "Fit each word as its own folds choose."),
        "baseline": ("classification", "Fit and predict every word without an encoder."),
        "project": ("analysis", "Project every word on a plane."),
        "neighbours": ("analysis", "Find the instances nearest to each, in the full space."),
        "evaluate": ("evaluation", "Score predictions: one table per word, one over words."),
        "compare": ("evaluation", "Compare what was selected with everything else."),
        "layerwise": ("evaluation", "Compare every layer choice with what the folds choose."),
        "calibration": ("fitted", "Measure what the selected probabilities are worth."),
        "figures": ("report", "Write the figures for a paper."),
        "report": ("report", "Write the pages."),
    },
    "look at results and encoders": {
        "leaderboard": ("report", "Print the layer choices, best first."),
        "overview": ("report", "Write the page that lists every report there is."),
        "inspect": ("inference", "Show what an encoder makes of a word in a sentence, or two."),
    },
    "use it on text": {
        "import": ("corpora", "Turn labelled sentences into a corpus of the pipeline."),
        "fit": ("fitted", "Keep the selected classifier as one file, to use it elsewhere."),
        "predict": ("inference", "Say the sense of a word in new text."),
    },
    "keep things in order": {
        "plan": ("run", "Say what a run will cost, in disk and roughly in time."),
        "check": ("run", "Look for results that are no longer what was written."),
        "doctor": ("run", "Say whether a run can start here, and what is at hand."),
        "clean": ("run", "List what no run refers to any more, or delete it."),
    },
}


def _module(room: str, name: str) -> str:
    return f"wsd.{room}.{'import_corpus' if name == 'import' else name.replace('-', '_')}"


GROUPS = {
    group: {name: Command(_module(room, name), text) for name, (room, text) in rows.items()}
    for group, rows in TABLE.items()
}
for study in STUDIES.values():
    GROUPS.setdefault(study.group, {}).update(study.table())
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
