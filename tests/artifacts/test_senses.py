"""Names of senses: CoarseWSD-20's labels, any labels, and names that a corpus gives."""

from itertools import product
from random import Random

import pytest

from wsd.artifacts.senses import (
    SenseText,
    check_text,
    find_clash,
    parse_sense_texts,
    readable,
    sense_texts,
)

# Every label of CoarseWSD-20 without its word, and its readable name.
COARSEWSD20 = {
    "apple": {"apple_inc.": "apple inc.", "apple": "apple"},
    "arm": {"arm_architecture": "arm architecture", "arm": "arm"},
    "bank": {"bank": "bank", "bank_(geography)": "bank (geography)"},
    "bass": {
        "bass_guitar": "bass guitar",
        "bass_(voice_type)": "bass (voice type)",
        "double_bass": "double bass",
    },
    "bow": {
        "bow_(ship)": "bow (ship)",
        "bow_and_arrow": "bow and arrow",
        "bow_(music)": "bow (music)",
    },
    "chair": {"chairman": "chairman", "chair": "chair"},
    "club": {"club": "club", "nightclub": "nightclub", "club_(weapon)": "club (weapon)"},
    "crane": {"crane_(machine)": "crane (machine)", "crane_(bird)": "crane (bird)"},
    "deck": {"deck_(ship)": "deck (ship)", "deck_(building)": "deck (building)"},
    "digit": {"numerical_digit": "numerical digit", "digit_(anatomy)": "digit (anatomy)"},
    "hood": {
        "hood_(comics)": "hood (comics)",
        "hood_(vehicle)": "hood (vehicle)",
        "hood_(headgear)": "hood (headgear)",
    },
    "java": {"java": "java", "java_(programming_language)": "java (programming language)"},
    "mole": {
        "mole_(animal)": "mole (animal)",
        "mole_(espionage)": "mole (espionage)",
        "mole_(unit)": "mole (unit)",
        "mole_sauce": "mole sauce",
        "mole_(architecture)": "mole (architecture)",
    },
    "pitcher": {"pitcher": "pitcher", "pitcher_(container)": "pitcher (container)"},
    "pound": {"pound_(mass)": "pound (mass)", "pound_(currency)": "pound (currency)"},
    "seal": {
        "pinniped": "pinniped",
        "seal_(musician)": "seal (musician)",
        "seal_(emblem)": "seal (emblem)",
        "seal_(mechanical)": "seal (mechanical)",
    },
    "spring": {
        "spring_(hydrology)": "spring (hydrology)",
        "spring_(season)": "spring (season)",
        "spring_(device)": "spring (device)",
    },
    "square": {
        "square": "square",
        "square_(company)": "square (company)",
        "town_square": "town square",
        "square_number": "square number",
    },
    "trunk": {
        "trunk_(botany)": "trunk (botany)",
        "trunk_(automobile)": "trunk (automobile)",
        "trunk_(anatomy)": "trunk (anatomy)",
    },
    "yard": {"yard": "yard", "yard_(sailing)": "yard (sailing)"},
}


def names(word: str, labels: list[str], **given: SenseText) -> list[str]:
    return [text.name for text in sense_texts(word, labels, given)]


def test_every_label_of_coarsewsd20() -> None:
    assert sum(map(len, COARSEWSD20.values())) == 53
    for word, senses in COARSEWSD20.items():
        labels = [f"{word}_{rest}" for rest in senses]
        assert names(word, labels) == list(senses.values())
        assert len(set(names(word, labels))) == len(labels)


