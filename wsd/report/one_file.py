"""Write a report as one file, for sending: its index, and its other pages and tables packed.

The file's script (``one-file.js``) unpacks the page that the address names. It works from disk, and
its content security policy names the hash of every script.
"""

import argparse
import re
from pathlib import Path, PurePath

from markupsafe import escape

from wsd.arguments import add_out
from wsd.errors import ConfigError, ResultError
from wsd.logs import log
from wsd.report.pages.render import asset, pack, policy_of_hashes
from wsd.storage.atomic import write_text

# In the head of every page.
GENERATOR = b'<meta name="generator" content="wsd report">'
# The files of a report's folder.
FILES = ("**/*.html", "assets/*", "data/*.csv")
POLICY = re.compile(r'(?<=<meta http-equiv="Content-Security-Policy" content=")[^"]*')
SCRIPT = re.compile(r'<script defer src="assets/([^"]*)"></script>\n')
STYLE = '<link rel="stylesheet" href="assets/style.css">'
# Do not show the index before another page takes its place.
HIDE = "document.documentElement.hidden = location.search.length > 1;"


def write_one_file(folder: Path, file: Path) -> None:
    """Write the report of a folder as one HTML file.

    Parameters
    ----------
    folder : Path
        Has ``index.html``, other pages, ``assets/`` and ``data/``.
    file : Path

    Raises
    ------
    ResultError
        If the folder has no report, or a report of another version of wsd.
    """
    paths = [path for name in FILES for path in sorted(folder.glob(name))]
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
    if "index.html" not in texts or texts.get("assets/page.js") != asset("page.js"):
        problem = f"{folder} has no report of this version of wsd"
        fix = "name the folder of a report's index.html, or write the report again"
        raise ResultError(problem, where=str(folder), fix=fix)
    index, style = texts.pop("index.html"), texts.pop("assets/style.css")
    scripts = {PurePath(name).name: texts.pop(name) for name in list(texts) if name.endswith(".js")}
    start = asset("page.js") + asset("one-file.js")
    content = {"scripts": {"scripts": scripts, "ofIndex": SCRIPT.findall(index)}, **texts}
    packed = "".join(
        f'<script type="text/plain" data-file="{escape(name)}">{pack(value)}</script>\n'
        for name, value in content.items()
    )
    policy = policy_of_hashes(HIDE, start, *scripts.values())
    page = SCRIPT.sub("", index).replace(STYLE, f"<style>{style}</style><script>{HIDE}</script>")
    page = POLICY.sub(lambda _: policy, page)
    end = f"{packed}<script>{start}</script>\n</body>"
    write_text(file, end.join(page.rsplit("</body>", 1)))
    log.info("report in one file: %s", file)


def check_replaceable(file: Path, option: str) -> None:
    """Refuse to replace a file that is not a page of a report.

    Raises
    ------
    ConfigError
    """
    if file.exists() and not is_page(file):
        problem = f"{file} exists, and is not a page of a report"
        fix = "name a file that does not exist yet, or an earlier report in one file"
        raise ConfigError(problem, where=option, fix=fix)


def is_page(path: Path) -> bool:
    """Return whether a file is a page of a report."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return GENERATOR in file.read(1000)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("report", type=Path, help="folder of the report's index.html")
    add_out(parser, "the report in one file", ".html")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_replaceable(args.out, "--out")
    write_one_file(args.report, args.out)
