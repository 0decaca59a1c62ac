"""The report: what a config's tables say, as pages that open from disk.

``index.html`` compares layer choices, one page per word and model shows its instances. The same
word pages are written a second time as single files, for viewers that open a page on its own.
Only tables are read, never a model or embeddings, so a report can be made again anywhere.
"""

import logging
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wsd.corpus import Corpus
from wsd.datasets import Dataset
from wsd.report import inputs, pages

log = logging.getLogger("wsd")


def build_report(
    *,
    dataset: Dataset,
    corpora: Mapping[str, Corpus],
    predictions: Sequence[Path],
    projections: Sequence[Path],
    scores: Path,
    summary: Path,
    provenance: Path,
    view: str,
    out: Path,
    portable: Path,
    comparison: Path | None = None,
) -> None:
    """Write the report's two folders, each replaced whole.

    Parameters
    ----------
    dataset : Dataset
        Named, licensed and cited on the pages.
    corpora : mapping of word to Corpus
    predictions, projections : sequences of Path
        Of any models; those of other views than ``view`` are ignored.
    scores, summary, provenance : Path
        Written by :func:`wsd.evaluation.evaluate`.
    view : str
        The view whose curves, tables and pictures are shown.
    out : Path
        Folder for ``index.html``, ``words/<model>/<word>.html`` and ``assets/``.
    portable : Path
        Folder for ``<model>/<word>.html``, each depending on no other file.
    comparison : Path, optional
        Written by :func:`wsd.comparison.compare`.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    report = inputs.load(
        dataset=dataset,
        corpora=corpora,
        predictions=predictions,
        projections=projections,
        scores=scores,
        summary=summary,
        provenance=provenance,
        view=view,
        comparison=comparison,
    )
    with ExitStack() as both:
        folder = both.enter_context(_replacing_folder(out))
        single = both.enter_context(_replacing_folder(portable))
        pages.write_assets(folder / "assets")
        total = sum(len(words) for words in report.words.values())
        done = 0
        for model, words in report.words.items():
            for word in words:
                pages.write_word(report, model, word, folder=folder, portable=single)
                done += 1
                log.info("page %d of %d: %s %s", done, total, model, word)
        pages.write_index(report, folder)
    log.info("report: %s", out / "index.html")


@contextmanager
def _replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder beside ``path``; put it in its place if the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        new, old = work / "new", work / "old"
        new.mkdir()
        yield new
        if path.exists():
            path.replace(old)
        new.replace(path)
    finally:
        shutil.rmtree(work, ignore_errors=True)
