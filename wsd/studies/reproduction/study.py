"""Do our vectors give the published centroids and predictions?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsd.studies.base import Kind, Study

if TYPE_CHECKING:
    from wsd.run.settings import Config


class Reproduction(Study):
    """Declare the study to the run and to the command line."""

    name = "reproduction"
    commands = {
        "reproduce": "Compare with the published centroids and predictions.",
    }
    kinds = {
        "reproduced": Kind("reproduce", {}, (), ("vectors", "views", "published")),
    }

    def applies(self, config: Config) -> bool:
        """Return whether anything is published about the corpus."""
        return config.dataset.name == "coarsewsd20"


STUDY = Reproduction()
