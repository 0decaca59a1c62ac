"""Read the data of pages and their figures."""

from pathlib import Path
from typing import Any

from report_builder import Page


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def sources_of(item: Any) -> list[dict[str, Any]]:
    """Return the columns of each line of a figure, with the line's name."""
    sources: dict[str, dict[str, Any]] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("name") == "ColumnDataSource" and "attributes" in value:
                attributes = value["attributes"]
                data = attributes["data"]
                columns = dict(data["entries"] if isinstance(data, dict) else data)
                name = (attributes.get("name") or "").removeprefix("line-")
                sources[value["id"]] = {**columns, "name": name}
            for entry in value.values():
                walk(entry)
        elif isinstance(value, list):
            for entry in value:
                walk(entry)

    walk(item)
    return [columns for columns in sources.values() if columns["name"]]


def lines_of(page: Page, figure: str) -> dict[str, dict[str, list[Any]]]:
    """Return the columns of the first line of each name."""
    return {columns["name"]: columns for columns in reversed(sources_of(page.json(figure)))}


def parts_of(item: Any, name: str) -> list[dict[str, Any]]:
    """Return the attributes of all models of a kind in a plot."""
    if isinstance(item, list):
        return [result for entry in item for result in parts_of(entry, name)]
    if not isinstance(item, dict):
        return []
    own = [item["attributes"]] if item.get("name") == name and "attributes" in item else []
    return own + [result for value in item.values() for result in parts_of(value, name)]
