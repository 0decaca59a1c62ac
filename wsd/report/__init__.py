"""The report: what a config's tables say, as pages that open from disk.

``index.html`` has the answer and the words, ``layers.html`` compares layer choices, one page per
word shows its instances, ``errors.html`` what systems from elsewhere get wrong, ``data/`` has the
tables. The word pages are written a second time as single files, for viewers that open a page on
its own. Only tables are read, never a model or embeddings, so a report can be made again anywhere.
"""

import logging
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from wsd.files import replacing_folder
from wsd.report.index import write_index
from wsd.report.inputs import load
from wsd.report.layers import write_layers
from wsd.report.mistakes import write_errors
from wsd.report.render import write_assets
from wsd.report.word import write_word
from wsd.sheets import write_csv

log = logging.getLogger("wsd")

# Tables that lie together, behind the comparison.
BEHIND = (
    *("controls", "differences", "best-set", "errors", "learning"),
    *("layers", "word-layers", "model-layers"),
)


def build_report(*, out: Path, portable: Path, **given: Any) -> None:
    """Write the report's two folders, each replaced whole.

    Parameters
    ----------
    out : Path
        Folder for ``index.html``, ``layers.html``, ``words/``, ``assets/`` and ``data/``; and
        ``errors.html``, if there are systems from elsewhere.
    portable : Path
        Folder for ``<model>/<word>.html``, each depending on no other file.
    **given
        What the pages show, as :func:`wsd.report.inputs.load` takes it.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    report = load(**given)
    with ExitStack() as both:
        folder = both.enter_context(replacing_folder(out))
        single = both.enter_context(replacing_folder(portable))
        write_assets(folder / "assets")
        total = sum(len(words) for words in report.words.values())
        done = 0
        for model, words in report.words.items():
            for word in words:
                write_word(report, model, word, folder=folder, portable=single)
                done += 1
                log.info("page %d of %d: %s %s", done, total, model, word)
        write_index(report, folder)
        write_layers(report, folder)
        write_errors(report, folder)
        for name, table in report.tables.items():
            if len(table):
                write_csv(folder / "data" / f"{name}.csv", table)
    log.info("report: %s", out / "index.html")
