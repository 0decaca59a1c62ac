"""Show the page of a word in a notebook."""

from collections.abc import Sequence
from pathlib import Path

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATASETS, Dataset
from wsd.artifacts.training_set import FULL
from wsd.errors import DamageError, ResultError
from wsd.fitted.selected_results import Results
from wsd.inference.run_figures import framed
from wsd.report.pages.load_report import ReportInputs, load_report
from wsd.report.pages.word import portable_page
from wsd.report.tables import PATHS, PER_MODEL
from wsd.storage.checksums import checksum
from wsd.storage.file_names import file_name

HEIGHT = 900  # pixels


class WordPage:
    """The page of a word.

    Attributes
    ----------
    path : Path
        ``webbrowser.open(page.path.as_uri())`` opens it in a browser.
    """

    def __init__(self, path: Path, html: str) -> None:
        self.path, self._html = path.absolute(), html

    def __repr__(self) -> str:
        return f"WordPage({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return framed(self._html, HEIGHT)


def word_page(results: Results, word: str, model: str) -> WordPage:
    """Return the page of a word in the report, after comparing its checksum.

    Raises
    ------
    ResultError
        If the run has no such page, or the page is damaged.
    """
    first = results.map.config["models"][0]["name"]
    name = f"report/words/{'' if model == first else f'{model}/'}{file_name(word)}.html"
    path, noted = results.map.path.parent / name, results.map.published.get(name)
    if noted is None or not path.is_file():
        fix = f"run `{results.map.command}` again"
        raise ResultError(f"this run has no page of {word!r}", where=str(path), fix=fix)
    if checksum(path) != noted:
        raise DamageError("the page has changed since it was written", path=path)
    view = results.map.config["views"]["classify"][0]
    methods = [(method, view) for method in results.map.config["projections"]]
    projections = [name for folders in methods for name in files_of(results, model, *folders)]
    report = load_report(report_inputs(results, model, results.corpus(word), view, projections))
    return WordPage(path, portable_page(report, model, report.words[model][word]))


def files_of(results: Results, model: str, *folders: str) -> list[str]:
    """Return the names of a model's files in a folder of projections, predictions or neighbours."""
    folder = "/".join([model, *folders])
    return [name for name in results.map.files if Path(name).parent.as_posix() == folder]


def report_inputs(
    results: Results, model: str, corpus: Corpus, view: str, projections: Sequence[str]
) -> ReportInputs:
    """Return the files of a report with one model and one word.

    Parameters
    ----------
    results : Results
    model : str
    corpus : Corpus
        Of the word.
    view : str
    projections : sequence of str
        Names in the run's map.
    """
    files = results.map
    shown = {Path(name).stem for name in projections}
    predictions = files_of(results, model, "predictions", FULL, view)
    predictions = [name for name in predictions if Path(name).name.partition(".")[0] in shown]
    tables = PATHS | {name: f"{model}/{name}.csv" for name in PER_MODEL}
    name = str(files.config["dataset"])
    unknown = Dataset(name, name, source="", licence="", licence_url="", citation="")
    return ReportInputs(
        dataset=results.dataset or DATASETS.get(name, unknown),
        corpora={corpus.word: corpus},
        predictions=[*map(files.file, predictions)],
        projections=[*map(files.file, projections)],
        neighbours=[*map(files.file, files_of(results, model, "neighbours", view))],
        tables={name: [files.file(path)] for name, path in tables.items() if files.has(path)},
        provenance=files.file("sources.json"),
        view=view,
        text=bool(files.config["sentences"]),
        run={"config": files.config, "command": files.command},
    )
