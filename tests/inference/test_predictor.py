"""Occurrences are found, encoded together, and answered by the fitted word that they belong to."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_results
from log_state import logs_as_before
from numpy.testing import assert_allclose

from wsd.artifacts.predictions import read_predictions, write_predictions
from wsd.cli import main
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference import predictor as predictor_module
from wsd.inference.encoders import fitted_encoder
from wsd.inference.predictor import Predictor, fitted_words
from wsd.inference.sentences import Line, located

FOLDER = Path("results/quickstart")
LOGISTIC = Configuration("tiny", "focal", "2", "logistic")


@pytest.fixture
def file(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> WsdFile:
    monkeypatch.chdir(small_once)
    return WsdFile(Path("model.wsd"), Results(FOLDER))


@pytest.fixture(scope="module")
def encoder(small_once: Path) -> Any:
    return fitted_encoder(WsdFile(small_once / "model.wsd").encoder, device="cpu")


@pytest.fixture
def predictor(file: WsdFile, encoder: Any) -> Predictor:
    return Predictor(file, encoder)


def test_test_sentences_get_the_stored_predictions(predictor: Predictor) -> None:
    """All words together, in parts of any size; each answer has the neighbours of its word."""
    fitting = Fitting(Results(FOLDER), LOGISTIC)
    lines, expected = [], []
    for word in small_results.WORDS:
        corpus, stored = fitting.results.corpus(word), fitting.stored["test", word]
        for k, row in enumerate(np.flatnonzero(corpus.split == "test").tolist()):
            text, span = located(corpus, row)
            lines.append(Line(len(lines) + 1, text, word, span))  # type: ignore[arg-type]
            expected.append((stored.senses[stored.predicted[k]], stored.scores[k]))
    order = np.random.default_rng(0).permutation(len(lines))
    for together in (None, 1, 7):
        answers = list(predictor.predict([lines[i] for i in order], together=together))
        for i, answer in zip(order, answers, strict=True):
            assert (answer.status, answer.line, answer.word) == ("ok", lines[i], lines[i].word)
            sense, scores = expected[i]
            assert answer.sense == sense and answer.scores.keys() == answer.called.keys()
            assert_allclose([*answer.scores.values()], scores, atol=2e-4)
            assert answer.probability == max(answer.probabilities.values())
            near = answer.neighbours
            assert all(n.sense in answer.scores and n.sentence for n in near)
            similar = [neighbour.similarity for neighbour in near]
            assert similar == sorted(similar, reverse=True) and len(similar) == 5
            assert answer.distance == pytest.approx(1 - similar[0], abs=1e-6)


def test_a_training_sentence_is_its_own_neighbour_and_a_strange_one_is_marked(
    predictor: Predictor,
) -> None:
    corpus = Results(FOLDER).corpus("crane")
    row = int(np.flatnonzero(corpus.split == "train")[3])
    text, span = located(corpus, row)
    known, strange, long = predictor.predict(
        [Line(1, text, "crane", span), Line(3, "7 & crane"), Line(4, "x " * 200 + "crane")]
    )
    nearest, sense = known.neighbours[0], corpus.senses[corpus.gold[row]]
    assert nearest.sentence == " ".join(corpus.tokens[row])
    assert (nearest.line, nearest.sense) == (corpus.index[row], sense)
    assert nearest.similarity == pytest.approx(1, abs=2e-3) and not known.ood
    assert strange.ood and "far from every training sentence" in strange.message
    assert long.status == "ok" and "its ends were not read" in long.message


@pytest.mark.parametrize(("name", "value"), [("CHUNK", 4), ("CHARACTERS", 60)])
def test_parts_end_with_a_number_of_occurrences_or_characters(
    predictor: Predictor, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    read: list[Line] = []

    def lines() -> Iterator[Line]:
        for i in range(23):
            read.append(Line(i, f"{'x ' * (i % 7)} crane near an apple {i}"))
            yield read[-1]

    monkeypatch.setattr(predictor_module, name, value)
    answers = predictor.predict(lines())
    assert next(answers).line is read[0] and len(read) <= 3  # of two occurrences each
    assert [answer.line for answer in answers][::2] == read


# Which word is meant


class Named:
    """Return fitted words with other names and the forms of their corpora."""

    language = "en"

    def __init__(self, file: WsdFile, **forms: list[str]) -> None:
        self.features, self.forms, self.words = file.features, forms.__getitem__, tuple(forms)
        self.word, self.sentences = lambda _: file.word("crane"), lambda _: None


def test_names_with_a_part_of_speech_are_found_by_lemma_and_form(
    file: WsdFile, encoder: Any
) -> None:
    forms = {"serve.v": ["dished"], "run.n": ["run"], "run.v": ["run", "ran"], "ice_cream": []}
    cases = [
        (Line(1, "he served", "serve"), ("ok", "serve.v", "served")),
        (Line(2, "they ran"), ("ok", "run.v", "ran")),
        (Line(3, "a run"), ("ambiguous", None, "run")),
        (Line(4, "a run", "run.noun"), ("ok", "run.n", "run")),
        (Line(5, "a run", "run"), ("unreadable", None, None)),
        (Line(6, "a [[run]]"), ("ambiguous", None, "run")),
        (Line(7, "the ice  cream."), ("ok", "ice_cream", "ice  cream")),
        (Line(8, "they [[ran]] off"), ("ok", "run.v", "ran")),
        (Line(9, "they ran off", span=(5, 8)), ("ok", "run.v", "ran")),
        (Line(10, "they ran off", span=(4, 9)), ("unreadable", None, None)),
        (Line(11, "it dished"), ("ok", "serve.v", "dished")),
        (Line(12, "half \ud800 a run"), ("unreadable", None, None)),
    ]
    words: Any = Named(file, **forms)
    rows = list(Predictor(words, encoder).predict(line for line, _ in cases))
    assert [(row.status, row.word, row.form) for row in rows] == [case for _, case in cases]
    assert "form of run.n and of run.v" in rows[2].message


def test_a_focal_word_of_several_tokens(file: WsdFile, encoder: Any) -> None:
    """The word is marked, given by characters, or found; the corpus also has a single token."""
    words, text = Named(file, **{"hot_dog.n": ["hot dog", "dog"], "bank": []}), "a hot dog here"
    lines = [Line(1, "a [[hot dog]] here"), Line(2, "a *hot dog* here"), Line(3, text, span=(2, 9))]
    lines += [Line(4, text), Line(5, "a [[dog]] here"), Line(6, text, span=(2, 8))]
    *rows, dog, part = Predictor(words, encoder).predict(lines)  # type: ignore[arg-type]
    assert [(row.status, row.form, row.start) for row in rows] == [
        ("ok", "hot dog", start) for start in (4, 3, 2, 2)
    ]
    for row in rows[1:]:
        assert row.scores == pytest.approx(rows[0].scores, abs=1e-5)
    # The vector covers the whole span, not one of its tokens.
    assert dog.form == "dog" and dog.scores != pytest.approx(rows[0].scores, abs=1e-5)
    assert part.status == "unreadable" and "part of a word" in part.message


def test_one_sentence_that_cannot_be_aligned_leaves_the_others(file: WsdFile, encoder: Any) -> None:
    """The first focal word is a mark that the tokenizer leaves out."""
    words = Named(file, **{"mark": ["\u0300"], "crane": []})
    lines = [Line(1, "a crane"), Line(2, "a [[\u0300]]"), Line(3, "cranes")]
    rows = list(Predictor(words, encoder).predict(lines))  # type: ignore[arg-type]
    assert [(r.status, r.word) for r in rows] == [
        ("ok", "crane"), ("unreadable", "mark"), ("ok", "crane"),
    ]  # fmt: skip


# A model file that `snakemake fit` wrote


def test_a_kept_file_is_used_while_it_matches_the_predictions(
    small_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_results.copy(small_once, tmp_path / "copy"))
    with logs_as_before():
        options = ["--results", str(FOLDER), "--layers", "2", "--classifier", "logistic"]
        assert main(["fit", *options, "--out", f"{FOLDER}/selected.wsd"]) == 0
    small_results.map_files(FOLDER)
    kept = fitted_words(Results(FOLDER), LOGISTIC)
    assert isinstance(kept, WsdFile) and kept.sentences("crane")
    near = Configuration("tiny", "focal", "1", "nearest_centroid")
    assert isinstance(fitted_words(Results(FOLDER), near), Fitting)
    # The same configuration with other predictions, of a later run.
    path = Results(FOLDER).predictions(LOGISTIC)
    (test, source), (held, _) = (read_predictions(path, split) for split in ("test", "cv"))
    source["folds"] = {**source["folds"], "seed": 99}
    write_predictions(path, [*(replace(word) for word in test), *held], source)
    small_results.map_files(FOLDER)
    assert isinstance(fitted_words(Results(FOLDER), LOGISTIC), Fitting)
