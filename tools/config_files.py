"""Write the JSON schema of the config, for editors and for Snakemake's catalogue of workflows.

tests/run/test_config.py checks that it agrees with wsd/run/schema.py.
"""

from pathlib import Path

from wsd.run import schema

SCHEMA = Path(__file__).parents[1] / "workflow/schemas/config.schema.json"
SCHEMA.write_text(schema.schema_text(), encoding="utf-8")
