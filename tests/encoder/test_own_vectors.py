"""A folder of vectors from another program takes the place of an encoder."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from checkout import REPOSITORY
from importing import import_corpus
from safetensors.torch import save_file
from small_results import run
from tiny import tiny_bert

from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.vectors import Embeddings
from wsd.cli import main
from wsd.errors import ConfigError, ModelError
from wsd.run.config import load

PAGE = REPOSITORY / "docs/how-to/other-models.md"
WORDS = ("cell", "pitch")
EMBED = ["--model", "model.json", "--corpus", "corpus", "--words", *WORDS, "--out", "read"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    import_corpus([REPOSITORY / "docs/own-corpus.tsv"], out=folder / "data/mine", name="mine")
    words = [f"--word={word}" for word in WORDS]
    run("corpus", "--source", str(folder / "data/mine"), *words, "--out", str(folder / "corpus"))
    return folder


@pytest.fixture
def corpora(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Corpus]:
    monkeypatch.chdir(tmp_path)
    for name in ("data", "corpus"):
        Path(name).symlink_to(tables / name)
    return read_corpora(Path("corpus"), WORDS)


def embed(*source: str) -> int:
    shape = ["--blocks", "2", "--width", "32"]
    run("model", "--name", "mine", *source, *shape, "--out", "model.json")
    return main(["embed", *EMBED])


def states(corpus: Corpus) -> np.ndarray:
    read = Embeddings(Path(f"read/{corpus.word}/focal.safetensors"), corpus)
    return np.stack([read.layer(number) for number in read.stored])


def test_the_lines_of_the_page_give_the_vectors_of_wsd(corpora: dict[str, Corpus]) -> None:
    tiny_bert(Path("tiny"))
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code.replace("/data/models/mine", "tiny"), {})
    assert embed("--path", "tiny") == 0
    expected = {word: states(corpora[word]) for word in WORDS}
    assert embed("--vectors", "vectors/mine") == 0
    for word in WORDS:
        assert np.allclose(states(corpora[word]), expected[word], atol=1e-5)


def write(corpora: dict[str, Corpus]) -> dict[str, np.ndarray]:
    """Write random vectors of every word and split; return them by file name."""
    rng, made = np.random.default_rng(0), {}
    Path("vectors").mkdir()
    for word, corpus in corpora.items():
        for split in ("train", "test"):
            shape = (int((corpus.split == split).sum()), 3, 32)
            made[f"{word}.{split}"] = vectors = rng.normal(size=shape).astype(np.float32)
            np.save(f"vectors/{word}.{split}.npy", vectors)
    return made


def test_safetensors_of_half_precision_are_read(corpora: dict[str, Corpus]) -> None:
    made = write(corpora)["cell.test"]
    Path("vectors/cell.test.npy").unlink()
    save_file({"x": torch.tensor(made).bfloat16()}, "vectors/cell.test.safetensors")
    assert embed("--vectors", "vectors") == 0
    read = states(corpora["cell"])[:, corpora["cell"].split == "test"]
    assert np.array_equal(read.swapaxes(0, 1), torch.tensor(made).bfloat16().float().numpy())


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda a: a[:-1], "shape"),
        (lambda a: a[:, :2], "shape"),
        (lambda a: np.where(np.arange(len(a))[:, None, None] == 1, np.nan, a), "row 1 "),
        (lambda a: a.astype(object), "one array"),
        (None, r"no pitch\.train"),
    ],
)
def test_files_that_cannot_be_read(
    fault: Callable[[np.ndarray], np.ndarray] | None,
    message: str,
    corpora: dict[str, Corpus],
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = write(corpora)["pitch.train"]
    Path("vectors/pitch.train.npy").unlink()
    if fault:
        np.save("vectors/pitch.train.npy", fault(made), allow_pickle=True)
    assert embed("--vectors", "vectors") == ModelError.exit_code
    assert re.search(message, capsys.readouterr().err)
    assert not Path("read/pitch/focal.safetensors").exists()


def test_a_file_that_changed_after_its_record(
    corpora: dict[str, Corpus], capsys: pytest.CaptureFixture[str]
) -> None:
    made = write(corpora)["cell.test"]
    assert embed("--vectors", "vectors") == 0
    np.save("vectors/cell.test.npy", -made)
    assert main(["embed", *EMBED]) == ModelError.exit_code
    assert "changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"), [(", input: echo", "leave out input"), ("", "views.store")]
)
def test_what_a_folder_of_vectors_cannot_have(more: str, message: str, tmp_path: Path) -> None:
    entry = f"{{name: mine, vectors: v, blocks: 1, width: 8{more}}}"
    (tmp_path / "own.yaml").write_text(f"models: [{entry}]\ndataset: quickstart\n")
    with pytest.raises(ConfigError, match=message):
        load([tmp_path / "own.yaml"])
