"""The table of commands: what each is for and the module that holds it.

A command's module has ``arguments(parser)`` and ``run(args)``, and is imported when it is called.
Command, module and rule of the workflow have one name, with a hyphen, an underscore and an
underscore between its words; only ``import``, which Python keeps for itself, is ``import_corpus``.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """Where a command is and what it does, in one line."""

    module: str
    text: str


# In groups, by what a person wants: of every command, its room and what it does.
TABLE = {
    "run a step of the workflow": {
        "download": ("corpora", "Download CoarseWSD-20 and check every file."),
        "noad": ("corpora", "Download SemCor and MASC with NOAD's senses, and lay them out."),
        "own": ("corpora", "Copy a corpus that `wsd import` wrote, and check every file."),
        "corpus": ("corpora", "Read and check the words' files."),
        "trains": ("corpora", "Find which sentences each further training set has."),
        "published": ("corpora", "Read what a published system said of each instance."),
        "score": ("corpora", "Check and score what any system says of the test instances."),
        "glosses": ("corpora", "Read and check a gloss for each sense."),
        "folds": ("corpora", "Draw the folds of a training set, near-duplicates together."),
        "model": ("encoder", "Find or fetch an encoder and verify its files."),
        "embed": ("encoder", "Run an encoder over words' sentences, keeping every layer."),
        "substitutes": ("encoder", "Ask an encoder what it would say in the word's place."),
        "finetune": ("encoder", "Train an encoder on words' senses, and predict every word."),
        "alignment": ("encoder", "Put together what a tokenizer made of the focal words."),
        "classify": ("classification", "Tune, fit and predict every word on one feature set."),
        "control": ("classification", "The same on labels fixed by the neighbouring word."),
        "select": ("classification", "Choose a configuration by what the folds say."),
        "classify-selected": ("classification", "Fit each word as its own folds choose."),
        "baseline": ("classification", "Fit and predict every word without an encoder."),
        "zero-shot": ("classification", "Predict every word from glosses, without a label."),
        "project": ("analysis", "Project every word on a plane."),
        "neighbours": ("analysis", "Find the instances nearest to each, in the full space."),
        "evaluate": ("evaluation", "Score predictions: one table per word, one over words."),
        "compare": ("evaluation", "Compare what was selected with everything else."),
        "layerwise": ("evaluation", "Compare every layer choice with what the folds choose."),
        "strategies": ("evaluation", "Compare ways to tell senses: scores, labels, time."),
        "geometry": ("analysis", "Measure how the vectors of every layer lie."),
        "sense-substitutes": ("analysis", "List the substitutes that set each sense apart."),
        "audit": ("evaluation", "List near-duplicates, suspected gold and confusions."),
        "code-length": ("analysis", "Measure how few bits the labels take (MDL)."),
        "gloss-worth": ("analysis", "Measure how many labelled sentences a gloss is worth."),
        "calibration": ("fitted", "Measure what the selected probabilities are worth."),
        "reproduce": ("evaluation", "Compare with the published centroids and predictions."),
        "figures": ("report", "Write the figures for a paper."),
        "report": ("report", "Write the pages."),
    },
    "tell pairs of sentences apart": {
        "pairs": ("analysis", "Score every layer's cosines: one sense in both, or two?"),
        "pairs-page": ("report", "Write the page of the pairs."),
    },
    "find the uses of words without senses": {
        "uses": ("analysis", "Put every word's sentences into clusters, at one layer choice."),
        "substitute-uses": ("analysis", "The same by what an encoder would say in its place."),
        "uses-page": ("report", "Write the pages of the uses."),
    },
    "look at results and encoders": {
        "leaderboard": ("report", "Print the layer choices, best first."),
        "overview": ("report", "Write the page that lists every report there is."),
        "all-words": ("evaluation", "Score all instances of all-words sets, by any of their keys."),
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
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
