"""The table of commands: what each is for and the module that holds it.

A command's module has ``arguments(parser)`` and ``run(args)``, and is imported when it is called.
Command, module and rule of the workflow have one name, with a hyphen, an underscore and an
underscore between its words; only ``import``, which Python keeps for itself, is ``import_corpus``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """Where a command is and what it does, in one line."""

    module: str
    text: str


# In groups, by what a person wants.
GROUPS: dict[str, dict[str, Command]] = {
    "run a step of the workflow": {
        "download": Command("wsd.corpora.download", "Download CoarseWSD-20 and check every file."),
        "own": Command(
            "wsd.corpora.own", "Copy a corpus that `wsd import` wrote, and check every file."
        ),
        "corpus": Command("wsd.corpora.corpus", "Read and check one word's files."),
        "trains": Command(
            "wsd.corpora.trains", "Find which sentences each further training set has."
        ),
        "published": Command(
            "wsd.corpora.published", "Read what a published system said of each instance."
        ),
        "score": Command(
            "wsd.corpora.score", "Check and score what any system says of the test instances."
        ),
        "folds": Command(
            "wsd.corpora.folds", "Draw the folds of a training set, near-duplicates together."
        ),
        "model": Command("wsd.encoder.model", "Find or fetch an encoder and verify its files."),
        "embed": Command(
            "wsd.encoder.embed", "Run an encoder over one word's sentences, keeping every layer."
        ),
        "alignment": Command(
            "wsd.encoder.alignment", "Put together what a tokenizer made of the focal words."
        ),
        "classify": Command(
            "wsd.classification.classify", "Tune, fit and predict every word on one feature set."
        ),
        "control": Command(
            "wsd.classification.control", "The same on labels fixed by the neighbouring word."
        ),
        "select": Command(
            "wsd.classification.select", "Choose a configuration by what the folds say."
        ),
        "classify-selected": Command(
            "wsd.classification.classify_selected", "Fit each word as its own folds choose."
        ),
        "baseline": Command(
            "wsd.classification.baseline", "Fit and predict every word without an encoder."
        ),
        "project": Command("wsd.analysis.project", "Project every word on a plane."),
        "neighbours": Command(
            "wsd.analysis.neighbours", "Find the instances nearest to each, in the full space."
        ),
        "evaluate": Command(
            "wsd.evaluation.evaluate", "Score predictions: one table per word, one over words."
        ),
        "compare": Command(
            "wsd.evaluation.compare", "Compare what was selected with everything else."
        ),
        "layerwise": Command(
            "wsd.evaluation.layerwise", "Compare every layer choice with what the folds choose."
        ),
        "geometry": Command("wsd.analysis.geometry", "Measure how the vectors of every layer lie."),
        "audit": Command(
            "wsd.evaluation.audit", "List near-duplicates, suspected gold and confusions."
        ),
        "code-length": Command(
            "wsd.analysis.code_length", "Measure how few bits the labels take (MDL)."
        ),
        "calibration": Command(
            "wsd.fitted.calibration", "Measure what the selected probabilities are worth."
        ),
        "reproduce": Command(
            "wsd.evaluation.reproduce", "Compare with the published centroids and predictions."
        ),
        "figures": Command("wsd.report.figures", "Write the figures for a paper."),
        "report": Command("wsd.report.report", "Write the pages."),
    },
    "look at results and encoders": {
        "leaderboard": Command("wsd.report.leaderboard", "Print the layer choices, best first."),
        "inspect": Command(
            "wsd.inference.inspect", "Show what an encoder makes of a word in a sentence, or two."
        ),
    },
    "use it on text": {
        "import": Command(
            "wsd.corpora.import_corpus", "Turn labelled sentences into a corpus of the pipeline."
        ),
        "fit": Command(
            "wsd.fitted.fit", "Keep the selected classifier as one file, to use it elsewhere."
        ),
        "predict": Command("wsd.inference.predict", "Say the sense of a word in new text."),
    },
    "keep things in order": {
        "plan": Command("wsd.run.plan", "Say what a run will cost, in disk and roughly in time."),
        "check": Command("wsd.run.check", "Look for results that are no longer what was written."),
        "doctor": Command(
            "wsd.run.doctor", "Say whether a run can start here, and what is at hand."
        ),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