@pytest.mark.parametrize(
    ("word", "label", "name"),
    [
        ("crane", "crane_bird", "bird"),
        ("serve.v", "serve_food", "food"),
        ("serve.v", "serve.v_food", "food"),
        ("serve.v", "serve.v.1", "serve.v.1"),
        ("cell.n", "cell%1:03:00::", "cell%1:03:00::"),
        ("ice cream", "ice_cream_dessert", "dessert"),
        ("ice_cream", "ice cream_dessert", "dessert"),
        ("apple", "Apple_Apple_Inc.", "Apple Inc."),
        ("bank", "bank", "bank"),
        ("bank", "bank_", "bank_"),
        ("bank", "bank robber", "bank robber"),
        ("bank", "banker_of_note", "banker of note"),
        ("c++", "c++_language", "language"),
        (".net", ".net_x", "x"),
        ("银行", "银行_钱", "钱"),
        ("b", "_", "_"),
    ],
)
def test_readable(word: str, label: str, name: str) -> None:
    assert readable(word, label) == name


def test_senses_with_equal_names_keep_their_labels() -> None:
    assert names("w", ["w_x", "x", "w_y", "x "]) == ["w_x", "x", "y", "x "]
    assert names("w", ["a_b", "a b", "c_d"]) == ["a_b", "a b", "c d"]


def test_no_two_senses_have_the_same_name() -> None:
    parts = ["w", "x", "_", " ", "w_", "W_"]
    labels = sorted(
        {"".join(entry) for entry in product(parts, repeat=3) if "".join(entry).strip()}
    )
    random = Random(0)
    for _ in range(300):
        some = random.sample(labels, random.randint(2, 30))
        actual = names("w", some)
        assert len(set(actual)) == len(some)
        assert all(actual)


def test_names_of_the_corpus_come_first() -> None:
    given = {"w_a": SenseText("alpha", "the first"), "w_b": SenseText("", "the second")}
    labels = ["w_a", "w_b", "w_c"]
    expected = (SenseText("alpha", "the first"), SenseText("b", "the second"), SenseText("c"))
    assert sense_texts("w", labels, given) == expected


@pytest.mark.parametrize(
    ("given", "clash"),
    [
        ({"w_a": SenseText("same"), "w_b": SenseText("same")}, ("w_a", "w_b")),
        ({"w_a": SenseText("b")}, ("w_a", "w_b")),
        ({"w_a": SenseText("w_b")}, ("w_a", "w_b")),
        ({"w_b": SenseText("c"), "w_a": SenseText("b")}, None),
        ({"w_a": SenseText("a")}, None),
        ({"w_a": SenseText("", "gloss"), "w_b": SenseText("", "gloss")}, None),
    ],
)
def test_a_name_belongs_to_one_sense(
    given: dict[str, SenseText], clash: tuple[str, str] | None
) -> None:
    assert find_clash("w", ["w_a", "w_b"], given) == clash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SenseText("a\x1b[2J"), "cannot be seen"),
        (SenseText("a", "b\nc"), "cannot be seen"),
        (SenseText("a\u202eb"), "cannot be seen"),
        (SenseText(" a"), "white space"),
        (SenseText("a  b"), "white space"),
        (SenseText("a" * 101), "101 characters; the maximum is 100"),
        (SenseText("a", "b" * 1001), "gloss of 1001 characters"),
        (SenseText(3), "not a text"),  # type: ignore[arg-type]
    ],
)
def test_invisible_names_are_refused(text: SenseText, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_text(text)
    with pytest.raises(ValueError, match=message):
        parse_sense_texts("w", {"w_a": text._asdict(), "w_b": {}})


def test_names_from_a_manifest() -> None:
    senses = {"w_a": {"train": 3, "name": "alpha"}, "w_b": {"train": 2}, "w_c": {"gloss": "third"}}
    expected = {"w_a": SenseText("alpha"), "w_c": SenseText("", "third")}
    assert parse_sense_texts("w", senses) == expected
    with pytest.raises(ValueError, match="is the name or the label of 'w_b'"):
        parse_sense_texts("w", {**senses, "w_b": {"name": "alpha"}})
    with pytest.raises(ValueError, match="described by keys"):
        parse_sense_texts("w", {"w_a": 3})  # type: ignore[dict-item]
