"""Commands in the documentation have known names and options, and its configs are valid."""

import re
import shlex
from pathlib import Path

import pytest
from changed_config import of_absent_studies
from checkout import REPOSITORY

from wsd import cli
from wsd.commands import COMMANDS
from wsd.run.config import validate
from wsd.run.config_files import read_configs

PAGES = [
    *REPOSITORY.glob("*.md"),
    *REPOSITORY.glob("[a-z]*/README.md"),
    *REPOSITORY.glob("docs/**/*.md"),
]
FENCE = re.compile(r"^```(?:bash|sh|shell|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown_commands() -> list[tuple[str, str]]:
    """Return the page and the text of every command."""
    found = []
    for page in sorted(PAGES):
        for fence in FENCE.findall(page.read_text(encoding="utf-8")):
            for line in fence.replace("\\\n", " ").splitlines():
                if re.match(r"(\$ )?(wsd|snakemake|make) ", line):
                    found.append((str(page.relative_to(REPOSITORY)), line.removeprefix("$ ")))
    return found


@pytest.mark.parametrize(("page", "command"), shown_commands())
def test_a_shown_command_is_valid(page: str, command: str) -> None:
    program, *words = shlex.split(command, comments=True)
    words = words[: next((i for i, word in enumerate(words) if word in "|>&&;"), None)]
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
        assert {word for word in words if "=" not in word} <= {*targets}
    elif program == "snakemake":
        configs = [word for word in words if re.match(r"config/.*\.yaml$", word)]
        assert all((REPOSITORY / config).exists() for config in configs)
    elif words[0] not in COMMANDS and of_absent_studies():
        pytest.skip("the command of a deleted study")
    else:
        cli.parser()[0].parse_args(words)


# Addresses that an example leaves out.
SHORTENED = ("hub: …, revision: …", f"hub: owner/name, revision: {'a' * 40}")
CONFIGS = [
    (page.relative_to(REPOSITORY).as_posix(), text)
    for page in sorted(PAGES)
    for text in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]
assert len(shown_commands()) > 20 and len(CONFIGS) > 5


@pytest.mark.parametrize(("page", "text"), CONFIGS, ids=[page for page, _ in CONFIGS])
def test_a_shown_config_is_valid(tmp_path: Path, page: str, text: str) -> None:
    (tmp_path / "example.yaml").write_text(text.replace(*SHORTENED), encoding="utf-8")
    config = read_configs([REPOSITORY / "config/config.yaml", tmp_path / "example.yaml"])
    if absent := of_absent_studies() & {*config, *config["analyses"]}:
        pytest.skip(f"the example asks for studies that are deleted: {absent}")
    validate(config)
