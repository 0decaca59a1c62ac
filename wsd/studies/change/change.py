"""Measure in every layer how much the uses of each word differ between two groups.

The groups are two values of a column of the imported file, such as two periods. Three tables are
written: ``change.csv`` has a row per word, layer choice and measure
(:mod:`wsd.studies.change.measures`), ``change-words.csv`` a row per word with the sizes of its
groups and with confounds, and ``change-gold.csv`` the agreement of the layer choices with gold.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_embeddings, add_out_folder, add_path, add_seed
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.dataset import CHANGE, JUDGMENTS
from wsd.artifacts.feature_set import LayerChoice, expand_layers, shared_provenance, vectors_file
from wsd.artifacts.vectors import Embeddings
from wsd.logs import log
from wsd.metrics.clusterings import centred
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.permutation import holm
from wsd.metrics.single_thread import one_thread
from wsd.storage.csv import write_csv
from wsd.studies.change import gold, groups
from wsd.studies.change.groups import BASELINES, Grouped
from wsd.studies.change.measures import PERMUTATIONS, Change, cluster, measure

TABLE, WORDS, AGREEMENT = "change.csv", "change-words.csv", "change-gold.csv"
COLUMNS = ["model", "view", "layers", "word", "measure", *Change._fields, "p_holm"]
# The names of the groups may look like numbers.
TEXT_COLUMNS = ["left_out", "first", "second"]
WORD_COLUMNS = [
    *("word", *TEXT_COLUMNS, "n_first", "n_second", "length_first", "length_second"),
    *("length_difference", "length_p", gold.GRADED, gold.BINARY, gold.COMPARE),
]
GOLD_COLUMNS = [
    *("model", "view", "layers", "measure", "gold", "metric", "within"),
    *("n", "words", "value", "low", "high", "p"),
]
FORM = "form"
# Per layer choice, a function that reads the vectors of a word.
Readers = Mapping[str, Callable[[], np.ndarray]]


def vectors_of(
    corpus: Corpus, embeddings: Embeddings, choice: LayerChoice, centre: str | None
) -> np.ndarray:
    """Return the vectors of a word in one layer choice: shape (len(corpus), features)."""
    vectors = choice.combine({layer: embeddings.layer(layer) for layer in choice.layers})
    return centred(vectors, groups.forms_of(corpus)) if centre == FORM else vectors


def measure_word(
    grouped: Grouped, choices: Readers, args: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a row per layer choice and measure, and per baseline and measure."""
    read = ((name, vectors()[grouped.rows]) for name, vectors in choices.items())
    layers = ((name, own, cluster(unit_vectors(own), args.seed)) for name, own in read)
    how = {"permutations": args.permutations, "rng": args.seed}
    for name, own, clusters in chain(layers, groups.baselines(grouped.corpus, args.seed)):
        for key, change in measure(own, grouped.is_second, clusters, **how).items():
            yield {"layers": name, "measure": key, **change._asdict()}


