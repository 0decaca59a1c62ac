"""Write a report as one file: its index, and its other pages and tables packed.

The file's script (``one-file.js``) unpacks the page that the address names. It works from disk, and
its content security policy names the hash of every script.
"""

import re
from pathlib import Path, PurePath

from markupsafe import escape

from wsd.logs import log
from wsd.report.pages.render import asset, pack, policy_of_hashes
from wsd.storage.atomic import write_text

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
        Has ``index.html``, other pages, ``assets/`` and tables.
    file : Path
    """
    paths = [path for name in FILES for path in sorted(folder.glob(name))]
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
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
