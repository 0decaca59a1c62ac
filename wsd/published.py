"""The authors' own results on CoarseWSD-20, read from the outputs they published, to compare with.

Per system and word there is a file with a line for each test instance, in the order of the test
file: a JSON object with ``idx``, ``gold``, ``tokens`` and ``matches``, the pairs of sense and
score, best first. Nothing is taken on trust: a line that is not about the instance of ours in
that place is an error.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wsd import outputs
from wsd.corpus import Corpus, parse_json, read_lines
from wsd.download import COMMIT
from wsd.errors import ConfigError, CorpusError
from wsd.names import file_name
from wsd.outputs import Output
from wsd.predictions import TEST, WordPredictions

ARCHIVE = f"https://github.com/danlou/bert-disambiguation/tree/{COMMIT}"
PAPER = "Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational Linguistics 47(2), 2021"

KEYS = {"gold", "idx", "matches", "tokens"}
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class System:
    """A published system: what it is, where its outputs come from, how they were made.

    Attributes
    ----------
    name : str
        Also the folder below ``published``, and the model's name in tables.
    title : str
    outputs : str
        The folder of the archive that holds the outputs.
    protocol : str
        Encoder, layers, classifier and training set, in words, after the scripts of the same
        repository: ``create_1nn_vecs.py``, ``eval_1nn.py``, ``ftx_baseline.py``.
    view, layers, classifier, estimator, blocks, width, parameters
        The same as keys of our tables. Layer 0 of a system without blocks is a word's type.
    """

    name: str
    title: str
    outputs: str
    protocol: str
    view: str
    layers: str
    classifier: str
    estimator: str
    blocks: int
    width: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The paper to cite, and the address of the outputs."""
        return f"{PAPER}; {ARCHIVE}/{self.outputs}"


def _nearest_centroid(size: str, blocks: int, width: int) -> System:
    encoder = f"bert-{size}-uncased"
    return System(
        name=f"1nn-{encoder}",
        title=f"BERT-{size}, nearest centroid",
        outputs=f"results/CoarseWSD-20/1nn/{encoder}",
        protocol=(
            f"{encoder}, not fine-tuned; the sum of the last four hidden states, the mean over "
            "the focal word's pieces; a sense's vector is the mean over its instances in the full "
            "training set; the sense of the word whose vector has the greatest cosine"
        ),
        view="focal",
        layers="sum-last-4",
        classifier="published-1nn",
        estimator="nearest_centroid",
        blocks=blocks,
        width=width,
        parameters={"metric": "cosine"},
    )


def _fasttext(name: str, title: str, vectors: str, width: int) -> System:
    return System(
        name=f"fasttext-{name}",
        title=f"fastText, {title}",
        outputs=f"results/CoarseWSD-20/fasttext/{name}",
        protocol=(
            f"fastText's supervised classifier, one per word, {width} dimensions, {vectors}; the "
            "mean of the vectors of all words of the sentence; full training set, 25 epochs, "
            "learning rate 0.5, one-versus-all loss, so that scores do not sum to 1"
        ),
        view="sentence",
        layers="0",
        classifier="published-fasttext",
        estimator="fasttext",
        blocks=0,
        width=width,
        parameters={"epoch": 25, "loss": "ova", "lr": 0.5},
    )


SYSTEMS = {
    system.name: system
    for system in (
        _fasttext("base-100d", "trained on the set", "no vectors to start from", 100),
        _fasttext(
            "crawl-300d-2M",
            "pretrained on Common Crawl",
            "starting from the vectors crawl-300d-2M",
            300,
        ),
        _nearest_centroid("base", 12, 768),
        _nearest_centroid("large", 24, 1024),
    )
}


def read_word(path: Path, corpus: Corpus) -> WordPredictions:
    """Read a system's outputs for one word, and check each line against the test instance.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    corpus : Corpus

    Returns
    -------
    WordPredictions
        ``predicted`` is the first of the matches, as the authors count; scores are theirs.

    Raises
    ------
    CorpusError
        If the file is missing, has another number of lines than the test split, or a line is
        malformed or not about our instance. It names file and line.
    """
    test = np.flatnonzero(corpus.split == "test")
    lines = read_lines(path)
    if len(lines) != len(test):
        raise CorpusError(
            f"{len(lines)} outputs for the {len(test)} test instances of {corpus.word!r}",
            where=f"{path}:{min(len(lines), len(test)) + 1}",
        )
    found = []
    for i, (line, row) in enumerate(zip(lines, test.tolist(), strict=True)):
        where = f"{path}:{i + 1}"
        output = _parse(line, where)
        _check_instance(output, corpus, row, where)
        matches = _check_matches(output["matches"], where)
        best = next(iter(matches), "")
        found.append(Output(where, corpus.word, TEST, output["idx"], best, matches))
    (words,) = outputs.assemble(found, {corpus.word: corpus}, str(path))
    return words


