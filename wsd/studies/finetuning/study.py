"""What does training the encoder itself add to its frozen layers?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.studies.base import Costs, Kind, Outputs, Paths, Study, refused

if TYPE_CHECKING:
    from wsd.artifacts.config_section import Section
    from wsd.run.keys import Keys
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config, Model

OBJECTIVE, DEVICE = {"objective": "tuning.objective"}, {"device": "device"}
IDENTITY = tuple(
    f"models.{key}"
    for key in (
        *("path", "package", "hub", "revision", "sha256", "blocks", "width", "random_weights"),
        *("pooling", "input"),
    )
)
TRAINING = tuple(
    f"finetune.{key}" for key in ("rate", "epochs", "blocks", "steps", "seeds", "folds")
)
ROWS = ("finetune.trains", "finetune.seeds")
# The keys that an entry with `finetuned_from` may have; the others are those of its base.
OWN_KEYS = {"name", "finetuned_from", "blocks", "width"}
FILES = ("trials.csv", "costs.csv", "model/model.safetensors", "model.json")


class Finetuning(Study):
    """Declare the study to the run and to the command line."""

    name = "finetuning"
    commands = {
        "finetune": "Fine-tune an encoder on the words' senses and predict every word.",
    }
    kinds = {
        "finetune": Kind("finetune", {**OBJECTIVE, **DEVICE}, (*IDENTITY, *TRAINING), ("folds",)),
        # The vectors and the predictions of the encoder that was fine-tuned.
        "finetuned": Kind("embed", DEVICE, (), ("finetune", "predictions")),
    }
    feeds = {
        "scores": Kind("", {}, ROWS, ("finetune", "finetuned")),
        "comparison": Kind("", {}, (), ("finetune", "finetuned")),
        "strategies": Kind("", {}, ROWS, ("finetune",)),
    }

    def keys(self) -> type[Section]:
        """Return the config key ``finetune``."""
        from wsd.studies.finetuning.config import FinetuningKeys

        return FinetuningKeys

    def configure(self, file: Any, config: Config) -> Config:
        """Check settings and training sets, and add the encoders that fine-tuning makes."""
        if file.finetune is not None:
            _check(file, config)
        models = {
            entry.name: _trained(entry, f"models[{i}]", file, config)
            for i, entry in enumerate(file.models)
            if entry.finetuned_from is not None
        }
        sections = {**config.sections, "finetune": file.finetune}
        return replace(config, sections=sections, finetuned=models)

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return the names of the rows of fine-tuned encoders, one per seed."""
        from wsd.artifacts.column_names import FINETUNED

        seeds = file.finetune.seeds if file.finetune else []
        return {"classifiers": [f"{FINETUNED}-{seed}" for seed in seeds]}

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for fine-tuning."""
        return super().applies(config) and config.sections["finetune"] is not None

    def trains(self, config: Config) -> tuple[str, ...]:
        """Return the training sets that encoders are trained on, each draw by itself."""
        from wsd.artifacts.training_set import setting

        if not self.applies(config):
            return ()
        asked = {*config.sections["finetune"].trains}
        return tuple(train for train in config.trains if {train, setting(train)[0]} & asked)

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return each model as it is trained, as the wildcard ``base``."""
        if not self.applies(keys.config):
            return {"base": {}}
        grid = keys.config.sections["finetune"].model_dump(exclude={"trains"})
        models = keys.config.models.values()
        return {
            "base": {
                model.name: keys.key(
                    "finetune", grid, keys.identity(model), model.pooling, model.input
                )
                for model in models
            }
        }

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the folder of a training, its predictions, and the weights that it keeps."""
        folder = f"{places.store}/{{base}}/finetune/{{train}}"
        return {
            "finetune": folder,
            "finetuned": f"{folder}/finetuned-{{seed}}.parquet",
            "weights": f"{folder}/model/model.safetensors",
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions on the full training set, and those of the trained layers."""
        from wsd.artifacts.training_set import FULL

        config = files.config
        full = [FULL] if FULL in self.trains(config) else []
        layers = files.controls(
            files.predictions, config.finetuned, config.classify[:1], config.classifiers
        )
        return {"finetuned": self._predictions(files, full), "finetuned_layers": layers}

    def scored(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions on every training set."""
        return {"finetuned": self._predictions(files, self.trains(files.config))}

    def _predictions(self, files: Files, trains: Paths | tuple[str, ...]) -> Paths:
        section = files.config.sections["finetune"]
        pattern, seeds = files.study[self.name]["finetuned"], section.seeds if section else []
        return files.paths(pattern, base=files.config.models, train=trains, seed=seeds)

    def outputs(self, files: Files) -> Outputs:
        """Return the trials, the costs and the trained encoder of every training."""
        folder, trains = files.study[self.name]["finetune"], self.trains(files.config)
        return Outputs(
            [
                path
                for file in FILES
                for path in files.paths(f"{folder}/{file}", base=files.config.models, train=trains)
            ]
        )

    def training_seconds(self, config: Config, model: Model, train: str, costs: Costs) -> float:
        """Return the rough processor time of training an encoder on a training set, at most."""
        from wsd.artifacts.training_set import setting
        from wsd.studies.finetuning.finetuning_files import ALL, combined
        from wsd.studies.finetuning.schedule import long_enough

        section = config.sections["finetune"]
        if section is None or model.name not in config.models:
            return 0.0
        size = setting(train)[0]
        instances = sum(config.dataset.rows_at_most(word, size) for word in config.words)
        # A block that is trained takes two passes more, for its gradients.
        passes = [
            trial.epochs
            * (1 + 2 * (1 if trial.blocks == ALL else int(trial.blocks) / model.blocks))
            for trial in long_enough(combined(section.model_dump()), instances, section.steps)
        ]
        share = section.folds * (1 - 1 / config.tuning.folds)
        tried = share * sum(passes) if len(passes) > 1 else 0.0
        # The longest setting may be the selected one.
        return costs.training(model, instances) * (tried + len(section.seeds) * max(passes))

    def plan_lines(
        self, config: Config, model: Model, places: Places | None, costs: Costs, cores: int
    ) -> Iterator[str]:
        """Yield what a model's fine-tuning will take, if any is left to do."""
        left = self.trains(config)
        if places and model.name in config.models:
            folder = places.study[self.name]["finetune"]
            files = places.paths(f"{folder}/costs.csv", base=[model.name], train=left)
            left = tuple(
                train for train, file in zip(left, files, strict=True) if not Path(file).exists()
            )
        if total := sum(self.training_seconds(config, model, train, costs) for train in left):
            yield (
                f"  to fine-tune, on {', '.join(left)}: at most roughly {costs.duration(total)} of "
                f"processor time, {costs.duration(total / cores)} on {cores} "
                f"core{'s' if cores > 1 else ''}"
            )


def _check(file: Any, config: Config) -> None:
    from wsd.artifacts.training_set import FULL

    section, dataset = file.finetune, config.dataset
    if dataset.of_pairs or not dataset.labelled:
        raise refused(f"{dataset.title} has no senses", "finetune", "leave it out")
    trains = dict.fromkeys([FULL, *file.trains])
    for i, name in enumerate(section.trains):
        if name not in trains:
            problem = f"{name!r} is no training set of this run"
            fix = f"choose among {', '.join(trains)}, or add it to trains"
            raise refused(problem, f"finetune.trains[{i}]", fix)
    if section.folds > config.tuning.folds:
        problem = f"{section.folds} folds to try settings on, but there are {config.tuning.folds}"
        raise refused(problem, "finetune.folds", f"say {config.tuning.folds} at most")
    for i, blocks in enumerate(section.blocks):
        for model in config.models.values():
            if blocks != "all" and int(blocks) > model.blocks:
                problem = f"{blocks} blocks, and {model.name} has {model.blocks}"
                raise refused(problem, f"finetune.blocks[{i}]", "say fewer, or all")


def _trained(entry: Any, key: str, file: Any, config: Config) -> Model:
    """Return what fine-tuning makes of a model: the same but for its weights."""
    from wsd.artifacts.training_set import FULL

    if entry.finetuned_from not in config.models:
        problem = f"there is no model {entry.finetuned_from!r} to be trained"
        fix = f"choose among {', '.join(config.models)}" if config.models else "add it to models"
        raise refused(problem, f"{key}.finetuned_from", fix)
    base = config.models[entry.finetuned_from]
    if file.finetune is None or FULL not in file.finetune.trains:
        problem = "no encoder is trained on the full training set"
        fix = "add finetune, as in config/finetune.yaml, with full among its trains"
        raise refused(problem, f"{key}.finetuned_from", fix)
    for name in sorted(entry.model_fields_set - OWN_KEYS):
        raise refused(f"{name} is that of {base.name}", f"{key}.{name}", "leave it out")
    for name, expected in (("blocks", base.blocks), ("width", base.width)):
        if getattr(entry, name) != expected:
            problem = f"{base.name} has {name} {expected}, not {getattr(entry, name)}"
            raise refused(problem, f"{key}.{name}", f"say {expected}")
    source = {"finetuned_from": base.name}
    return replace(base, name=entry.name, source=source, sha256={}, random_weights=None)


STUDY = Finetuning()
