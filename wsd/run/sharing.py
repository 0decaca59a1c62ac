"""Which runs of a dataset make each other's shared files again, and by which settings.

Runs share vectors, folds and predictions. Their files are named by model, training set, view, layer
choice and classifier; whatever else decides them should be the same in all runs. Where it is not,
each run makes them again for itself, which is right and slow: so it is said.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from wsd.artifacts.gloss_vectors import NO_GLOSSES
from wsd.artifacts.reserved_names import check_case
from wsd.artifacts.runs import PROVENANCE, RUNS, called, runs_with, tables_of
from wsd.artifacts.training_set import FULL
from wsd.errors import WsdError
from wsd.run.entries import ModelEntry
from wsd.run.settings import Config
from wsd.storage.json import read_json

WHOLE = ("dataset", "at_least", "words", "tuning", "seed", "device")
# Lists of entries with a name, by which their files are named.
NAMED = ("models", "classifiers", "systems")


def made_with(tables: Path) -> Mapping[str, Any] | None:
    """The config that a run's tables were made with; None where there are none, or damaged ones."""
    with suppress(WsdError, KeyError, TypeError):
        return dict(read_json(tables / PROVENANCE)["config"])
    return None


def check_folders(config: Config, results: Path) -> None:
    """Refuse a name whose folder this disk takes for that of another name, by case alone.

    Raises
    ------
    ConfigError
    """
    dataset = results / config.dataset.name
    check_case(results, config.dataset.name, "config key dataset.name")
    check_case(dataset / RUNS, config.run, "config key run")
    for name in config.encoders:
        check_case(dataset, name, f"config key models, {name}")


def clashes(config: Config, said: Mapping[str, Any], results: Path) -> Iterator[str]:
    """The other runs that a config would make shared files again with, a sentence each.

    Parameters
    ----------
    config : Config
    said : mapping
        The same as it was read.
    results : Path
        Folder of all results.
    """
    dataset = results / config.dataset.name
    for run in runs_with(dataset, PROVENANCE):
        made = made_with(tables_of(dataset, run)) if run != config.run else None
        if made and (keys := differing(said, made)):
            yield (
                f"{called(run)} of {dataset} has other {', '.join(keys)}: vectors or predictions "
                "that both use are made again when one of them follows the other"
            )


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The keys of two configs, as they were read, that decide shared files and are not alike."""
    found = [key for key in WHOLE if one.get(key) != other.get(key)]
    found += ["views.store"] if _stored(one) != _stored(other) else []
    for key in NAMED:
        mine, theirs = _by_name(one, key), _by_name(other, key)
        for name in mine:
            if unlike := _unlike(mine[name], theirs.get(name, mine[name])):
                found.append(f"{key} {name} ({', '.join(unlike)})")
    glosses = {of.get("glosses", NO_GLOSSES) for of in (one, other)} - {NO_GLOSSES}
    found += ["glosses"] if len(glosses) > 1 else []
    found += ["finetune"] if _trained(one, other) else []
    # The further training sets of a feature set are one job.
    further = [{*of.get("trains", ())} - {FULL} for of in (one, other)]
    return [*found, "trains"] if all(further) and further[0] != further[1] else found


def _trained(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both train encoders on one training set, and differently."""
    tuned = [dict(of["finetune"]) for of in (one, other) if of.get("finetune")]
    trains = [{*of.pop("trains", [FULL])} for of in tuned]
    return len(tuned) == 2 and bool(trains[0] & trains[1]) and tuned[0] != tuned[1]


def _stored(config: Mapping[str, Any]) -> Any:
    return config.get("views", {}).get("store")


def _by_name(config: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    """The entries of a list, with the defaults of what they leave out."""
    fields = ModelEntry.model_fields if key == "models" else {}
    defaults = {name: None if of.is_required() else of.default for name, of in fields.items()}
    return {entry["name"]: {**defaults, **entry} for entry in config.get(key, ())}


def _unlike(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The keys of two entries of one name that are not alike."""
    return sorted(key for key in {**one, **other} if one.get(key) != other.get(key))
