"""Show the examples of docstrings as code: an extension of Griffe (mkdocs.yml).

Without the heading, ``>>>`` would become a quotation in a quotation, and a list a reference.
"""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Write the heading of NumPy's style above the first example of a docstring without one."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the text before it is parsed."""
        if obj.docstring and "\nExamples\n---" not in obj.docstring.value:
            heading = r"Examples\n--------\n\1"
            obj.docstring.value = re.sub(
                r"^(>>> )", heading, obj.docstring.value, count=1, flags=re.MULTILINE
            )
