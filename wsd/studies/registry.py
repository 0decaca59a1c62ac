"""Register the studies. To remove a study, remove its line here, its folder and its rules."""

from importlib import import_module

from wsd.studies.base import Config, Study

NAMES = (
    "control_task",
    "substitutes",
    "glosses",
    "finetuning",
    "geometry",
    "audit",
    "code_length",
    "systems",
    "pairs",
    "unlabelled",
    "change",
    "board",
)


STUDIES: dict[str, Study] = {
    name: import_module(f"wsd.studies.{name}.study").STUDY for name in NAMES
}


def studies_of(config: Config) -> list[Study]:
    """Return the studies that are part of a run of a config."""
    return [study for study in STUDIES.values() if study.applies(config)]


def extensions(command: str) -> list[str]:
    """Return the names of the studies' modules that extend a command of the core."""
    return [
        f"wsd.studies.{study.name}.{study.extends[command]}"
        for study in STUDIES.values()
        if command in study.extends
    ]
