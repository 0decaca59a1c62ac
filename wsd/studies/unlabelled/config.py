"""The config section ``clusters``."""

from typing import Annotated, Literal

from pydantic import Field

from wsd.artifacts.config_section import UNSET, Either, Section


class Clusters(Section):
    """How the uses of a word are clustered.

    Attributes
    ----------
    most
        The largest number of clusters to try for a word (default, 10, or as many as its sentences
        allow).
    centre
        `form` removes the effect of the focal word's form, singular or plural, from its vectors
        before they are clustered (default, nothing is removed).
    """

    most: Annotated[int, Field(ge=2, le=50)] = UNSET
    centre: Literal["form"] = UNSET


class Keys(Section):
    """Clusters of uses.

    Attributes
    ----------
    clusters
        How the uses of a word are clustered: a mapping such as {most: 20, centre: form}, or only
        the largest number of clusters.
    """

    clusters: Either[Annotated[int, Field(ge=2, le=50)], Clusters] = UNSET
