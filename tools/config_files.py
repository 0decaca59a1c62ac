"""Write the package's JSON schema of the config and its copies of the shipped config files.

tests/run/test_config.py checks that they agree with wsd/run/schema.py and config/.
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
