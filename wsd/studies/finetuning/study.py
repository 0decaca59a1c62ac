"""What does training the encoder itself add to its frozen layers?"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from wsd.studies.base import Config, Files, Keys, Kind, Model, Outputs, Study, refused

FILES = ("trials.csv", "model/model.safetensors", "model.json")


class Finetuning(Study):
    """Declare the study to the run and to the command line."""

    name = "finetuning"
    section = "finetune"
    commands = {"finetune": "Fine-tune an encoder on the words' senses and predict every word."}
    kinds = {"finetune": Kind("finetune", {"objective": "tuning.objective", "device": "device"})}

    def configure(self, file: Any, config: Config) -> Config:
        """Check settings and training sets, and add the fine-tuned encoders."""
        if file.finetune is not None:
            _check(file, config)
        models = {
            entry.name: _trained(entry, f"models[{i}]", file, config)
            for i, entry in enumerate(file.models)
            if entry.finetuned_from is not None
        }
        return config.model_copy(update={"finetuned": models})

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return the names of the rows of fine-tuned encoders, one per seed."""
        from wsd.artifacts.column_names import FINETUNED

        seeds = file.finetune.seeds if file.finetune else []
        return {"classifiers": [f"{FINETUNED}-{seed}" for seed in seeds]}

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for fine-tuning."""
        return super().applies(config) and config.sections["finetune"] is not None

    def trains(self, config: Config) -> tuple[str, ...]:
        """Return the training sets of the trainings, every draw of a setting by its name."""
        from wsd.artifacts.training_set import setting

        if not self.applies(config):
            return ()
        asked = {*config.sections["finetune"].trains}
        return tuple(train for train in config.trains if {train, setting(train)[0]} & asked)

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return each model that is trained, as the wildcard ``base``."""
        grid = keys.config.sections["finetune"].model_dump(exclude={"trains"})
        return {
            "base": {
                name: keys.key("finetune", grid, keys.identity(model), model.pooling, model.input)
                for name, model in keys.config.models.items()
            }
        }

    def outputs(self, files: Files) -> Outputs:
        """Return trials and encoder of every training, and its predictions.

        Those on the full training set are compared, and so are those of the trained layers.
        """
        from wsd.artifacts.training_set import FULL

        config, folder = files.config, f"{files.store}/{{base}}/finetune/{{train}}"
        patterns = {
            "finetune": folder,
            "finetuned": f"{folder}/finetuned-{{seed}}.parquet",
            "weights": f"{folder}/model/model.safetensors",
        }
        trains, of_base = self.trains(config), partial(files.paths, base=config.models)
        seeds = config.sections["finetune"].seeds
        full, every = (
            of_base(patterns["finetuned"], train=on, seed=seeds)
            for on in ({FULL} & {*trains}, trains)
        )
        layers = files.controls(
            files.predictions, config.finetuned.values(), config.classify[:1], config.classifiers
        )
        return Outputs(
            of_base(f"{folder}/{{file}}", train=trains, file=FILES),
            compared={"finetuned": full, "finetuned_layers": layers},
            scored={"finetuned": every},
            patterns=patterns,
        )


def _check(file: Any, config: Config) -> None:
    from wsd.artifacts.training_set import FULL

    section, dataset = file.finetune, config.dataset
    if dataset.of_pairs or not dataset.labelled:
        raise refused(f"{dataset.title} has no senses", "finetune", "leave it out")
    trains = dict.fromkeys([FULL, *file.trains])
    for i, name in enumerate(section.trains):
        if name not in trains:
            fix = f"choose among {', '.join(trains)}, or add it to trains"
            raise refused(f"{name!r} is no training set", f"finetune.trains[{i}]", fix)
    if section.folds > config.tuning.folds:
        problem = f"{section.folds} folds to try settings on, but there are {config.tuning.folds}"
        raise refused(problem, "finetune.folds", f"say {config.tuning.folds} at most")


def _trained(entry: Any, key: str, file: Any, config: Config) -> Model:
    """Return a fine-tuned encoder: its base with another name and other weights."""
    from wsd.artifacts.training_set import FULL

    base = config.models.get(entry.finetuned_from)
    if base is None:
        problem = f"there is no model {entry.finetuned_from!r} to be trained"
        fix = f"choose among {', '.join(config.models)}" if config.models else "add it to models"
        raise refused(problem, f"{key}.finetuned_from", fix)
    if file.finetune is None or FULL not in file.finetune.trains:
        problem = "no encoder is trained on the full training set"
        fix = "add finetune, as in config/finetune.yaml, with full among its trains"
        raise refused(problem, f"{key}.finetuned_from", fix)
    for name in sorted(entry.model_fields_set - {"name", "finetuned_from"}):
        if getattr(entry, name) != (expected := getattr(base, name, None)):
            fix = f"say {expected}" if name in ("blocks", "width") else "leave it out"
            raise refused(f"{base.name} decides {name}", f"{key}.{name}", fix)
    own = {"name": entry.name, "finetuned_from": base.name, "sha256": {}}
    return base.model_copy(update={**dict.fromkeys([*base.source, "random_weights"]), **own})


STUDY = Finetuning()
