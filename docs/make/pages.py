"""Complete the documentation site: a hook of MkDocs (mkdocs.yml).

- Pages that lie elsewhere in the repository join the site (``ELSEWHERE``).
- Each folder of docs/ is a section of the navigation. A new page needs no entry, and a deleted page
  leaves none behind.
- The reference of the commands, the reference of the library and the pages of the notebooks are
  generated: from the parser, the docstrings and the notebooks.
- The quickstart's report becomes the folder demo/, and the board the folder board/, if they exist.
- Links between files of the repository become links between pages of the site.
"""

import argparse
import json
import posixpath
import re
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import wsd
from wsd.cli import parser as command_line
from wsd.commands import GROUPS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Section of the navigation -> folder of docs/ whose pages it lists.
SECTIONS = {
    "How to": "how-to",
    "Findings": "findings",
    "Explanation": "explanation",
    "Reference": "reference",
}
# In the repository -> on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "config/README.md": "reference/config.md",
    "results/README.md": "reference/files.md",
    "bench/README.md": "reference/benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "docs/library.ipynb": "library.md",
    "docs/course.ipynb": "course.md",
}
COMMANDS, API = "reference/commands.md", "reference/api"
# Folders of the site with pages that `wsd` wrote; the config says where they are.
WRITTEN = ("demo", "board")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation with each folder's pages, the public names, and a page per module."""
    assert config.nav is not None
    named = str(config.nav)
    for entry in config.nav:
        ((section, pages),) = entry.items()
        if section in SECTIONS:
            paths = sorted((DOCS / SECTIONS[section]).glob("*.md"))
            names = [path.relative_to(DOCS).as_posix() for path in paths]
            pages += [name for name in names if f"'{name}'" not in named]
        if section == "Reference":
            rooms: dict[str, list[dict[str, str]]] = {}
            for name in _modules():
                rooms.setdefault(name.split(".")[0], []).append({name: f"{API}/{name}.md"})
            pages.append({"Library": f"{API}/index.md"})
            pages.append({"Modules": [{room: names} for room, names in rooms.items()]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are generated or lie outside docs/, the demo and the board."""
    pages = {
        target: (ROOT / source).read_text()
        for source, target in ELSEWHERE.items()
        if source.endswith(".md")
    }
    for name in ("library", "course"):
        pages[f"{name}.md"] = notebook(DOCS / f"{name}.ipynb")
    pages[COMMANDS] = commands()
    pages[f"{API}/index.md"] = _public()
    for name in _modules():
        pages[f"{API}/{name}.md"] = _module(f"wsd.{name}")
    for target, text in pages.items():
        files.append(File.generated(config, target, content=text))
    for name in WRITTEN:
        folder = ROOT / config.extra[name]
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            target = f"{name}/{path.relative_to(folder).as_posix()}"
            files.append(File.generated(config, target, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site.

    A link to a file that the site lacks, to a how-to page that was deleted with its study, or to a
    demo or board that was not written, becomes text.
    MkDocs reports every other link that leads nowhere.
    """
    here = page.file.src_uri
    source = next((path for path, target in ELSEWHERE.items() if target == here), f"docs/{here}")
    missing = [n for n in WRITTEN if files.get_file_from_path(f"{n}/index.html") is None]
    lacking = ("docs/how-to/", *(f"docs/{name}/" for name in missing))

    def site_link(match: re.Match[str]) -> str:
        image, text, link, anchor = match.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        exists = (ROOT / path).exists()
        if path not in ELSEWHERE:
            if exists and not path.startswith("docs/"):
                return text
            if not exists and path.startswith(lacking):
                return text
            if not path.startswith("docs/"):
                return match[0]
        target = ELSEWHERE.get(path, path.removeprefix("docs/"))
        relative = posixpath.relpath(target, posixpath.dirname(here) or ".")
        return f"{image}[{text}]({relative}{anchor or ''})"

    generated = here.startswith(API) or here == COMMANDS
    return markdown if generated else _LINK.sub(site_link, markdown)


def notebook(path: Path) -> str:
    """Return a notebook as Markdown, with the outputs that it holds."""
    parts = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [f"```text\n{text.rstrip()}\n```" for text in outputs(cell)]
    return "\n\n".join(parts) + "\n"


def outputs(cell: Any) -> list[str]:
    """Return what a cell printed, and its last value."""
    return [
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for output in cell.outputs
    ]


def commands() -> str:
    """Return the reference of the commands, in the groups of `wsd --help`."""
    program, parsers = command_line()
    parts = ["# Commands", str(program.description), _arguments(program, "wsd [OPTIONS] COMMAND …")]
    for group, names in GROUPS.items():
        parts.append(f"## {group.capitalize()}")
        for name in names:
            parser = parsers[name]
            parser.fill()
            usage = _arguments(parser, f"wsd {name} …")
            parts += [f"### wsd {name}", str(parser.description), usage]
    return "\n\n".join(parts) + "\n"


def _arguments(parser: argparse.ArgumentParser, usage: str) -> str:
    rows = ["| argument | value | meaning |", "| --- | --- | --- |"]
    for action in parser._actions:
        if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
            continue
        names = " ".join(f"`{name}`" for name in action.option_strings or [action.dest.upper()])
        meaning = [action.help or ""]
        if action.required and action.option_strings:
            meaning.append("**required**")
        if action.default not in (None, [], False, argparse.SUPPRESS) and (
            "default" not in meaning[0]
        ):
            # The default would be the number of cores of the machine that builds the site.
            cores = action.dest in ("cores", "threads")
            meaning.append(f"default: {'the number of cores' if cores else action.default}")
        rows.append(f"| {names} | {_value(action)} | {'; '.join(filter(None, meaning))} |")
    return f"```\n{usage}\n```\n\n" + "\n".join(rows)


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices:
        return ", ".join(f"`{choice}`" for choice in action.choices)
    shown = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return f"`{shown}`" + (" …" if action.nargs in ("+", "*") else "")


def _modules() -> list[str]:
    """Return the dotted names of all modules, `__init__` and `__main__` left out."""
    package = ROOT / "wsd"
    paths = [path.relative_to(package).with_suffix("") for path in package.rglob("*.py")]
    return sorted(".".join(path.parts) for path in paths if not path.name.startswith("__"))


def _homes() -> dict[str, str]:
    """Return the module of each name in `wsd.__all__`."""
    return {name: getattr(wsd, name).__module__ for name in wsd.__all__}


def _public() -> str:
    """Return the reference of the public names, from their docstrings."""
    intro = (
        "`from wsd import …` gives these names. They follow the "
        "[policy](../../contributing.md#versions) for versions. Everything in *Modules* may change "
        "in any release."
    )
    shown = "show_root_heading: true, show_root_toc_entry: true, show_root_full_path: false"
    names = [f"::: {home}.{name}\n    options: {{{shown}}}" for name, home in _homes().items()]
    return "\n\n".join(["# Library", intro, *names]) + "\n"


def _module(module: str) -> str:
    """Return the reference of a module, without public names: each has one place."""
    public = [name for name, home in _homes().items() if home == module]
    more = f"Public names are in the [library](index.md): {', '.join(public)}." if public else ""
    filters = json.dumps(["!^_", *(f"!^{name}$" for name in public)])
    return f"# {module}\n\n{more}\n\n::: {module}\n    options: {{filters: {filters}}}\n"
