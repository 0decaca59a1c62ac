"""Download NOAD and write one of its datasets as a folder in the corpus format, with a manifest.

NOAD is SemCor and MASC with senses of the New Oxford American Dictionary. Every document is
verified and read from the archive. The documents are divided into training and test documents; or
one of SemCor and MASC is for training, and the other for testing. The division is part of the
dataset and does not depend on the seed in the config.
"""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from wsd.arguments import add_listings, add_out_folder, count
from wsd.artifacts.dataset import (
    AT_LEAST,
    DATA,
    DATASETS,
    DOCUMENTS,
    FILES,
    MANIFEST,
    NOAD,
    InParts,
    frequent_senses,
)
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.senses import SenseText
from wsd.corpora.archives import SourceArchive, available, refuse_foreign_files, verified
from wsd.corpora.download import log_licence
from wsd.corpora.importer.gathered import LabelledSentence
from wsd.corpora.importer.write_corpus import lay_out, manifest_of
from wsd.corpora.importer.xml_formats import PARTS
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log

COMMIT = "894bf257296d1994df55c17fde0b09192644c74f"
ARCHIVE = SourceArchive(
    title="NOAD",
    url=f"{DATASETS['noad'].source}/archive/{COMMIT}.tar.gz",
    file=f"word_sense_disambigation_corpora-{COMMIT}.tar.gz",
    variable="WSD_NOAD_ARCHIVE",
    checksums=DATA / "noad.sha256",
)
DOCUMENT, WORDNET = ".xml", "manual_map.txt"
SHARE, SEED = 0.3, 1
# The kinds of break before a word that begin a sentence.
ENDS = ("SENTENCE_BREAK", "PARAGRAPH_BREAK")
# The cost of a sense that is in one group only: more than all other costs together.
MISSING = 10**9
# The most searches. Another one starts if a sense is still in one group only.
ATTEMPTS = 20


class Label(NamedTuple):
    """A labelled token: its position in the sentence."""

    word: str
    sense: str
    position: int


class Sentence(NamedTuple):
    """The tokens of a sentence, and the labels of its labelled tokens."""

    tokens: tuple[str, ...]
    labels: tuple[Label, ...]


# The sentences of each document, sorted by its name.
Documents = Mapping[str, list[Sentence]]


def write_dataset(out: Path, name: str, at_least: int = AT_LEAST) -> None:
    """Write the folder of one of NOAD's datasets.

    Parameters
    ----------
    out : Path
        Replaced as a whole. It must hold no other files.
    name : str
        One of :data:`wsd.artifacts.dataset.NOAD`.
    at_least : int
        The smallest number of instances of a sense.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or is damaged or wrong.
    ConfigError
        If ``out`` holds files that are not the dataset's, or no word is left.
    """
    refuse_foreign_files(out, (*FILES, *DOCUMENTS, MANIFEST))
    log_licence(name)
    with available(ARCHIVE) as path:
        documents, glosses = read_archive(path, ARCHIVE.file_checksums())
    words = frequent_senses(counts_of(documents), name, at_least)
    if not words:
        problem = f"no word has two senses with {at_least} instances"
        raise ConfigError(problem, where="--at-least", fix=f"lower it, to {AT_LEAST} or more")
    tested = _documents_to_test(documents, words, name)
    rows = _rows(documents, words, tested)
    instances = sum(map(len, rows.values()))
    labelled = sum(len(s.labels) for sentences in documents.values() for s in sentences)
    by_document = {"made": True, "by": "document", "test_share": SHARE, "seed": SEED}
    manifest = manifest_of(
        name,
        ARCHIVE,
        at_least=at_least,
        split=by_document if NOAD[name] is None else {"made": False, "by": "part"},
        test_documents=sorted(tested),
        left_out={"senses that are too rare, or in one document": labelled - instances},
    )
    given = {
        word: {s: SenseText("", f"WordNet: {glosses[s]}") for s in senses if s in glosses}
        for word, senses in words.items()
    }
    lay_out(out, rows, manifest, given=given, noted=True)
    log.info(
        "%d words, %d senses, %d of %d labelled tokens, %d of %d documents for testing",
        len(rows), sum(map(len, words.values())), instances, labelled,
        len(tested), len(documents),
    )  # fmt: skip


def read_archive(archive: Path, checksums: Mapping[str, str]) -> tuple[Documents, dict[str, str]]:
    """Return the documents of an archive, and the WordNet senses of NOAD's senses."""
    documents: dict[str, list[Sentence]] = {}
    glosses: dict[str, str] = {}
    for name, data in verified(archive, checksums):
        if name.endswith(DOCUMENT):
            documents[name] = read(data)
        elif name == WORDNET:
            pairs = (line.partition("\t") for line in data.decode("utf-8").splitlines())
            glosses = {sense.rpartition("/")[2]: keys.replace(",", " ") for sense, _, keys in pairs}
    return dict(sorted(documents.items())), glosses


