"""The config section ``change``."""

from typing import Annotated, Literal

from pydantic import Field

from wsd.artifacts.config_section import UNSET, Section, Text, Unique


class Change(Section):
    """How the uses of each word are divided into two groups, to measure change.

    Attributes
    ----------
    group
        The extra column of the corpus that divides the uses, such as a period or an author.
    groups
        The two values to compare, the earlier one first (default, the column's only two values).
    centre
        `form` removes the effect of the focal word's form from its vectors first (default, nothing
        is removed).
    clusters
        An extra column with the clusters of people, from which the gold change is computed
        (default, the gold change comes from the corpus's `change.tsv`, if it has this file).
    identifier
        The extra column with the names of the uses in the corpus's `judgments.tsv`.
    """

    group: Text
    groups: Annotated[Unique[Text], Field(min_length=2, max_length=2)] = UNSET
    centre: Literal["form"] = UNSET
    clusters: Text = UNSET
    identifier: Text = "identifier"


class Keys(Section):
    """Change between two groups of uses.

    Attributes
    ----------
    change
        Measures how much the uses of each word differ between two groups of uses, such as two
        periods: a mapping such as {group: grouping} (default, this is not measured).
    """

    change: Change = UNSET
