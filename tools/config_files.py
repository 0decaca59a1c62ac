"""Write the JSON schema of the config and the tables of keys in config/README.md.

Both come from the classes in wsd/run/schema.py; tests/run/test_config.py checks that they agree.
The schema is for editors and for Snakemake's catalogue of workflows.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from wsd.artifacts.config_section import Section
from wsd.run import schema

ROOT = Path(__file__).parents[1]
SCHEMA, README = ROOT / "workflow/schemas/config.schema.json", ROOT / "config/README.md"
# The class behind the table below each heading.
TABLES = {"Keys": schema.CoreKeys, "Models": schema.ModelEntry, "Classifiers": schema.Classifier}
TABLE = r"(?<=\| key \| value \|\n\| --- \| --- \|\n)(\|.*\n)+"


def rows(keys: type[Section], before: str = "") -> Iterator[str]:
    """Yield a row of Markdown for each key; the keys of a section follow with its name."""
    for name, field in keys.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from rows(field.annotation, f"{name}.")
        else:
            yield f"| `{before}{name}` | {str(field.description).rstrip('.')} |\n"


def readme() -> str:
    """Return the text of config/README.md with new tables."""
    parts = re.split(r"^(?=##+ )", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for i, part in enumerate(parts):
        if keys := TABLES.get(part.splitlines()[0].strip("# ")):
            parts[i] = re.sub(TABLE, lambda _, keys=keys: "".join(rows(keys)), part, count=1)
    return "".join(parts)


if __name__ == "__main__":
    SCHEMA.write_text(schema.schema_text(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
