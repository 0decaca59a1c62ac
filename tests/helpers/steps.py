"""Every step after the download, by hand, one after the other: arguments and first files."""

import json
import shutil
from pathlib import Path

from importing import import_corpus
from tiny import tiny_bert

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_map import write_map
from wsd.corpora.published_systems import SYSTEMS
from wsd.corpora.text_format import read_text

WORDS = ("apple", "crane")
LAID_OUT = "results/quickstart"
MAP = f"{LAID_OUT}/run.json"
SYSTEM = next(name for name in SYSTEMS if name.startswith("1nn-"))
FURTHER = "apple\tapple_fruit\t1\tan apple fell from the old tree\n"


def prepare(folder: Path) -> None:
    """Two words of the built-in corpus, laid out as a download, and a model of two blocks.

    With a training set of every second line, another of every sixth, sentences from out of
    domain, the output of a published system that is always right, that of another which is wrong
    twice per word, and a corpus that was imported.
    """
    for word in WORDS:
        source = folder / "source" / word
        shutil.copytree(DATA / "quickstart" / word, source)
        corpus = read_text(source, word)
        for train, step in (("balanced", 2), ("1pct", 6)):
            part = folder / "source" / "trains" / train / word
            part.mkdir(parents=True)
            for kind in ("data", "gold"):
                lines = (source / f"train.{kind}.txt").read_text().splitlines()[::step]
                (part / f"train.{kind}.txt").write_text("\n".join(lines) + "\n")
        published = folder / "source" / "published" / SYSTEM
        published.mkdir(parents=True, exist_ok=True)
        with (published / f"{word}.jsonl").open("w") as file:
            tests = [row for row in range(len(corpus)) if corpus.split[row] == "test"]
            for idx, row in enumerate(tests):
                gold = corpus.senses[corpus.gold[row]]
                others = [sense for sense in corpus.senses if sense != gold]
                matches = [[gold, 0.9], *([sense, 0.1] for sense in others)]
                line = {"idx": idx, "gold": gold, "tokens": corpus.tokens[row], "matches": matches}
                file.write(json.dumps(line) + "\n")
        with (folder / "outputs.jsonl").open("a") as file:
            for idx, row in enumerate(tests):
                sense = corpus.senses[(corpus.gold[row] + (idx < 2)) % len(corpus.senses)]
                file.write(json.dumps({"word": word, "id": idx, "sense": sense}) + "\n")
    import_corpus([DATA / "quickstart"], out=folder / "own", name="mine", about={})
    shutil.copy(DATA / "glosses/quickstart.tsv", folder / "glosses.tsv")
    assert "apple_fruit" in read_text(folder / "source" / "apple", "apple").senses
    (folder / "source" / f"{OUT_OF_DOMAIN}.tsv").write_text(FURTHER)
    tiny_bert(folder / "tiny")
    tiny_bert(folder / "filling", blocks=1, width=16, head=True)
    _lay_out(folder)


def _lay_out(folder: Path) -> None:
    """A run's map of what the steps below will write, and links to that in its folder."""
    laid_out = folder / LAID_OUT
    places = {
        "corpus": "corpus",
        "folds/full.parquet": "full.parquet",
        "tiny/embeddings": "e",
        "tiny/predictions/full/focal/mix-all.logistic.parquet": "p.parquet",
        "tiny/predictions/full/focal+context/2+1.own.parquet": "p2.parquet",
        "tiny/predictions/full/focal/1.knn.parquet": "p3.parquet",
        "tiny/predictions/full/focal/1.logistic.parquet": "p4.parquet",
        "selection.csv": "selection.csv",
        "selection.json": "selection.json",
        "scores.csv": "scores.csv",
        "comparison.csv": "comparison.csv",
        "comparison": "comparison",
    }
    for place, file in places.items():
        link = laid_out / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder / file)
    files = [f"{LAID_OUT}/{place}" for place in places if "." in place]
    files += [
        f"{LAID_OUT}/corpus/words.json",
        *(f"{LAID_OUT}/comparison/{table}.csv" for table in ("words", "differences")),
    ]
    said = {"config": {}, "command": "snakemake", "digests": {}}
    write_map(folder / MAP, files, LAID_OUT, said)


DATA_ARGUMENTS = ["--corpus", "corpus", "--words", *WORDS]
VECTORS = [*DATA_ARGUMENTS, "--embeddings", "e"]
LOGISTIC = ["--estimator", "logistic", "--space", '{"C": [0.01, 1], "prior_shift": [0, 1]}']
TUNED = ["tuned/finetuned-1.parquet", "tuned/finetuned-2.parquet"]
GLOSSES = ["--glosses", "glosses", "--gloss-vectors", "g"]
LEARNED = ["--folds", "full.parquet", "balanced.parquet", "--searches", "s.parquet", "sb.parquet"]
TABLES = ["--scores", "scores.csv", "--summary", "summary.csv", "--provenance", "provenance.json"]
SELECTION = ["--selection", "selection.json"]

