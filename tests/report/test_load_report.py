"""Tables that do not belong together are refused."""

import re
from pathlib import Path
from typing import Any

import pytest
from report_builder import Run, build_report

from wsd.errors import ResultError


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.update(view="context"), "no projection of the view 'context'"),
        (lambda a: a["tables"].update(scores=[a["out"] / "none.csv"]), "missing"),
        (lambda a: a.update(predictions=[]), "no predictions"),
        (lambda a: a["corpora"].update(bank=a["corpora"]["bank"].take([0])), "other instances of"),
    ],
)
def test_tables_that_do_not_belong_together(
    run: Run, tmp_path: Path, spoil: Any, message: str
) -> None:
    arguments = {**run.arguments(tmp_path), "corpora": dict(run.corpora)}
    spoil(arguments)
    with pytest.raises(ResultError, match=re.escape(message)):
        build_report(**arguments)
    assert not (tmp_path / "report").exists()
