"""Download NOAD and write one of its datasets as a folder in the corpus format, with a manifest.

Every document is verified and read from the archive. The documents are divided into training and
test documents; or one of SemCor and MASC is for training, and the other for testing. The division
is part of the dataset and does not depend on the seed in the config.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.arguments import add_listings, add_out_folder, count
from wsd.artifacts.dataset import ABOUT, DATASETS, DOCUMENTS, FILES, FORMAT, MANIFEST
from wsd.artifacts.noad_datasets import AT_LEAST, NOAD, InParts, kept
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.senses import SenseText
from wsd.corpora import noad_checksums
from wsd.corpora.archives import available, refuse_foreign_names, verified
from wsd.corpora.document_split import documents_to_test
from wsd.corpora.download import log_licence
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.importer.noad_xml import Sentence, read
from wsd.corpora.importer.write_corpus import lay_out
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.checksums import sha256

SHARE, SEED = 0.3, 1
# The sentences of each document, sorted by its name.
Documents = Mapping[str, list[Sentence]]


def write_dataset(out: Path, name: str, at_least: int = AT_LEAST) -> None:
    """Write the folder of one of NOAD's datasets.

    Parameters
    ----------
    out : Path
        Replaced as a whole. It must hold no other files.
    name : str
        One of :data:`wsd.artifacts.noad_datasets.NOAD`.
    at_least : int
        The smallest number of instances of a sense.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or is damaged or wrong.
    CorpusError
        Naming document and line, for a malformed document.
    ConfigError
        If ``out`` holds files that are not the dataset's, or no word is left.
    """
    refuse_foreign_names(out, (*FILES, *DOCUMENTS, MANIFEST))
    dataset, archive = DATASETS[name], noad_checksums.ARCHIVE
    log_licence(name)
    with available(archive) as path:
        documents, glosses = read_archive(path, archive.file_checksums())
    words = kept(counts_of(documents), name, at_least)
    if not words:
        problem = f"no word has two senses with {at_least} instances"
        raise ConfigError(problem, where="--at-least", fix=f"lower it, to {AT_LEAST} or more")
    tested = _documents_to_test(documents, words, name)
    rows = _rows(documents, words, tested)
    instances = sum(map(len, rows.values()))
    labelled = sum(len(s.labels) for sentences in documents.values() for s in sentences)
    by_document = {"made": True, "by": "document", "test_share": SHARE, "seed": SEED}
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        **{key: getattr(dataset, key) for key in ABOUT},
        "imported": [{"file": archive.url, "checksums_sha256": sha256(archive.checksums)}],
        "at_least": at_least,
        "split": by_document if NOAD[name] is None else {"made": False, "by": "part"},
        "test_documents": sorted(tested),
        "left_out": {"senses that are too rare, or in one document": labelled - instances},
        "version": version("wsd"),
    }
    given = {
        word: {s: SenseText("", f"WordNet: {glosses[s]}") for s in senses if s in glosses}
        for word, senses in words.items()
    }
    lay_out(out, rows, given, manifest, noted=True)
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
        if name.endswith(noad_checksums.DOCUMENT):
            documents[name] = read(data, f"{archive}: {name}")
        elif name == noad_checksums.WORDNET:
            pairs = (line.partition("\t") for line in data.decode("utf-8").splitlines())
            glosses = {sense.rpartition("/")[2]: keys.replace(",", " ") for sense, _, keys in pairs}
    return dict(sorted(documents.items())), glosses


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
            for word, sense, position, line in labels:
                if sense in words.get(word, ()):
                    where = f"{document}:{line}"
                    row = LabelledSentence(where, word, sense, position, tokens, split, document)
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