def _parse(line: str, where: str) -> dict[str, Any]:
    output = parse_json(line, where)
    if not isinstance(output, dict) or set(output) != KEYS:
        raise CorpusError(f"not an object with {', '.join(sorted(KEYS))}", where=where)
    return output


def _check_instance(output: Mapping[str, Any], corpus: Corpus, row: int, where: str) -> None:
    ours = {
        "idx": int(corpus.index[row]),
        "gold": corpus.senses[corpus.gold[row]],
        "tokens": list(corpus.tokens[row]),
    }
    for key, value in ours.items():
        # In Python, True is 1 and 1.0 is 1.
        if type(output[key]) is not type(value) or output[key] != value:
            shown = "other tokens" if key == "tokens" else f"{key} {output[key]!r}, not {value!r}"
            raise CorpusError(
                f"{shown}: not the output for test instance {ours['idx']} of {corpus.word!r}",
                where=where,
            )


def _check_matches(matches: Any, where: str) -> dict[str, float]:
    """Sense -> score, best first."""
    if not isinstance(matches, list) or not all(map(_is_match, matches)):
        raise CorpusError("the matches are not pairs of a sense and a finite score", where=where)
    if len(dict(matches)) != len(matches):
        raise CorpusError("a sense stands twice in the matches", where=where)
    values = [score for _, score in matches]
    if values != sorted(values, reverse=True):
        raise CorpusError("the matches are not in the order of their scores", where=where)
    return dict(matches)


def _is_match(match: Any) -> bool:
    """Whether this is a pair of a sense and a finite score."""
    return (
        isinstance(match, list)
        and list(map(type, match)) == [str, float]
        and math.isfinite(match[1])
    )


def read_system(source: Path, system: str, corpora: Mapping[str, Corpus]) -> list[WordPredictions]:
    """Read a system's outputs for every word of ``corpora``.

    Parameters
    ----------
    source : Path
        Where the dataset was downloaded to.
    system : str
        Among ``SYSTEMS``.
    corpora : mapping of word to Corpus
    """
    if system not in SYSTEMS:
        raise ConfigError(
            f"no published system {system!r}", fix=f"choose among {', '.join(SYSTEMS)}"
        )
    folder = source / "published" / system
    return [
        read_word(folder / f"{file_name(word)}.jsonl", corpus) for word, corpus in corpora.items()
    ]


def build(source: Path, system: str, corpora: Mapping[str, Corpus], out: Path) -> None:
    """Check a system's outputs and write them as a file of predictions, as of a model of ours.

    Parameters
    ----------
    source, system, corpora
        As in :func:`read_system`.
    out : Path
    """
    words, of = read_system(source, system, corpora), SYSTEMS[system]
    about = {"title": of.title, "source": of.source, "protocol": of.protocol}
    keys = ("view", "layers", "classifier", "estimator", "parameters")
    outputs.write_predictions(
        out,
        words,
        corpora,
        model={"name": of.name, "blocks": of.blocks, "width": of.width},
        published=about,
        **{key: getattr(of, key) for key in keys},
    )


def read_centroids(path: Path) -> dict[str, np.ndarray]:
    """Read published sense vectors: on each line a sense and its numbers, between single spaces.

    Returns
    -------
    dict of sense to float64 array
        In the order of the file.

    Raises
    ------
    CorpusError
        For a missing file, a line without numbers or with something that is no finite number, a
        length unlike the first line's, or a sense that stands there twice. It names file and line.
    """
    found: dict[str, np.ndarray] = {}
    width = None
    for n, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{n}"
        sense, *numbers = line.split(" ")
        if sense.split() != [sense] or not numbers:
            raise CorpusError("not a sense and its numbers between single spaces", where=where)
        # float() takes more: nan, inf, 1_0, and digits of other scripts.
        if wrong := [number for number in numbers if not NUMBER.fullmatch(number)]:
            raise CorpusError(f"{wrong[0][:40]!r} is not a number", where=where)
        vector = np.array(numbers, dtype=np.float64)
        if not np.isfinite(vector).all():
            raise CorpusError("a number is too large", where=where)
        width = width or len(vector)
        if len(vector) != width:
            raise CorpusError(f"{len(vector)} numbers, but {width} on the first line", where=where)
        if sense in found:
            raise CorpusError(f"the sense {sense!r} stands in the file twice", where=where)
        found[sense] = vector
    return found
