"""The step from NOAD's archive to a corpus, on a small archive, and the real archive's counts."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import small_noad
from small_noad import FILES, document

from wsd.artifacts.dataset import (
    DATASETS,
    MANIFEST,
    NOAD,
    InParts,
    dataset_of_results,
    frequent_senses,
    read_manifest,
)
from wsd.corpora import noad
from wsd.corpora.noad import documents_to_test, read
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, DownloadError
from wsd.storage.file_names import file_name

WORDS, SPLITS = ("cell.n", "serve.v"), ("train", "test")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results" / "noad" / "source"


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    archive, sums = small_noad.write(tmp_path / "made")
    monkeypatch.setattr(noad, "ARCHIVE", replace(noad.ARCHIVE, checksums=sums))
    monkeypatch.setenv("WSD_NOAD_ARCHIVE", str(archive))
    return archive


def houses(out: Path, word: str, split: str) -> set[str]:
    """The last token of each sentence, which is the number of its document."""
    corpus = read_text(out / file_name(word), word)
    return {corpus.tokens[i][-1] for i in range(len(corpus)) if corpus.split[i] == split}


def test_words_sentences_and_senses(out: Path) -> None:
    noad.write_dataset(out, "noad", 2)
    dataset = dataset_of_results(out.parent)
    assert dataset.words == WORDS  # lone.a has one sense; m_2.003 is in one document
    assert dataset.title == DATASETS["noad"].title and "CC BY 4.0" in dataset.licence
    corpus = read_text(out / file_name("serve.v"), "serve.v")
    assert corpus.senses == ("m_1.001", "m_1.002")
    assert Counter(corpus.gold.tolist()) == {0: 10, 1: 10}
    assert corpus.document is not None
    for tokens, name in zip(corpus.tokens, corpus.document, strict=True):
        assert name.endswith(f"{tokens[-1]}.xml") and name.startswith(("semcor/", "masc/"))
    # No document is on both sides, and every sense is.
    train, test = ({*houses(out, WORDS[0], s), *houses(out, WORDS[1], s)} for s in SPLITS)
    assert not train & test and len(test) == 3
    assert all({*corpus.gold[corpus.split == split].tolist()} == {0, 1} for split in SPLITS)
    tested = json.loads((out / MANIFEST).read_text())["test_documents"]
    assert {name[-5] for name in tested} == test
    row = corpus.tokens.index(("She", "served", "soup", "&", "bread", "near", "house", "7"))
    assert (corpus.position[row], corpus.gold[row]) == (1, 0)
    gloss = dataset.sense_texts("serve.v", corpus.senses)[0].gloss
    assert gloss == "WordNet: serve%2:34:00:: serve%2:34:01::"


@pytest.mark.parametrize(("name", "trained"), [("semcor-masc", "01234"), ("masc-semcor", "56789")])
def test_one_part_is_trained_on_and_the_other_tested(name: str, trained: str, out: Path) -> None:
    noad.write_dataset(out, f"noad-{name}", 2)
    for word in WORDS:
        assert houses(out, word, "train") == {*trained}
        assert houses(out, word, "test") == {*"0123456789"} - {*trained}


def test_senses_are_kept_by_what_is_trained_on() -> None:
    counts = {
        "a.n": {"1": InParts(10, 0), "2": InParts(6, 6), "3": InParts(9, 0)},
        "b.v": {"1": InParts(10, 1), "2": InParts(12, 2)},
        "c.a": {"1": InParts(30, 30)},
        "d.r": {"1": InParts(10, 0), "2": InParts(9, 1)},
        "e.n": {"1": InParts(20, 0), "2": InParts(5, 1), "3": InParts(10, 1)},
    }
    kept = {w: " ".join(value) for w, value in frequent_senses(counts, "noad", 10).items()}
    assert kept == {"a.n": "1 2", "b.v": "1 2", "d.r": "1 2", "e.n": "1 3"}
    assert set(frequent_senses(counts, "noad-semcor-masc", 10)) == {"b.v"}
    assert not frequent_senses(counts, "noad-masc-semcor", 10)
    assert set(frequent_senses(counts, "noad", 11)) == {"b.v", "e.n"}


def test_the_same_archive_gives_the_same_bytes_in_whatever_order(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noad.write_dataset(out, "noad", 2)
    first = read_manifest(out / MANIFEST)
    archive, _ = small_noad.write(tmp_path / "again", dict(reversed(FILES.items())))
    monkeypatch.setenv("WSD_NOAD_ARCHIVE", str(archive))
    noad.write_dataset(out, "noad", 2)
    assert read_manifest(out / MANIFEST).digests == first.digests
    name = "masc/written/m7.xml"
    small_noad.write(tmp_path / "again", {**FILES, name: FILES[name].replace(b"soup", b"soap")})
    with pytest.raises(DownloadError, match=f"{name} is not the file"):
        noad.write_dataset(out, "noad", 2)
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        noad.write_dataset(out, "noad", 2)


def test_empty_tokens_are_dropped_but_keep_their_breaks() -> None:
    first = read(document([["", ("cell", "cell", "NOUN", "m.1")]]))
    assert first[0].tokens == ("cell",) and first[0].labels[0].position == 0
    assert [sentence.tokens for sentence in read(document([["a"], ["", "b"]]))] == [("a",), ("b",)]


def test_every_sense_comes_near_the_share() -> None:
    senses = (("a.n", "1"), ("a.n", "2"))
    documents = {f"{d}": Counter({senses[0]: 1 + d % 3, senses[1]: 2}) for d in range(40)}
    tested = documents_to_test(documents, share=0.3, seed=1)
    for sense in senses:
        total = sum(value[sense] for value in documents.values())
        assert abs(sum(documents[d][sense] for d in tested) / total - 0.3) < 0.03


@pytest.mark.slow
def test_the_real_archive(noad_real: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("WSD_NOAD_ARCHIVE", str(noad_real))
    documents, _ = noad.read_archive(noad_real, noad.ARCHIVE.file_checksums())
    assert len(documents) == 742
    assert sum(len(s.labels) for value in documents.values() for s in value) == 253_752
    counts = noad.counts_of(documents)
    words = frequent_senses(counts, "noad", 10)
    assert (len(words), sum(map(len, words.values()))) == (642, 1517)
    for name in NOAD:
        kept = frequent_senses(counts, name, 10).items()
        sizes = {word: sum(map(sum, senses.values())) for word, senses in kept}
        assert sizes == DATASETS[name].sizes
    noad.write_dataset(out, "noad")
    sizes = read_manifest(out / MANIFEST).sizes
    assert sizes == DATASETS["noad"].sizes and sum(sizes.values()) == 150_948
    manifest = json.loads((out / MANIFEST).read_text())
    assert len(manifest["test_documents"]) == 222
    senses = [sense for entry in manifest["words"].values() for sense in entry["senses"].values()]
    assert all(sense["train"] and sense["test"] for sense in senses)
