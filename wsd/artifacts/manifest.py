"""Read the manifest of a corpus, and find the corpus that a user names."""

import json
from pathlib import Path
from typing import Any

from wsd.artifacts import dataset as corpora
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset
from wsd.artifacts.reserved_names import WITH_MANIFEST
from wsd.artifacts.senses import parse_sense_texts
from wsd.errors import ConfigError, CorpusError, visible
from wsd.storage.file_names import file_name
from wsd.storage.result_files import require


def read_manifest(path: Path, *, name: str | None = None, title: str | None = None) -> Dataset:
    """Return the corpus of a manifest that ``wsd import`` wrote.

    Parameters
    ----------
    path : Path
        The path of ``dataset.json``. The corpus's files lie in the same folder.
    name, title : str, optional
        Replacements of the manifest's name and title.

    Raises
    ------
    CorpusError
        If the file is missing, or is not a manifest.
    """
    fix = "make the folder with `wsd import FILE --out FOLDER --name NAME`"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        dataset = _parse(manifest, path.parent, name, title)
    except (OSError, RecursionError) as error:
        raise CorpusError(f"no manifest of a corpus: {error}", where=str(path), fix=fix) from None
    except (AttributeError, KeyError, TypeError, ValueError, ConfigError) as error:
        problem = f"not the manifest of a corpus: {type(error).__name__} {error}"
        raise CorpusError(problem, where=str(path), fix=fix) from None
    # A step of the workflow writes these manifests, with reserved names.
    if dataset.name not in WITH_MANIFEST:
        corpora.check_name(dataset.name, str(path))
    return dataset


def read_given(forms: Any) -> dict[str, tuple[str, ...]]:
    """Return the user's forms of words in a manifest."""
    words = {word: tuple(texts) for word, texts in dict(forms).items()}
    shown = all(text and _is_shown(text) for texts in words.values() for text in texts)
    require(shown, "a form is not a text")
    return words


def _is_shown(text: Any) -> bool:
    return isinstance(text, str) and visible(text) == text


def _parse(manifest: Any, folder: Path, name: str | None, title: str | None) -> Dataset:
    version = manifest["format"]
    require(version == corpora.FORMAT, f"its format is {version!r}, not {corpora.FORMAT}")
    texts = {key: manifest[key] for key in ("name", *corpora.ABOUT)}
    texts |= {k: v for k, v in (("name", name), ("title", title)) if v is not None}
    language = manifest.get(corpora.LANGUAGE, corpora.ENGLISH)
    left_out = dict(manifest.get("left_out", {}))
    shown = all(map(_is_shown, (*texts.values(), language, *left_out)))
    require(shown, "a value is not a text, or has a character that cannot be seen")
    # The address becomes a link on the pages.
    address = texts["licence_url"]
    require(not address or address.startswith(("https://", "http://")), "licence_url is not a link")
    of_pairs = "pairs" in manifest
    of_sentences = dict.fromkeys(corpora.COUNTS, 0) | {"n_train": manifest.get("sentences")}
    words = {corpora.SENTENCES: of_sentences} if of_pairs else manifest["words"]
    counts = {
        # Older manifests lack the number of folds.
        word: {key: about[key] for key in (*corpora.COUNTS, *({"most_folds"} & {*about}))}
        for word, about in words.items()
    }
    numbers = [*left_out.values(), *(n for count in counts.values() for n in count.values())]
    valid = words and all(type(number) is int and number >= 0 for number in numbers)
    require(valid, "no words, or an invalid number")
    labelled = manifest.get("labelled", True) is not False and not of_pairs
    digests = dict(manifest["files"])
    expected = set(corpora.OF_PAIRS) if of_pairs else corpora.files_of(counts, labelled=labelled)
    files = (*corpora.DOCUMENTS, *corpora.EXTRA) if labelled else (corpora.EXTRA_UNLABELLED,)
    optional = {f"{file_name(word)}/{file}" for word in words for file in files}
    optional |= {corpora.EXTRA_FURTHER} if labelled else {corpora.JUDGMENTS, corpora.CHANGE}
    require(expected <= set(digests) <= expected | optional, "its files do not match its words")
    return Dataset(
        **texts,
        folder=folder,
        counts=counts,
        digests=digests,
        given={w: parse_sense_texts(w, about.get("senses", {})) for w, about in words.items()},
        labelled=labelled,
        of_pairs=of_pairs,
        left_out=left_out,
        language=language,
        forms=read_given(manifest.get(corpora.FORMS, {})),
    )


def dataset_of_results(folder: Path) -> Dataset:
    """Return the corpus of a folder ``results/<dataset>``.

    Raises
    ------
    CorpusError
        If the corpus is not built in, and there is no manifest.
    """
    manifest = folder / "source" / MANIFEST
    # Some built-in corpora have a manifest, with further facts.
    if folder.name in DATASETS and not manifest.exists():
        return DATASETS[folder.name]
    return read_manifest(manifest)


def find_dataset(text: str) -> Dataset:
    """Return the corpus for the name of a built-in corpus or the path of a manifest.

    Raises
    ------
    ConfigError
        If the text is neither.
    CorpusError
        If the file is not a manifest.
    """
    if text in DATASETS:
        return DATASETS[text]
    if Path(text).name != MANIFEST:
        fix = f"give {', '.join(DATASETS)}, or the path of a {MANIFEST}"
        raise ConfigError(f"no corpus {text!r}", where="--dataset", fix=fix)
    return read_manifest(Path(text))
