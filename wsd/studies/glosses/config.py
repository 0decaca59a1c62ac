"""The config key of the study of glosses."""

from wsd.artifacts.config_section import Section, Text
from wsd.studies.glosses.gloss_names import NO_GLOSSES


class Keys(Section):
    """Senses from glosses.

    Attributes
    ----------
    glosses
        Where the glosses come from: none; corpus, the glosses that come with it; or a file, a table
        with word, sense and gloss.
    """

    glosses: Text = NO_GLOSSES
