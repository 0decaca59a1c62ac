"""The config section ``clusters``."""

from typing import Annotated, Literal

from pydantic import Field

from wsd.artifacts.config_section import UNSET, Either, Section


class Clusters(Section):
    """How the clusters of a word's uses are found.

    Attributes
    ----------
    most
        The most clusters to try for a word (default, 10, or as many as its sentences allow).
    centre
        `form` takes the form of the focal word, singular or plural, out of its vectors before they
        are clustered (default, nothing is taken out).
    """

    most: Annotated[int, Field(ge=2, le=50)] = UNSET
    centre: Literal["form"] = UNSET


class UnlabelledKeys(Section):
    """Clusters of uses.

    Attributes
    ----------
    clusters
        How `uses` finds the clusters of a word: a mapping such as {most: 20, centre: form}, or the
        most clusters alone.
    """

    clusters: Either[Annotated[int, Field(ge=2, le=50)], Clusters] = UNSET
