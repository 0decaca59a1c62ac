"""Turn the configurations of a run into the two tables of an export, and back.

``scores`` has a row per configuration, and ``predictions`` a row per test instance, with a column
per configuration. A sense is its 0-based place among the senses of its word.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wsd.artifacts.column_names import CANDIDATE
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layer_groups import Group
from wsd.metrics.scores import MEAN_SCORES, mean_scores
from wsd.storage.result_files import require
from wsd.studies.board.export_checks import check_codes, check_names

if TYPE_CHECKING:
    import pyarrow as pa

NAMES = ("model", "view", "layers", "classifier")
# The columns of every instance besides its word. The last one is missing if it is unknown.
INSTANCE = ("index", "gold", "near_duplicates", "unlike_training")
DOCUMENT = "document"


class Content(NamedTuple):
    """The configurations of a run, and what is known of its test instances.

    Attributes
    ----------
    groups : list of Group
        The configurations by model, view and classifier, without searches.
    near_duplicates : mapping of word to int array of shape (n_test,)
        The group of near-duplicates of each test instance; all words count the groups alike.
    unlike_training : mapping of word to bool array of shape (n_test,)
        Which test instances are unlike all training instances.
    """

    groups: Sequence[Group]
    near_duplicates: Mapping[str, np.ndarray]
    unlike_training: Mapping[str, np.ndarray]

    @property
    def first(self) -> ComparisonRow:
        """Return one configuration; all have the same instances."""
        return self.groups[0].rows[0]


def to_scores(content: Content) -> "pa.Table":
    """Return the table of configurations."""
    import pyarrow as pa

    lines: list[dict[str, Any]] = []
    for group in content.groups:
        for row, objective_cv in zip(group.rows, group.objective_cv, strict=True):
            names = dict(zip(NAMES, row.configuration, strict=True))
            means = {name: float(value) for name, value in mean_scores(row.confusions).items()}
            of_cv = {"selected": row.layers == group.selected, "objective_cv": objective_cv}
            lines.append({**names, "column": f"c{len(lines)}", **of_cv, **means})
    texts = dict.fromkeys((*NAMES, "column"), pa.string())
    numbers = dict.fromkeys(("objective_cv", *MEAN_SCORES), pa.float64())
    schema = pa.schema({**texts, "selected": pa.bool_(), **numbers})
    return pa.Table.from_pylist(lines, schema=schema)


def to_predictions(content: Content) -> "pa.Table":
    """Return the table of test instances."""
    import pyarrow as pa

    words, documents = content.first.words, content.first.documents
    names = [word.word for word in words]

    def joined(by_word: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.concatenate([by_word[name] for name in names]).astype(np.int32)

    columns: dict[str, Any] = {
        "word": np.repeat(names, [len(word.gold) for word in words]),
        "index": joined({word.word: word.index for word in words}),
        "gold": joined({word.word: word.gold for word in words}),
        "near_duplicates": joined(content.near_duplicates),
        "unlike_training": joined(content.unlike_training).astype(bool),
    }
    if documents:
        columns[DOCUMENT] = joined(documents)
    for i, row in enumerate(row for group in content.groups for row in group.rows):
        columns[f"c{i}"] = joined({word.word: word.predicted for word in row.words})
    return pa.table(columns)


def from_tables(about: Mapping[str, Any], scores: "pa.Table", table: "pa.Table") -> Content:
    """Return the content of two tables that agree with each other and with ``export.json``.

    Raises
    ------
    ValueError, KeyError and similar errors
        The caller turns them into an error that names the file.
    """
    words = about["corpus"]["words"]
    sizes = [words[word]["n_test"] for word in words]
    in_order = np.repeat(np.array([*words], dtype=object), sizes).tolist()
    require(table["word"].to_pylist() == in_order, "its instances and its words do not match")
    ends = np.cumsum(sizes)[:-1]

    def split(name: str) -> dict[str, np.ndarray]:
        require(not table[name].null_count, f"the column {name!r} has empty cells")
        return dict(zip(words, np.split(table[name].to_numpy(), ends), strict=True))

    index, gold, near, unlike = map(split, INSTANCE)
    documents = split(DOCUMENT) if DOCUMENT in table.column_names else {}
    grouped: dict[tuple[str, ...], list[tuple[ComparisonRow, Mapping[str, Any]]]] = {}
    for word, entry in words.items():
        check_codes(word, index[word], gold[word], len(entry["senses"]))
    for line in scores.to_pylist():
        check_names(line, about)
        predicted = split(line["column"])
        of_words = []
        for word, entry in words.items():
            check_codes(word, index[word], predicted[word], len(entry["senses"]))
            of_words.append(
                WordPredictions(
                    word=word,
                    senses=tuple(entry["senses"]),
                    n_train=entry["n_train"],
                    index=index[word],
                    gold=gold[word],
                    predicted=predicted[word],
                    scores=np.empty((len(gold[word]), 0)),
                )
            )
        model, view, layers, classifier = (line[name] for name in NAMES)
        source = {"encoder": about["models"][model]["encoder"]}
        row = ComparisonRow(
            CANDIDATE, model, view, layers, classifier, of_words, "", source, documents
        )
        for name, value in mean_scores(row.confusions).items():
            agrees = abs(line[name] - float(value)) < 1e-9
            require(agrees, f"the {name} of {line['column']} does not follow from its predictions")
        grouped.setdefault((model, view, classifier), []).append((row, line))
    groups = [_group(members, about["objective"]) for members in grouped.values()]
    _check_selected(about, [row.configuration for group in groups for row in group.rows])
    return Content(groups, near, unlike)


def _group(members: Sequence[tuple[ComparisonRow, Mapping[str, Any]]], objective: str) -> Group:
    selected = [row.layers for row, line in members if line["selected"]]
    require(len(selected) == 1, "a model, view and classifier without one selected layer choice")
    return Group(
        rows=[row for row, _ in members],
        searches=[],
        objective=objective,
        objective_cv=[line["objective_cv"] for _, line in members],
        selected=selected[0],
        selected_for={},
    )


def _check_selected(about: Mapping[str, Any], configurations: list[tuple[str, ...]]) -> None:
    require(len(set(configurations)) == len(configurations), "a configuration occurs twice")
    for name, entry in about["models"].items():
        chosen = (name, *(entry["selected"][key] for key in NAMES[1:]))
        require(chosen in configurations, f"the selected configuration of {name!r} is missing")
