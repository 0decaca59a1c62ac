"""The manifest of a corpus, by ``wsd import`` or by a step of the workflow; and finding one."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts import noad
from wsd.artifacts.dataset import (
    ABOUT,
    COUNTS,
    DATASETS,
    FORMAT,
    MANIFEST,
    OF_PAIRS,
    SENTENCES,
    Dataset,
    check_name,
    files_of,
)
from wsd.artifacts.senses import parse_sense_texts
from wsd.errors import ConfigError, CorpusError, visible
from wsd.storage.result_files import require


def read_manifest(path: Path, *, name: str | None = None, title: str | None = None) -> Dataset:
    """The corpus of a manifest that ``wsd import`` wrote.

    Parameters
    ----------
    path : Path
        Of ``dataset.json``; the corpus's files lie beside it.
    name, title : str, optional
        In place of the manifest's own.

    Raises
    ------
    CorpusError
        If it is missing, or is no manifest.
    """
    fix = "make the folder with `wsd import FILE --out FOLDER --name NAME`"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        found = manifest["format"]
        require(found == FORMAT, f"its format is {found!r}, not {FORMAT}")
        of_pairs = "pairs" in manifest
        own = {key: manifest[key] for key in ("name", *ABOUT)}
        own |= {k: v for k, v in (("name", name), ("title", title)) if v is not None}
        wanted = (*COUNTS, "most_folds")  # the last is not in every manifest
        words = _of_pairs(manifest) if of_pairs else manifest["words"]
        counts = {
            w: {k: of[k] for k in wanted if k in of or k in COUNTS} for w, of in words.items()
        }
        given = {w: parse_sense_texts(w, of.get("senses", {})) for w, of in words.items()}
        digests = dict(manifest["files"])
        seen = all(isinstance(text, str) and visible(text) == text for text in own.values())
        require(seen, "a text that is none, or has a character that cannot be seen")
        numbers = [n for of in counts.values() for n in of.values()]
        counted = numbers and all(type(n) is int and n >= 0 for n in numbers)
        require(counted, "no words, or a number of instances that is none")
        labelled = manifest.get("labelled", True) is not False and not of_pairs
        expected = set(OF_PAIRS) if of_pairs else files_of(counts, labelled=labelled)
        require(set(digests) == expected, "other files than those of its words")
        sums = all(re.fullmatch("[0-9a-f]{64}", of) for of in digests.values())
        require(sums, "a checksum that is none")
        # It becomes a link on the pages.
        link = not own["licence_url"] or own["licence_url"].startswith(("https://", "http://"))
        require(link, "a licence_url that is no address")
    except (OSError, RecursionError) as error:
        raise CorpusError(f"no manifest of a corpus: {error}", where=str(path), fix=fix) from None
    except (AttributeError, KeyError, TypeError, ValueError, ConfigError) as error:
        what = f"not the manifest of a corpus: {type(error).__name__} {error}"
        raise CorpusError(what, where=str(path), fix=fix) from None
    # NOAD's is written by a step of the workflow.
    if own["name"] not in noad.NOAD:
        check_name(own["name"], str(path))
    return Dataset(
        **own,
        folder=path.parent,
        counts=counts,
        digests=digests,
        given=given,
        labelled=labelled,
        of_pairs=of_pairs,
    )


def _of_pairs(manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a corpus of pairs has in place of words: all its sentences, as one."""
    return {SENTENCES: {**dict.fromkeys(COUNTS, 0), "n_train": manifest["sentences"]}}


def dataset_of_results(folder: Path) -> Dataset:
    """The corpus that a folder ``results/<dataset>`` is of.

    Raises
    ------
    CorpusError
        If it is none of the built-in ones, and there is no manifest.
    """
    manifest = folder / "source" / MANIFEST
    # NOAD has both: the manifest knows which words are there, and what their senses are called.
    if folder.name in DATASETS and not manifest.exists():
        return DATASETS[folder.name]
    return read_manifest(manifest)


def find_dataset(text: str) -> Dataset:
    """A corpus by the name of a built-in one, or the path of a manifest.

    Raises
    ------
    ConfigError
        If it is neither.
    CorpusError
        If it is no manifest.
    """
    if text in DATASETS:
        return DATASETS[text]
    if Path(text).name != MANIFEST:
        fix = f"give {', '.join(DATASETS)}, or the path of a {MANIFEST}"
        raise ConfigError(f"no corpus {text!r}", where="--dataset", fix=fix)
    return read_manifest(Path(text))