# Commands and their arguments, in an order in which they can be run.
STEPS: list[tuple[str, list[str]]] = [
    ("copy-corpus", ["copy-corpus", "--name", "mine", "--out", "mine"]),
    ("corpus", ["--source", "source", *(f"--word={word}" for word in WORDS), "--out-of-domain",
     "source/outofdomain.tsv", "--out", "corpus"]),
    ("glosses", [*DATA_ARGUMENTS, "--glosses", "glosses.tsv", "--out", "glosses"]),
    ("training-sets", [*DATA_ARGUMENTS, "--source", "source", "--trains", "balanced", "1pct",
     "--out", "trains/balanced.parquet", "trains/1pct.parquet"]),
    ("published", [*DATA_ARGUMENTS, "--source", "source", "--system", SYSTEM,
     "--out", "published.parquet"]),
    ("score", ["outputs.jsonl", "--name", "theirs", *DATA_ARGUMENTS, "--out",
     "system.parquet"]),
    ("folds", [*DATA_ARGUMENTS, "--repeats", "2", "--out", "full.parquet"]),
    ("folds", [*DATA_ARGUMENTS, "--repeats", "2", "--train", "trains/balanced.parquet",
     "--out", "balanced.parquet"]),
    ("folds", [*DATA_ARGUMENTS, "--repeats", "2", "--train", "trains/1pct.parquet",
     "--out", "1pct.parquet"]),
    ("model", ["--name", "tiny", "--path", "tiny", "--blocks", "2", "--width", "32",
     "--out", "tiny.json"]),
    ("embed", ["--model", "tiny.json", *DATA_ARGUMENTS,
     "--views", "focal", "context", "static", "--out", "e"]),
    ("embed", ["--model", "tiny.json", "--corpus", "glosses", "--words", *WORDS,
     "--views", "focal", "sentence", "--out", "g"]),
    ("alignment", ["--model", "tiny", "--embeddings", "e", "--words", *WORDS, "--out",
     "alignment.csv"]),
    ("model", ["--name", "filling", "--path", "filling", "--blocks", "1", "--width", "16",
     "--out", "filling.json"]),
    ("substitutes", ["--model", "filling.json", *DATA_ARGUMENTS, "--out", "substitutes"]),
    ("finetune", ["--model", "tiny.json", *DATA_ARGUMENTS, "--folds", "full.parquet", "--grid",
     '{"rate": [1e-3], "epochs": [1], "blocks": ["all"]}', "--seeds", "1", "2", "--out", "tuned"]),
    ("sense-substitutes", [*DATA_ARGUMENTS, "--substitutes", "substitutes", "--out",
     "substitutes.csv"]),
    ("classify", [*VECTORS, "--layers", "mix-all", *LOGISTIC, *LEARNED,
     "--out", "p.parquet", "pb.parquet"]),
    ("classify", [*VECTORS, "--view", "focal+context", "--layers", "2+1",
     "--estimator", "lda", "--name", "own", "--folds", "full.parquet",
     "--searches", "s2.parquet", "--out", "p2.parquet"]),
    ("classify", [*VECTORS, "--layers", "1", "--estimator", "knn",
     "--space", '{"k": [5, 1]}', "--folds", "full.parquet", "1pct.parquet",
     "--searches", "s3.parquet", "s31.parquet", "--out", "p3.parquet", "p31.parquet"]),
    ("classify", [*VECTORS, "--layers", "1", *LOGISTIC, "--folds", "full.parquet",
     "1pct.parquet", "--searches", "s4.parquet", "s41.parquet", "--out", "p4.parquet",
     "p41.parquet"]),
    ("control-task", [*VECTORS, "--layers", "1", *LOGISTIC, "--seed", "3",
     "--folds", "full.parquet", "--searches", "cs.parquet", "--out", "c.parquet"]),
    ("baseline", [*DATA_ARGUMENTS, "--name", "bag_of_words",
     "--folds", "full.parquet", "--out", "b.parquet"]),
    ("baseline", [*DATA_ARGUMENTS, "--name", "bag_of_substitutes", "--substitutes", "substitutes",
     "--folds", "full.parquet", "--out", "bs.parquet"]),
    ("zero-shot", [*VECTORS, "--layers", "1", *GLOSSES, "--out", "z.parquet", "zm.parquet"]),
    ("gloss-worth", [*VECTORS, "--layers", "0", "2", *GLOSSES, "--out", "gloss-worth.csv"]),
    ("select", ["--searches", "s.parquet", "s2.parquet", "s3.parquet", "s4.parquet",
     "--table", "selection.csv", "--out", "selection.json"]),
    ("classify-selected", [*VECTORS, "--model", "tiny", *SELECTION,
     "--folds", "full.parquet", "--out", "pw.parquet"]),
    ("project", [*VECTORS, "--layers", "1", "--out", "1.parquet"]),
    ("project", [*VECTORS, "--layers", "1", "--method", "tsne", "--seed", "3",
     "--out", "t1.parquet"]),
    ("project", [*VECTORS, "--layers", "1", "--method", "discriminant",
     "--folds", "full.parquet", "--out", "d1.parquet"]),
    ("neighbours", [*VECTORS, "--layers", "1", "--out", "n1.parquet"]),
    ("uses", [*VECTORS, "--layers", "1", "--clusters", "4", "--seed", "3",
     "--out", "u1.parquet"]),
    ("substitute-uses", [*DATA_ARGUMENTS, "--substitutes", "substitutes", "--clusters", "4",
     "--out", "us.parquet"]),
    ("uses-page", [*DATA_ARGUMENTS, "--dataset", "quickstart", "--uses", "u1.parquet",
     "--out", "uses"]),
    ("evaluate", ["--predictions", "p.parquet", "pb.parquet", "p2.parquet",
     "p3.parquet", "p31.parquet", "p4.parquet", "p41.parquet", "pw.parquet",
     "z.parquet", "zm.parquet", *TUNED,
     "--systems", "published.parquet", "system.parquet", "--dataset", "quickstart", *TABLES]),
    ("compare", [*DATA_ARGUMENTS, "--candidates", "p.parquet", "p2.parquet",
     "p3.parquet", "p4.parquet", "--per-word", "pw.parquet", "--baselines", "b.parquet",
      "bs.parquet", "--views", "--random-controls", "--zero-shot", "z.parquet", "zm.parquet",
      "--finetuned", *TUNED, "--control", "c.parquet", "--published", "published.parquet",
     "--systems", "system.parquet", *SELECTION, "--selection-table", "selection.csv",
     "--scores", "scores.csv", "--table", "comparison.csv", "--out", "comparison"]),
    ("layerwise", [*DATA_ARGUMENTS, "--predictions", "p.parquet", "p2.parquet",
     "p3.parquet", "p4.parquet", "--searches", "s.parquet", "s2.parquet", "s3.parquet",
     "s4.parquet", "--layers", "comparison/layers.csv", "--word-layers",
     "comparison/word-layers.csv", "--model-layers", "comparison/model-layers.csv",
     "--group-layers", "comparison/group-layers.csv", "--group-peaks",
     "comparison/group-peaks.csv"]),
    ("strategies", [*DATA_ARGUMENTS, "--candidates", "p.parquet", "p2.parquet", "p3.parquet",
     "p4.parquet", "p31.parquet", "p41.parquet", "--searches", "s.parquet", "s2.parquet",
     "s3.parquet", "s4.parquet", "s31.parquet", "s41.parquet", *SELECTION, "--baselines",
     "b.parquet", "bs.parquet", "--zero-shot", "z.parquet", "zm.parquet", "--per-word",
     "pw.parquet", "--map", MAP, "--logs", "logs", "--out", "comparison/strategies.csv"]),
    ("figures", ["--comparison", "comparison.csv", "--layers",
     "comparison/layers.csv", "--word-layers", "comparison/word-layers.csv", "--controls",
     "comparison/controls.csv", "--learning", "comparison/learning.csv", "--out", "figures"]),
    ("geometry", [*VECTORS, "--layers", "0", "1", "--out", "geometry.csv"]),
    ("audit", [*DATA_ARGUMENTS, "--predictions", "p3.parquet", "p4.parquet",
     "--judge", "logistic", "--out", "audit"]),
    ("code-length", [*VECTORS, "--predictions", "p41.parquet",
     "--folds", "1pct.parquet", "full.parquet", "--out", "code-length.csv"]),
    ("calibration", ["--results", MAP, "--model", "tiny", "--out", "calibration"]),
    ("fit", ["--results", MAP, "--out", "selected.wsd"]),
    ("report", [*DATA_ARGUMENTS, "--dataset", "quickstart", "--predictions",
     "p3.parquet", "p4.parquet", "--projections", "1.parquet", "d1.parquet", "t1.parquet",
     "--neighbours", "n1.parquet", *TABLES,
     "--comparison", "comparison.csv", "--tables", "comparison", "--gloss-worth",
     "gloss-worth.csv", "--alignment",
     "alignment.csv", "--confidence", "calibration", "--out", "report", "--portable",
     "portable"]),
]  # fmt: skip
