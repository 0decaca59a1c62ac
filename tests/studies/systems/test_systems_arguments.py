"""Arguments that `wsd published` and `wsd score` refuse."""

import pytest

from wsd.cli import main


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("published --source s --out o", "--system"),
        ("score f --corpus c --out o", "--name"),
        ("score f --name n --corpus c --out s.jsonl", "'s.jsonl' needs the suffix .parquet"),
    ],
)
def test_bad_arguments(capsys: pytest.CaptureFixture[str], arguments: str, says: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