def read(data: bytes) -> list[Sentence]:
    """Return the sentences of a document, which is UTF-8 whatever it declares.

    It has one ``<word>`` after another, with ``text`` and ``break_level``, the kind of break before
    it. A labelled word also has ``lemma``, ``pos`` and ``sense``. A word is called by its lemma and
    its part of speech, ``serve.v``. The checksum has shown that the document is as expected.
    """
    parser = ElementTree.XMLParser(encoding="utf-8")  # noqa: S314 - the document is verified
    sentences: list[tuple[list[str], list[Label]]] = [([], [])]
    for element in ElementTree.fromstring(data, parser):  # noqa: S314
        if element.get("break_level") in ENDS:
            sentences.append(([], []))
        tokens, labels = sentences[-1]
        if sense := element.get("sense"):
            part = element.attrib["pos"]
            # A part of speech that the all-words format does not have is its own suffix.
            word = sys.intern(f"{element.get('lemma')}.{PARTS.get(part, part.lower())}")
            labels.append(Label(word, sys.intern(sense.rpartition("/")[2]), len(tokens)))
        # One token of one document is empty.
        tokens.extend(map(sys.intern, element.attrib["text"].split()))
    return [Sentence(tuple(tokens), tuple(labels)) for tokens, labels in sentences if tokens]


def counts_of(documents: Documents) -> dict[str, dict[str, InParts]]:
    """Count each sense of each word in both parts, except senses of a single document."""
    n_instances: dict[str, Counter[tuple[str, str]]] = {"semcor": Counter(), "masc": Counter()}
    n_documents: Counter[tuple[str, str]] = Counter()
    for name, sentences in documents.items():
        senses = _senses(sentences)
        n_documents.update(senses.keys())
        n_instances[_part(name)].update(senses)
    counts: dict[str, dict[str, InParts]] = {}
    for (word, sense), n in n_documents.items():
        if n > 1:
            in_parts = InParts(*(part[word, sense] for part in n_instances.values()))
            counts.setdefault(word, {})[sense] = in_parts
    return counts


def _part(document: str) -> str:
    return document.partition("/")[0]


def _senses(sentences: Iterable[Sentence]) -> Counter[tuple[str, str]]:
    labels = (label for sentence in sentences for label in sentence.labels)
    return Counter((label.word, label.sense) for label in labels)


def _documents_to_test(
    documents: Documents, words: Mapping[str, Mapping[str, InParts]], name: str
) -> frozenset[str]:
    if parts := NOAD[name]:
        return frozenset(document for document in documents if _part(document) == parts[1])
    senses = {
        document: Counter(
            {(w, s): n for (w, s), n in _senses(sentences).items() if s in words.get(w, ())}
        )
        for document, sentences in documents.items()
    }
    return documents_to_test(senses, share=SHARE, seed=SEED)


def documents_to_test(
    documents: Mapping[str, Counter[tuple[str, str]]], *, share: float, seed: int
) -> frozenset[str]:
    """Return the test documents, which have about the given share of each sense's instances.

    Documents change groups one after another, in a random order, as long as this brings the senses
    closer to the share. All numbers are integers, so that every machine returns the same result.

    Parameters
    ----------
    documents : mapping of name to counts of (word, sense)
        Every sense is in at least two documents.
    share : float
        Between 0 and 1.
    seed : int

    Raises
    ------
    CorpusError
        If no search ends with every sense in both groups.
    """
    senses = list(dict.fromkeys(chain.from_iterable(documents.values())))
    counts = {
        name: np.array([of_document[sense] for sense in senses])
        for name, of_document in documents.items()
    }
    total = np.sum([*counts.values()], axis=0)
    per_mille = round(1000 * share)

    def cost(test: np.ndarray) -> int:
        deviation = 1000 * test // total - per_mille
        is_missing = (test == 0) | (test == total)
        return int((deviation * deviation + MISSING * is_missing).sum())

    for attempt in range(seed, seed + ATTEMPTS):
        digests = {name: hashlib.sha256(f"{attempt} {name}".encode()).digest() for name in counts}
        tested: set[str] = set()
        test = np.zeros(len(senses), dtype=int)
        changed = True
        while changed:
            changed = False
            for name in sorted(digests, key=digests.__getitem__):
                after = test - counts[name] if name in tested else test + counts[name]
                if cost(after) < cost(test):
                    test, changed = after, True
                    tested ^= {name}
        if test.all() and (total - test).all():
            return frozenset(tested)
    word, sense = senses[np.flatnonzero((test == 0) | (test == total))[0]]
    problem = f"no division has the sense {sense!r} of {word!r} in training and test documents"
    raise CorpusError(problem, fix="require more instances of a sense, with the key at_least")


def _rows(
    documents: Documents,
    words: Mapping[str, Mapping[str, InParts]],
    tested: frozenset[str],
) -> dict[str, list[LabelledSentence]]:
    """Return the sentences of each word, in the order of the documents."""
    rows: dict[str, list[LabelledSentence]] = {word: [] for word in words}
    for document, sentences in documents.items():
        split = "test" if document in tested else "train"
        for tokens, labels in sentences:
            for word, sense, position in labels:
                if sense in words.get(word, ()):
                    row = LabelledSentence(document, word, sense, position, tokens, split, document)
                    rows[word].append(row)
    return rows


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = f"one of NOAD's datasets: {', '.join(NOAD)} (default: noad)"
    parser.add_argument("--name", choices=NOAD, default="noad", metavar="NAME", help=text)
    text = f"smallest number of instances of a sense, {AT_LEAST} or more (default: {AT_LEAST})"
    parser.add_argument("--at-least", type=count, default=AT_LEAST, metavar="N", help=text)
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.at_least < AT_LEAST:
        problem = f"{args.at_least} instances of a sense are too few for a test set and five folds"
        raise ConfigError(problem, where="--at-least", fix=f"give {AT_LEAST} or more")
    write_dataset(args.out, args.name, args.at_least)
    list_folders(args.listings)
