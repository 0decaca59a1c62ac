"""What does training the encoder itself add to its frozen layers?"""

from wsd.studies.base import Study


class Finetuning(Study):
    """Declare the study to the run and to the command line."""

    name = "finetuning"
    commands = {
        "finetune": "Fine-tune an encoder on the words' senses and predict every word.",
    }


STUDY = Finetuning()
