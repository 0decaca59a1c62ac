"""The config key `finetune`, and models that fine-tuning creates."""

from typing import Any

import pytest
from changed_config import (
    MINILM,
    Change,
    Wrong,
    assert_refused,
    check_changed,
    coarsewsd20,
    ids,
    top,
)

from wsd.studies.registry import STUDIES

TUNED = {"rate": [1e-4], "epochs": [2]}


def finetune(**values: Any) -> Change:
    return top(finetune={**TUNED, **values})


def trained(*more: Change, **values: Any) -> Change:
    """Return a model that is fine-tuned from another; None removes a key."""

    def change(config: dict[str, Any]) -> None:
        entry = {"name": "trained", "finetuned_from": MINILM, "blocks": 6, "width": 384, **values}
        entry = {key: value for key, value in entry.items() if value is not None}
        config.update(finetune=TUNED, models=[*config["models"], entry])
        for own in more:
            own(config)

    return change


SMALL = coarsewsd20(trains=["10pct"], finetune={**TUNED, "trains": ["10pct"]})
TAKEN = [{"name": "finetuned-2", "estimator": "knn"}]
BASE = "models[1].finetuned_from"
WRONG: list[Wrong] = [
    (finetune(rate=[0]), "finetune.rate[0]", "0", "above 0"),
    (finetune(rate=[]), "finetune.rate", "[]", "at least 1"),
    (finetune(epochs=[0]), "finetune.epochs[0]", "0", "passes over"),
    (finetune(seeds=[1, 1]), "finetune.seeds", "[1, 1]", "occurs twice"),
    (finetune(folds=6), "finetune.folds", "6 folds", "5 at most"),
    (finetune(trains=["nshot-3"]), "finetune.trains[0]", "'nshot-3' is no", "full"),
    (top(finetune=TUNED, classifiers=TAKEN), "classifiers[0].name", "'finetuned-2'", "another"),
    (trained(finetuned_from="trained"), BASE, "no model 'trained'", MINILM),
    (trained(pooling="last"), "models[1].pooling", f"{MINILM} decides pooling", "leave it out"),
    (trained(blocks=12), "models[1].blocks", f"{MINILM} decides blocks", "say 6"),
    (trained(width=None), "models[1]", "the key 'width' is missing", "add the key"),
    (trained(name=MINILM), "models[1].name", "is taken", "another name"),
    (trained(lambda config: config.pop("finetune")), BASE, "no encoder", "config/finetune.yaml"),
    (trained(SMALL), BASE, "on the full training set", "full among its trains"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_fine_tuning_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


def test_fine_tuning_is_asked_for_by_draws_of_a_training_set() -> None:
    trains = STUDIES["finetuning"].trains
    assert trains(check_changed(top())) == () and trains(check_changed(finetune())) == ("full",)
    change = coarsewsd20(trains=["nshot-3", "10pct"], finetune={**TUNED, "trains": ["nshot-3"]})
    assert trains(check_changed(change)) == tuple(f"nshot-3.set{n}" for n in (1, 2, 3))
