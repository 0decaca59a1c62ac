"""Show the page of a word in a notebook."""

from pathlib import Path

from wsd.errors import DamageError, ResultError
from wsd.fitted.selected_results import Results
from wsd.inference.run_figures import framed
from wsd.storage.checksums import checksum
from wsd.storage.file_names import file_name

HEIGHT = 900  # pixels


class WordPage:
    """The page of a word, as one file.

    Attributes
    ----------
    path : Path
        ``webbrowser.open(page.path.as_uri())`` opens it in a browser.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def __repr__(self) -> str:
        return f"WordPage({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return framed(self.path.read_text(encoding="utf-8"), HEIGHT)


def word_page(results: Results, word: str, model: str) -> WordPage:
    """Return the page of a word, after comparing its checksum.

    Raises
    ------
    ResultError
        If the run has no such page, or the page is damaged.
    """
    name = f"portable/{model}/{file_name(word)}.html"
    path, noted = results.map.path.parent / name, results.map.published.get(name)
    if noted is None or not path.is_file():
        fix = f"run `{results.map.command}` again"
        raise ResultError(f"this run has no page of {word!r}", where=str(path), fix=fix)
    if checksum(path) != noted:
        raise DamageError("the page has changed since it was written", path=path)
    return WordPage(path)
