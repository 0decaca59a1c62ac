"""What the documentation site has besides docs/*.md: a hook of MkDocs (mkdocs.yml).

Pages that lie elsewhere in the repository are taken from there; the reference of the commands is
made from the parser, that of the library from the docstrings, the page on the library from its
notebook. Links are turned to where a page is on the site. A page in docs/ that the navigation does
not name becomes one of the how-tos.
"""

import argparse
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
# In the repository -> on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "config/README.md": "reference/config.md",
    "results/README.md": "reference/files.md",
    "bench/README.md": "benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
NOTEBOOK, LIBRARY = "docs/library.ipynb", "library.md"
COMMANDS, API = "reference/commands.md", "reference/api"
HOW_TO = "How to"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation: how-tos that it does not name, and a page per module."""
    assert config.nav is not None
    named = str(config.nav)
    pages = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    for entry in config.nav:
        if HOW_TO in entry:
            entry[HOW_TO] = [page for page in pages if f"'{page}'" not in named]
        if "Reference" in entry:
            rooms: dict[str, list[dict[str, str]]] = {}
            for name in _modules():
                rooms.setdefault(name.split(".")[0], []).append({name: f"{API}/{name}.md"})
            entry["Reference"].append(
                {"Library": [f"{API}/index.md", *({k: v} for k, v in rooms.items())]}
            )
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    made = {target: (ROOT / source).read_text() for source, target in ELSEWHERE.items()}
    made[LIBRARY] = notebook(ROOT / NOTEBOOK)
    made[COMMANDS] = commands()
    made[f"{API}/index.md"] = _public()
    for name in _modules():
        made[f"{API}/{name}.md"] = f"# wsd.{name}\n\n::: wsd.{name}\n"
    for target, text in made.items():
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository to pages of the site."""
    here = page.file.src_uri
    source = next((s for s, target in ELSEWHERE.items() if target == here), f"docs/{here}")

    def turned(found: re.Match[str]) -> str:
        image, text, link, anchor = found.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        target = ELSEWHERE.get(path, path.removeprefix("docs/"))
        if path == NOTEBOOK:
            target = LIBRARY
        elif path not in ELSEWHERE and not path.startswith("docs/"):
            # A file that the site does not have: named, not linked. Anything else is an error.
            return text if (ROOT / path).exists() else found[0]
        there = posixpath.relpath(target, posixpath.dirname(here) or ".")
        return f"{image}[{text}]({there}{anchor or ''})"

    return markdown if here.startswith(API) else _LINK.sub(turned, markdown)


def notebook(path: Path) -> str:
    """A notebook as Markdown, with the outputs that it holds."""
    parts = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [f"```text\n{text.rstrip()}\n```" for text in outputs(cell)]
    return "\n\n".join(parts) + "\n"


def outputs(cell: Any) -> list[str]:
    """What a cell printed, and its last value."""
    return [
        one.text if one.output_type == "stream" else one.data["text/plain"] for one in cell.outputs
    ]


def commands() -> str:
    """The reference of the commands, in the groups of `wsd --help`."""
    whole, each = command_line()
    parts = ["# Commands", str(whole.description), _arguments(whole, "wsd [OPTIONS] COMMAND …")]
    for group, names in GROUPS.items():
        parts.append(f"## {group.capitalize()}")
        for name in names:
            each[name].fill()
            usage = f"wsd {name} …"
            parts += [f"### wsd {name}", str(each[name].description), _arguments(each[name], usage)]
    return "\n\n".join(parts) + "\n"


def _arguments(parser: argparse.ArgumentParser, usage: str) -> str:
    rows = ["| argument | value | meaning |", "| --- | --- | --- |"]
    for action in parser._actions:
        if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
            continue
        names = " ".join(f"`{name}`" for name in action.option_strings or [action.dest.upper()])
        said = [action.help or ""]
        if action.required and action.option_strings:
            said.append("**required**")
        if action.default not in (None, [], False, argparse.SUPPRESS) and "default" not in said[0]:
            # How many cores this machine has is no default to write down.
            shown = "the number of cores" if action.dest in ("cores", "threads") else action.default
            said.append(f"default: {shown}")
        rows.append(f"| {names} | {_value(action)} | {'; '.join(filter(None, said))} |")
    return f"```\n{usage}\n```\n\n" + "\n".join(rows)


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices:
        return ", ".join(f"`{choice}`" for choice in action.choices)
    shown = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return f"`{shown}`" + (" …" if action.nargs in ("+", "*") else "")


def _modules() -> list[str]:
    """Modules with something public to read about, by their dotted names."""
    package = ROOT / "wsd"
    found = [path.relative_to(package).with_suffix("") for path in package.rglob("*.py")]
    return sorted(".".join(path.parts) for path in found if not path.name.startswith("__"))


def _public() -> str:
    homes = {name: getattr(wsd, name).__module__ for name in wsd.__all__}
    rows = [
        f"| `{name}` | [{module}]({module.removeprefix('wsd.')}.md) |"
        for name, module in homes.items()
    ]
    text = "`from wsd import …` gives these; each is imported when it is first asked for."
    return "\n".join(["# Library", "", text, "", "| name | module |", "| --- | --- |", *rows, ""])
