"""The tutorial and the notebook do what they show."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import notebooks
import pytest
import snippets
from checkout import REPOSITORY, Checkout
from installed_wheel import Installed, install

TUTORIAL = REPOSITORY / "docs/tutorial.md"
NOTEBOOK_PAGE = REPOSITORY / "docs/how-to/notebook.md"


@pytest.fixture(scope="module")
def quickstart(
    minilm: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Installed, str]:
    """Run the quickstart in an empty folder, with the wheel alone; return also its messages."""
    program = install(wheel, tmp_path_factory.mktemp("installed"))
    before = {*program.environment.rglob("*.*")}
    done = program.call("wsd", "quickstart", "--cores", "2")
    written = {path.suffix for path in {*program.environment.rglob("*.*")} - before}
    assert written <= {".pyc"}
    return program, done.stdout + done.stderr


def test_no_fence_of_the_tutorial_is_left_out() -> None:
    text = TUTORIAL.read_text()
    actual = snippets.snippets(text)
    assert text.count("```python") + text.count("```sh") == len(actual) > 5
    assert text.count("```text") == sum(entry.shown is not None for entry in actual)
    others = text.count("```text") + text.count("```console") + text.count("```yaml")
    assert text.count("```") == 2 * (len(actual) + others)


@pytest.mark.slow
def test_the_wheel_runs_the_quickstart_in_an_empty_folder(
    quickstart: tuple[Installed, str],
) -> None:
    program, messages = quickstart
    page = program.folder / "results/quickstart/report/index.html"
    assert "Selected by cross-validation" in messages
    assert f"The pages: {page}\n" in messages and page.is_file()
    assert {path.name for path in program.folder.iterdir()} == {".snakemake", "results"}
    command = json.loads((page.parents[1] / "run.json").read_text())["command"]
    assert command == "wsd run --cores all --configfile config/quickstart.yaml"
    # That command has nothing to do.
    again = program.call(*command.split()).stderr
    assert "Nothing to be done" in again and f"The pages: {page}\n" in again


@pytest.mark.slow
@pytest.mark.parametrize("name", ["course", "library"])
def test_a_notebook_prints_its_stored_outputs(
    name: str, quickstart: tuple[Installed, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notebook runs in the folder and the environment of the wheel's quickstart."""
    program, _ = quickstart
    monkeypatch.delenv("PYTHONPATH", raising=False)
    shown = nbformat.read(REPOSITORY / f"docs/{name}.ipynb", as_version=4)
    ran = notebooks.execute(shown, program.folder, program.python)
    for before, after in zip(*map(notebooks.code_cells, (shown, ran)), strict=True):
        came = notebooks.text_of(after)
        assert snippets.same(notebooks.text_of(before), came), f"{before.source}\n{came}"
    if name == "library":
        return
    for cell in notebooks.code_cells(ran):
        # Each cell shows a value or a frame; tqdm may warn that Jupyter has no widgets.
        shows = [out for out in cell.outputs if out.get("name") != "stderr"]
        assert [out.output_type for out in shows] == ["execute_result"], cell.source
    frames = [out.data["text/html"] for cell in ran.cells for out in cell.get("outputs", ())
              if notebooks.is_frame(out)]  # fmt: skip
    for frame, text in zip(
        frames, ("Macro-F1 by layer", "layer choice 0", "layer choice 6", "crane"), strict=True
    ):
        assert text in frame


@pytest.mark.slow
def test_the_snippets_on_notebooks_run(
    quickstart: tuple[Installed, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(quickstart[0].folder)
    assert [came for _, came in snippets.run(NOTEBOOK_PAGE)] == ["", "", "(2, 7, 384)\n"]


@pytest.mark.slow
def test_every_snippet_of_the_tutorial_prints_what_is_shown(
    quickstart: tuple[Installed, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    text = TUTORIAL.read_text()
    (lab,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (checkout.root / "lab.yaml").write_text(lab)
    # The checkout goes on with the results of the wheel.
    shutil.copytree(quickstart[0].folder / "results", checkout.root / "results", symlinks=True)
    (command,) = re.findall(r"^snakemake (.*)$", text, re.MULTILINE)
    assert not {"corpus", "folds", "classify"} & {*checkout.run(*command.split()).jobs}
    monkeypatch.syspath_prepend(str(REPOSITORY / "docs/make"))
    import film_strip

    # README's picture: the same words and scores; points may differ in the last digit.
    drawn = film_strip.draw(film_strip.read(checkout.root / "results/quickstart/report/index.html"))
    texts = re.compile(r">([^<>]+)<")
    assert texts.findall(drawn) == texts.findall(film_strip.PICTURE.read_text())
    monkeypatch.chdir(checkout.root)
    for entry, came in snippets.run(TUTORIAL):
        assert snippets.same(entry.shown or "", came), f"{TUTORIAL}:{entry.line}: prints\n{came}"
