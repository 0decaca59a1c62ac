"""Every config in the documentation has valid keys and values, over the default config."""

import re
from pathlib import Path

import pytest
from changed_config import of_absent_studies
from checkout import REPOSITORY

from wsd.run.config import validate
from wsd.run.config_files import read_configs

PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "config/README.md",
    *REPOSITORY.glob("docs/**/*.md"),
]
# Addresses that an example leaves out.
SHORTENED = ("hub: …, revision: …", f"hub: owner/name, revision: {'a' * 40}")


def examples() -> list[tuple[str, str]]:
    """Return the page and the text of each example."""
    found = []
    for page in sorted(PAGES):
        for text in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            found.append((page.relative_to(REPOSITORY).as_posix(), text))
    return found


@pytest.mark.parametrize(("page", "text"), examples(), ids=[page for page, _ in examples()])
def test_every_example_is_a_config(tmp_path: Path, page: str, text: str) -> None:
    (tmp_path / "example.yaml").write_text(text.replace(*SHORTENED), encoding="utf-8")
    config = read_configs([REPOSITORY / "config/config.yaml", tmp_path / "example.yaml"])
    if absent := of_absent_studies() & {*config, *config["analyses"]}:
        pytest.skip(f"the example asks for studies that are deleted: {absent}")
    validate(config)