def about_word(word: str, names: list[str], grouped: Grouped) -> dict[str, Any]:
    """Return the row of a word in ``change-words.csv``, without gold."""
    facts = (word, grouped.left_out or "-", *names, *grouped.sizes)
    measured = {} if grouped.left_out else groups.lengths(grouped.corpus, grouped.is_second)
    return dict(zip(WORD_COLUMNS, facts, strict=False)) | measured


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_embeddings(parser)
    parser.add_argument("--view", default="focal", help="view to measure (default: focal)")
    parser.add_argument("--layers", nargs="+", default=["all"], help="layer choices")
    parser.add_argument("--group", required=True, help="column that divides the uses")
    text = "the two groups, the earlier one first (default: the column's only two values)"
    parser.add_argument("--groups", nargs=2, default=[], metavar=("FIRST", "SECOND"), help=text)
    text = "remove the form of the focal word (spring, springs) from its vectors first"
    parser.add_argument("--centre", choices=[FORM], help=text)
    parser.add_argument("--clusters", help="column of gold clusters, which give the gold change")
    text = "column with the names of the uses in the judgments (default: identifier)"
    parser.add_argument("--identifier", default="identifier", help=text)
    text = f"folder of the corpus, which may have {JUDGMENTS} and {CHANGE}"
    add_path(parser, "--source", text)
    text = f"times that the groups are shuffled (default: {PERMUTATIONS})"
    parser.add_argument("--permutations", type=int, default=PERMUTATIONS, help=text)
    add_seed(parser, "of the resampling and shuffling")
    add_out_folder(parser, f"folder for {TABLE}, {WORDS} and {AGREEMENT}")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora = read_corpora(args.corpus, args.words)
    cells = groups.column(corpora, args.group, "--group")
    names = groups.group_names(cells, args.groups, "--groups")
    grouped_words = groups.divide(corpora, args.group, names, "--groups")
    known = gold.read_change(args.source)
    if args.clusters:
        groups.column(corpora, args.clusters, "--clusters")
        computed = {w: gold.change_of_clusters(g, args.clusters) for w, g in grouped_words.items()}
        known = known.reindex([*corpora]).assign(**{gold.GRADED: pd.Series(computed)})
    judged = gold.read_judgments(args.source, corpora, args.identifier)
    words = {
        word: Embeddings(vectors_file(args.embeddings, corpus, args.view), corpus)
        for word, corpus in corpora.items()
    }
    sources = {word: embeddings.provenance for word, embeddings in words.items()}
    model = shared_provenance(sources)["encoder"]["model"]["name"]
    first = next(iter(words.values()))
    choices = expand_layers(args.layers, first.blocks, where="--layers", stored=first.stored)

    def readers(word: str) -> Readers:
        """Return a function per layer choice that reads the vectors of a word."""
        own = partial(vectors_of, corpora[word], words[word], centre=args.centre)
        return {choice.name: partial(own, choice) for choice in choices}

    tables = []
    # On one thread, the measures do not depend on the number of cores.
    with one_thread():
        for word, grouped in grouped_words.items():
            if grouped.left_out:
                log.warning("%s is left out: %s", word, grouped.left_out)
                continue
            rows = [*measure_word(grouped, readers(word), args)]
            tables.append(pd.DataFrame(rows).assign(word=word))
            log.info("measured %s", word)
        changes = pd.concat(tables, ignore_index=True)
        # Over words.
        p_values = changes.groupby(["layers", "measure"])["p"]
        changes["p_holm"] = p_values.transform(lambda p: holm(p.tolist()))
        rated = gold.score_words(changes, known, BASELINES, args.seed)
        rated += score_judgments(judged, readers, args.seed)
    head = {"model": model, "view": args.view}
    write_csv(args.out / TABLE, changes.assign(**head)[COLUMNS])
    about = pd.DataFrame(
        [about_word(word, names, grouped) for word, grouped in grouped_words.items()]
    )
    write_csv(args.out / WORDS, about.join(known, on="word").reindex(columns=WORD_COLUMNS))
    scores = pd.concat(rated, ignore_index=True) if rated else pd.DataFrame()
    write_csv(args.out / AGREEMENT, scores.assign(**head).reindex(columns=GOLD_COLUMNS))


def score_judgments(
    judged: pd.DataFrame, readers: Callable[[str], Readers], seed: int
) -> list[pd.DataFrame]:
    """Return the agreement of cosines with the judgments of pairs, by layer choice."""
    if judged.empty or not gold.varies(judged["judgment"], gold.PAIRS):
        return []
    parts: dict[str, list[np.ndarray]] = {}
    for word, pairs in judged.groupby("word", sort=False):
        ends = pairs[["row1", "row2"]].to_numpy().T
        for name, read in readers(str(word)).items():
            first, second = (unit_vectors(read())[rows] for rows in ends)
            parts.setdefault(name, []).append(np.einsum("ij,ij->i", first, second))
    predictors = {name: np.concatenate(values) for name, values in parts.items()}
    medians, words = judged["judgment"].to_numpy(), judged["word"].to_numpy(dtype=str)
    table = gold.score(predictors, medians, words, (), seed)
    return [table.assign(measure=gold.COSINE, gold=gold.PAIRS)]
