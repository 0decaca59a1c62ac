"""Run a notebook of docs/ in a real kernel, and store its outputs.

``python tests/helpers/notebooks.py docs/course.ipynb FOLDER`` runs a notebook in a folder, and
writes the outputs into it, but not figures and pages, which are large.
"""

import copy
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient

HTML = "text/html"


def execute(
    notebook: nbformat.NotebookNode, folder: Path, python: Path | str = sys.executable
) -> nbformat.NotebookNode:
    """Return a copy of a notebook, run in a folder by a kernel of ``python``."""
    ran = copy.deepcopy(notebook)
    with TemporaryDirectory() as folders, patch.dict(os.environ, JUPYTER_PATH=folders):
        kernel = Path(folders, "kernels/own/kernel.json")
        kernel.parent.mkdir(parents=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel.write_text(json.dumps({"argv": argv, "display_name": "own", "language": "python"}))
        where = {"metadata": {"path": str(folder)}}
        NotebookClient(ran, timeout=600, kernel_name="own", resources=where).execute()
    return ran


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_frame(output: Any) -> bool:
    """Return whether an output is a figure or a page, in a frame of its own."""
    return "<iframe" in output.get("data", {}).get(HTML, "")


def text_of(cell: nbformat.NotebookNode) -> str:
    """Return a cell's output without frames, and without warnings, which depend on the machine."""
    return " ".join(
        entry.text if entry.output_type == "stream" else entry.data["text/plain"]
        for entry in cell.outputs
        if entry.get("name") != "stderr" and not is_frame(entry)
    )


def main(path: Path, folder: Path) -> None:
    """Run a notebook in a folder, and write its outputs without frames."""
    ran = execute(nbformat.read(path, as_version=4), folder)
    for cell in code_cells(ran):
        kept = [out for out in cell.outputs if out.get("name") != "stderr" and not is_frame(out)]
        cell.outputs, cell.metadata = kept, {}
    nbformat.write(ran, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
