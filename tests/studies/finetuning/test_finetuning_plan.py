"""The cost of fine-tuning in `wsd plan`."""

from pathlib import Path
from typing import Any

import pytest
from changed_config import MINILM, check_shipped

from wsd.run import machine_speed, plan
from wsd.run.plan import describe, places_of
from wsd.studies.registry import STUDIES


def test_fine_tuning_is_planned_until_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: str
) -> None:
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e10)
    tuned = {"rate": [1e-4], "epochs": [2], "blocks": ["all"], "seeds": [1], "trains": ["full"]}

    def seconds(train: str = "full", **values: Any) -> float:
        config = check_shipped("minilm.yaml", finetune={**tuned, **values})
        training = STUDIES["finetuning"].training_seconds
        return training(config, config.models[MINILM], train, plan.COSTS)

    plan_seconds, sentences = seconds(), 23_370
    # Three passes of two epochs, with 24 width² operations and more per block and piece.
    columns = 384 * (384 + machine_speed.OTHER_WIDTH)
    passes = 6 * 24 * columns * 6 * machine_speed.PIECES * sentences
    assert plan_seconds == pytest.approx(passes / 1e10 / machine_speed.TRAINING_EFFICIENCY)
    assert seconds(seeds=[1, 2, 3]) == pytest.approx(3 * plan_seconds)
    # Without the lower half, no gradients of it; two rates on four of five folds' instances.
    assert seconds(blocks=[3]) == pytest.approx(plan_seconds * 2 / 3)
    assert seconds(rate=[1e-4, 1e-5]) == pytest.approx(plan_seconds * (1 + 2 * 0.8))
    # Of smaller training sets there is less to do: a tenth, word by word; 3 of each of 53 senses.
    assert seconds("10pct", steps=1) == pytest.approx(plan_seconds / 10, rel=0.01)
    # 300 steps are the fewest: with 5 an epoch that is 60 epochs.
    assert seconds("nshot-3.set2") == pytest.approx(plan_seconds * 159 / sentences * 30)
    assert seconds("nshot-3.set2", steps=5) == pytest.approx(plan_seconds * 159 / sentences)
    assert seconds("balanced") == plan_seconds
    config = check_shipped("minilm.yaml", finetune=tuned)
    assert "to fine-tune, on full: at most roughly" in describe(config, tmp_path, 2)
    assert "fine-tune" not in describe(check_shipped("minilm.yaml"), tmp_path, 2)
    places = places_of(config, tmp_path)
    done = Path(
        places.path(
            f"{places.study['finetuning']['finetune']}/costs.csv", base=MINILM, train="full"
        )
    )
    done.parent.mkdir(parents=True)
    done.touch()
    assert "fine-tune" not in describe(config, tmp_path, 2)
