"""List the kinds of files, each with the code and settings in its key (:mod:`wsd.run.keys`)."""

from wsd.studies.base import Kind
from wsd.studies.registry import STUDIES

SEED = {"seed": "seed"}
TUNED = {"objective": "tuning.objective"}

# No flag here changes speed alone: part, threads and cores are in no key.
KINDS = {
    # The dataset decides which command writes it.
    "source": Kind("copy-corpus"),
    "corpus": Kind("corpus"),
    "trains": Kind("training-sets"),
    "folds": Kind("folds", {"k": "tuning.folds", "repeats": "tuning.repeats", **SEED}),
    "record": Kind("model"),
    # The path of a word's own vectors depends on its sentences: see wsd.encoder.embed.
    "vectors": Kind("embed", {"device": "device"}),
    "views": Kind("embed"),
    "predictions": Kind("classify", TUNED),
    "baselines": Kind("classify", TUNED),
    "projections": Kind("project", SEED),
    "neighbours": Kind("neighbours"),
    "selection": Kind("select", SEED),
    "per-word": Kind("classify-selected"),
    "calibration": Kind("calibration", SEED),
    "scores": Kind("evaluate"),
    "comparison": Kind("compare", SEED),
    "layers": Kind("layerwise", SEED),
    "figures": Kind("figures"),
    "alignment": Kind("alignment"),
    "selected": Kind("fit"),
    "report": Kind("report", {"view": "page_view"}),
}
for study in STUDIES.values():
    KINDS |= study.kinds
