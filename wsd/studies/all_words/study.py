"""Declare the study of all-words sets: how good is a system on all of their instances?"""

from wsd.studies.base import Study


class AllWords(Study):
    """Declare the study to the run and to the command line."""

    name = "all_words"
    rules = False
    group = "look at results and encoders"
    extends = {"import": "count_instances"}
    commands = {"all-words": "Score all instances of all-words sets, by any of their keys."}


STUDY = AllWords()
