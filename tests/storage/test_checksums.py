"""Damage of any file is found, and a file is current only if it matches its checksum."""

from pathlib import Path

import pyarrow as pa
import pytest

from wsd.errors import DamageError
from wsd.storage import atomic, checksums, json, parquet

WRITE = {
    "t.parquet": lambda p: parquet.write_table(p, pa.table({"a": list(range(50))}), {"b": "c"}),
    "t.json": lambda p: json.write_json(p, {"a": [1, 2, 3]}),
    "t.csv": lambda p: atomic.write_text(p, "a,b\n1,2\n"),
}
READ = {"t.parquet": parquet.read_table, "t.json": json.read_json, "t.csv": checksums.verify}


@pytest.fixture(params=WRITE)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    WRITE[path.name](path)
    READ[path.name](path)
    return path


def test_damage_is_found(written: Path) -> None:
    sound = written.read_bytes()
    for place in range(0, len(sound), 17):
        flipped = bytearray(sound)
        flipped[place] ^= 1 << (place % 8)
        for damaged in (flipped, sound[:place]):
            written.write_bytes(damaged)
            with pytest.raises(DamageError):
                READ[written.name](written)
            assert not checksums.is_as_noted(written)


def test_a_checksum_covers_the_whole_file(tmp_path: Path) -> None:
    path, text = tmp_path / "long.csv", "x" * (3 * 2**20)
    atomic.write_text(path, text)
    checksums.verify(path)
    for place in (2**20, len(text) - 1):
        path.write_text(f"{text[:place]}y{text[place + 1 :]}")
        with pytest.raises(DamageError):
            checksums.verify(path)


def test_a_file_is_current_if_it_matches_its_checksum(written: Path) -> None:
    assert checksums.is_as_noted(written)
    note = written.parent / checksums.SUMS / written.name
    sound = note.read_bytes()
    note.write_bytes(b"")
    assert not checksums.is_as_noted(written)
    with pytest.raises(DamageError):
        READ[written.name](written)
    note.write_bytes(sound)
    aside = checksums.set_aside(written)
    assert aside.exists() and not checksums.is_as_noted(written)
    WRITE[written.name](written)
    assert checksums.is_as_noted(written)
    # A file from elsewhere has no checksum, and is read.
    note.unlink()
    assert not checksums.is_as_noted(written)
    READ[written.name](written)
