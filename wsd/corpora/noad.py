"""The step from NOAD's archive to a folder in the corpus format, with a manifest, in one pass.

Every document is verified and read; nothing is unpacked, and the folder appears once it is whole.
Documents are divided into training and test texts, or SemCor is one side and MASC the other. The
division belongs to the dataset: it is drawn with a seed of its own, not the config's.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.arguments import add_listings, add_out_folder, count
from wsd.artifacts.dataset import ABOUT, DATASETS, FILES, FORMAT, MANIFEST
from wsd.artifacts.noad import AT_LEAST, NOAD, InParts, kept
from wsd.artifacts.run_map import list_folders
from wsd.artifacts.senses import SenseText
from wsd.corpora import noad_archive
from wsd.corpora.document_split import documents_to_test
from wsd.corpora.get_archive import at_hand
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.importer.noad_xml import Sentence, read
from wsd.corpora.importer.write_corpus import lay_out
from wsd.corpora.unpack_archive import refuse_foreign_files, verified
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.checksums import sha256

SHARE, SEED = 0.3, 1
# By name, in the order of the names.
Documents = Mapping[str, list[Sentence]]


def make(out: Path, name: str, at_least: int = AT_LEAST) -> None:
    """Write the folder of one of the datasets of NOAD.

    Parameters
    ----------
    out : Path
        Replaced as a whole; it must hold nothing else.
    name : str
        Among :data:`wsd.artifacts.noad.NOAD`.
    at_least : int
        Instances of a sense.

    Raises
    ------
    DownloadError
        If the archive cannot be had, or is not what it should be.
    CorpusError
        Naming document and line, for one that is not as it should be.
    ConfigError
        If ``out`` holds files that are not the dataset's, or no word is left.
    """
    refuse_foreign_files(out, _own_files(out))
    dataset, archive = DATASETS[name], noad_archive.ARCHIVE
    log.info("%s is licensed %s. When you use it, cite:", dataset.title, dataset.licence)
    log.info("%s", dataset.citation)
    with at_hand(archive) as packed:
        documents, glosses = read_archive(packed, archive.file_checksums())
    words = kept(counts_of(documents), name, at_least)
    if not words:
        what = f"no word has two senses with {at_least} instances"
        raise ConfigError(what, where="--at-least", fix=f"give fewer, {AT_LEAST} or more")
    tested = _tested(documents, words, name)
    rows = _rows(documents, words, tested)
    instances = sum(map(len, rows.values()))
    labelled = sum(len(s.labels) for of in documents.values() for s in of)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        **{key: getattr(dataset, key) for key in ABOUT},
        "imported": [{"file": archive.url, "checksums_sha256": sha256(archive.checksums)}],
        "at_least": at_least,
        "split": {"made": True, "by": "document", "test_share": SHARE, "seed": SEED}
        if NOAD[name] is None
        else {"made": False, "by": "part"},
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


def read_archive(packed: Path, checksums: Mapping[str, str]) -> tuple[Documents, dict[str, str]]:
    """The documents of an archive; and of senses which ones of WordNet they are."""
    documents: dict[str, list[Sentence]] = {}
    glosses: dict[str, str] = {}
    for name, data in verified(packed, checksums):
        if name.endswith(noad_archive.DOCUMENT):
            documents[name] = read(data, f"{packed}: {name}")
        elif name == noad_archive.WORDNET:
            pairs = (line.partition("\t") for line in data.decode("utf-8").splitlines())
            glosses = {sense.rpartition("/")[2]: keys.replace(",", " ") for sense, _, keys in pairs}
    return dict(sorted(documents.items())), glosses


def counts_of(documents: Documents) -> dict[str, dict[str, InParts]]:
    """How often each sense of each word stands in the two parts, if in more than one document."""
    found: dict[tuple[str, str], Counter[str]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for name, sentences in documents.items():
        senses = _senses(sentences)
        seen.update(senses.keys())
        for key, n in senses.items():
            found.setdefault(key, Counter())[_part(name)] += n
    counts: dict[str, dict[str, InParts]] = {}
    for (word, sense), of in found.items():
        if seen[word, sense] > 1:
            counts.setdefault(word, {})[sense] = InParts(of["semcor"], of["masc"])
    return counts


def _part(document: str) -> str:
    return document.partition("/")[0]


def _senses(sentences: Iterable[Sentence]) -> Counter[tuple[str, str]]:
    return Counter((label.word, label.sense) for one in sentences for label in one.labels)


def _tested(
    documents: Documents, words: Mapping[str, Mapping[str, InParts]], name: str
) -> frozenset[str]:
    """The documents to test on."""
    if parts := NOAD[name]:
        return frozenset(document for document in documents if _part(document) == parts[1])
    senses = {
        document: Counter(
            {(word, s): n for (word, s), n in _senses(of).items() if s in words.get(word, ())}
        )
        for document, of in documents.items()
    }
    return documents_to_test(senses, share=SHARE, seed=SEED)


def _rows(
    documents: Documents,
    words: Mapping[str, Mapping[str, InParts]],
    tested: frozenset[str],
) -> dict[str, list[LabelledSentence]]:
    """By word, in the order of the documents."""
    rows: dict[str, list[LabelledSentence]] = {word: [] for word in words}
    for document, sentences in documents.items():
        split = "test" if document in tested else "train"
        for one in sentences:
            for label in one.labels:
                if label.sense in words.get(label.word, ()):
                    where = f"{document}:{label.line}"
                    rows[label.word].append(
                        LabelledSentence(
                            where, label.word, label.sense, label.position, one.tokens, split
                        )
                    )
    return rows


def _own_files(out: Path) -> set[str]:
    """The files below a folder that may be of an earlier run of the step, by their names alone."""
    found = (path.relative_to(out) for path in out.rglob("*") if path.is_file())
    return {
        path.as_posix()
        for path in found
        if path.name.removesuffix(".damaged") in (*FILES, MANIFEST)
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = f"which of its datasets: {', '.join(NOAD)}"
    parser.add_argument("--name", choices=NOAD, default="noad", metavar="NAME", help=text)
    text = f"instances of a sense, {AT_LEAST} or more (default: {AT_LEAST})"
    parser.add_argument("--at-least", type=count, default=AT_LEAST, metavar="N", help=text)
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.at_least < AT_LEAST:
        what = f"{args.at_least} instances of a sense are too few for two sides and five folds"
        raise ConfigError(what, where="--at-least", fix=f"give {AT_LEAST} or more")
    make(args.out, args.name, args.at_least)
    list_folders(args.listings)
