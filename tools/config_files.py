"""Write what the package holds of the config: its JSON schema, and copies of the shipped files.

tests/run/test_config.py holds them equal to wsd/run/schema.py and to config/.
"""

import shutil
from pathlib import Path

from wsd.run import schema

REPOSITORY = Path(__file__).parents[1]
DATA = REPOSITORY / "wsd" / "data"

(DATA / "config.schema.json").write_text(schema.schema_text(), encoding="utf-8")
(DATA / "config").mkdir(exist_ok=True)
for file in (REPOSITORY / "config").glob("*.yaml"):
    shutil.copyfile(file, DATA / "config" / file.name)
