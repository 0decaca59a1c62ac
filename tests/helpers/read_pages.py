"""Read the data of pages and their figures."""

from pathlib import Path
from typing import Any

from report_builder import Page


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def sources_of(item: Any) -> list[dict[str, Any]]:
    """Return the columns of each distinct data source of a figure."""
    columns_by_id: dict[str, dict[str, Any]] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("name") == "ColumnDataSource" and "attributes" in value:
                data = value["attributes"]["data"]
                columns_by_id[value["id"]] = dict(
                    data["entries"] if isinstance(data, dict) else data
                )
            for entry in value.values():
                walk(entry)
        elif isinstance(value, list):
            for entry in value:
                walk(entry)

    walk(item)
    return [columns for columns in columns_by_id.values() if columns.get("name")]


def lines_of(page: Page, figure: str) -> dict[str, dict[str, list[Any]]]:
    """Return the columns of each line in a figure, by name."""
    lines: dict[str, dict[str, list[Any]]] = {}

    def search(value: Any) -> None:
        if isinstance(value, dict):
            if {"x", "y", "name", "label"} <= {*value}:
                lines.setdefault(value["name"][0], value)
            for entry in value.values():
                search(entry)
        elif isinstance(value, list):
            if (
                value
                and all(isinstance(e, list) and len(e) == 2 for e in value)
                and isinstance(value[0][0], str)
            ):
                search(dict(value))
            for entry in value:
                search(entry)

    search(page.json(figure))
    return lines
