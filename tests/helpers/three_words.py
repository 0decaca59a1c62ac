"""Write three small words and a tiny encoder, and read the files of vectors."""

from pathlib import Path

from tiny import corpus_of, tiny_bert

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.corpus_table import Corpus
from wsd.encoder import model
from wsd.storage.json import write_json

# The numbers of sentences show which word went through the model.
WORDS = {"bat": 4, "crane": 5, "mole": 7}


def of_word(word: str, sentences: int) -> Corpus:
    rows = [(f"near {'the ' * i}crane", i + 1) for i in range(sentences)]
    return corpus_of(*rows, word=word, n_train=2)


def prepare(folder: Path) -> None:
    """Write the encoder, its record and the corpus."""
    tiny_bert(folder / "tiny", head=True)
    record = model.resolve("tiny", path="tiny", sha256={}, blocks=2, width=32)
    write_json(folder / "tiny.json", record)
    for word, sentences in WORDS.items():
        corpora.write(folder / f"corpus/{word}.parquet", of_word(word, sentences))


def files(folder: str = "e") -> dict[str, tuple[int, bytes]]:
    paths = [p for p in Path(folder).rglob("*") if p.is_file()]
    return {str(p): (p.stat().st_ino, p.read_bytes()) for p in paths}


def contents(folder: str = "e") -> dict[str, bytes]:
    return {name: data for name, (_, data) in files(folder).items()}


def path_of(word: str, name: str = "") -> str:
    """Return the path of a word's file."""
    return f"e/{word}@{of_word(word, WORDS[word]).digest[:10]}/{name}"
