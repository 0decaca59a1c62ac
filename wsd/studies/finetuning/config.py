"""Define the config section of fine-tuning."""

from pydantic import Field

from wsd.artifacts.config_section import UNSET, Count, NumberAbove0, Section, Seed, Some


class Finetune(Section):
    """Encoders trained on the senses; cross-validation selects among all rates and epochs.

    Attributes
    ----------
    rate
        The highest learning rates, above 0.
    epochs
        The least number of passes over the training instances.
    steps
        The least number of training steps, of 32 instances each: on a small training set there are
        as many epochs as that takes.
    seeds
        Each seed is a training and a row of its own; the first one tries the settings.
    trains
        The training sets, each one of `trains`.
    folds
        On how many folds of the first repeat a setting is tried, each a training of its own.
    """

    rate: Some[NumberAbove0]
    epochs: Some[Count]
    steps: Count = 300
    seeds: Some[Seed] = Field([1, 2, 3])
    trains: Some[str] = Field(["full"])
    folds: Count = 1


class Keys(Section):
    """Fine-tuned encoders.

    Attributes
    ----------
    finetune
        Encoders trained on the senses, with settings selected by cross-validation (default: none).
    """

    finetune: Finetune = UNSET
