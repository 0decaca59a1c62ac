"""Pairs in all their formats: words, places, labels, ratings and extra columns."""

import json
from pathlib import Path

import numpy as np
import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST
from wsd.errors import CorpusError
from wsd.studies.pairs.pair_reader import gold_of, split_of
from wsd.studies.pairs.pair_tables import Pairs, read_pairs

PLACE = dict(zip(("start1", "end1", "start2", "end2"), "2727", strict=True))
MCL = [
    {"id": "a.0", "lemma": "light", "pos": "ADJ", **PLACE,
     "sentence1": "A light bag.", "sentence2": "a light, thin coat"},
    # Arabic writes "and" as a part of the next word; the place is a part of the word.
    {"id": "a.1", "lemma": "light", "pos": "NOUN", "start1": "4", "end1": "9", "start2": "1",
     "end2": "4", "sentence1": "The light is on", "sentence2": "\u0648\u0646\u0648\u0631 \u0647"},
]  # fmt: skip
TAGS = [{"id": "\ufeffa.1", "tag": "F"}, {"id": "a.0", "tag": "T"}]


def focal(pairs: Pairs) -> list[list[str]]:
    words = pairs.sentences.focal_tokens
    return [[words[row] for row in entry] for entry in pairs.rows]


def imported(folder: Path, files: dict[str, str], **options: object) -> tuple[Pairs, str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    first = folder / next(iter(files))
    text = import_corpus([first], out=folder / "out", name="mine", **options)
    return read_pairs(folder / "out"), text


def test_json_of_mcl_wic_across_languages(tmp_path: Path) -> None:
    files = {"trial.en-ar.data": json.dumps(MCL), "trial.en-ar.gold": json.dumps(TAGS)}
    pairs, text = imported(tmp_path, files)
    assert pairs.word.tolist() == ["light.a", "light.n"]
    # The given place is believed, and widened to the word.
    assert focal(pairs) == [["light", "light"], ["light", "\u0648\u0646\u0648\u0631"]]
    # By identifier, not by line.
    assert pairs.gold.tolist() == [1, 0] and not pairs.is_graded
    assert pairs.extra == {"id": ("a.0", "a.1")} and set(pairs.split) == {"all"}
    assert "1 of 4 focal words are spelt unlike their word" in text
    assert json.loads((tmp_path / "out" / MANIFEST).read_text())["unlike_their_word"] == 1


def test_lines_of_xl_wic(tmp_path: Path) -> None:
    text = "porter\tV\t5\t10\t3\t8\tElle porte un sac.\tIl porta la lettre.\t1\n"
    text += "clef\tN\t3\t7\t3\t7\tLa clef.\tLa clef \u00e0 molette.\t0\n"
    pairs, _ = imported(tmp_path, {"fr_valid.txt": text})
    assert pairs.word.tolist() == ["porter.v", "clef.n"]
    assert focal(pairs) == [["porte", "porta"], ["clef", "clef"]]
    assert pairs.gold.tolist() == [1, 0] and set(pairs.split) == {"dev"}


PLACES = {
    "marks": "word,sentence1,sentence2,label\nmint,A [[mint]] of mint,*Mint* grew,T\n",
    "characters": "word,sentence1,sentence2,start1,end1,start2,end2,label\n"
    "mint,A mint of mint,Mint grew,2,6,0,4,same\n",
    "spans": "lemma\ttext1\tspan1\ttext2\tspan2\ttag\n"
    "mint\tA mint of mint\t2:6\tMint grew\t0-4\ttrue\n",
    "tokens": "word;sentence1;position1;sentence2;position2;gold\n"
    "mint;A mint of mint;1;Mint grew;0;1\n",
    # The form to find, and one line that is a mark.
    "found": "word,string,sentence1,sentence2,label\nmint,Mint,A [[mint]] of mint,Mint grew,T\n",
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_places_in_tables(tmp_path: Path, text: str) -> None:
    pairs, _ = imported(tmp_path, {"mine.csv": text})
    assert focal(pairs) == [["mint", "Mint"]] and pairs.sentences.position.tolist() == [1, 0]
    assert pairs.word.tolist() == ["mint"] and pairs.gold.tolist() == [1]


HEAD = "word,sentence1,sentence2"


def test_a_word_without_a_place_that_is_not_there_once(tmp_path: Path) -> None:
    text = f"{HEAD},label\nmint,A mint of mint,Mint grew,T\nmint,a b,Mint,T\n"
    with pytest.raises(CorpusError, match="2 lines cannot be read"):
        imported(tmp_path, {"mine.csv": text})
    pairs, summary = imported(tmp_path, {"mine.csv": f"{text}mint,A mint,Mint,F\n"}, skip_bad=True)
    assert pairs.gold.tolist() == [0] and "left out: 1 of lines with a problem" in summary


def test_named_columns_splits_and_extra_columns(tmp_path: Path) -> None:
    text = "key,w,left side,right side,set,same,mean\n"
    text += "k1,mint,a [[mint]],[[mint]],train,T,1.5\nk2,mint,[[mint]] b,c [[mint]],val,F,\n"
    text += "k3,mint,d [[mint]],[[mint]],train,F,2\n"
    columns = {"word": "w", "sentence1": "left side", "sentence2": "right side"}
    pairs, _ = imported(tmp_path, {"mine.csv": text}, columns=columns)
    assert pairs.is_graded and pairs.split.tolist() == ["train", "train", "dev"]
    assert pairs.gold.tolist()[:2] == [1.5, 2] and np.isnan(pairs.gold[2])
    assert pairs.extra == {"key": ("k1", "k3", "k2"), "same": ("T", "F", "F")}


USES = "lemma\tidentifier\tgrouping\tcontext\tindexes_target_token\n" + "".join(
    f"mint_nn\tu{i}\t{i % 2 + 1}\tthe {'big ' * i}mint {i}\t{4 + 4 * i}:{8 + 4 * i}\n"
    for i in range(4)
)
JUDGED = {"u0\tu1": "431", "u2\tu0": "12", "u3\tu1": "0-", "u1\tu3": "2", "u2\tu3": "0"}
JUDGMENTS = "identifier1\tidentifier2\tannotator\tjudgment\n" + "".join(
    f"{pair}\t{annotator}\t{judgment}\n"
    for pair, judgments in JUDGED.items()
    for annotator, judgment in enumerate(judgments)
)


def test_judgments_of_a_word_usage_graph(tmp_path: Path) -> None:
    pairs, text = imported(tmp_path, {"judgments.csv": JUDGMENTS, "uses.csv": USES})
    assert pairs.word.tolist() == ["mint_nn"] * 4
    # The median of the annotators who decide; in either order of the two uses.
    assert pairs.gold[:3].tolist() == [3, 1.5, 2] and np.isnan(pairs.gold[3])
    assert focal(pairs) == [["mint", "mint"]] * 4
    assert pairs.extra["identifier1"] == ("u0", "u0", "u1", "u2")
    assert pairs.extra["identifier2"] == ("u1", "u2", "u3", "u3")
    assert pairs.extra["grouping2"] == ("2", "1", "2", "2")
    assert pairs.extra["judgments"] == ("3", "2", "1", "0")
    assert "all: 3 pairs with ratings from 1.5 to 3, median 2" in text
    assert "all: 1 pair without ratings" in text


def story(sentence: str, average: float) -> dict[str, object]:
    before = "They brought a seal and a letter."
    senses = {"judged_meaning": "an animal", "example_sentence": "A seal slept."}
    text = {"precontext": before, "sentence": sentence, "ending": ""}
    return {"homonym": "seal", **senses, **text, "average": average}


def test_plausibility_of_a_sense_in_a_story(tmp_path: Path) -> None:
    stories = {"1": story("The seal was big.", 4.6), "7": story("It was a seal.", 1)}
    pairs, _ = imported(tmp_path, {"stories.json": json.dumps(stories)})
    assert pairs.is_graded and pairs.gold.tolist() == [4.6, 1]
    # The word of the ambiguous sentence, not that of the sentence before.
    first = pairs.sentences.tokens[pairs.rows[0, 0]]
    assert first[pairs.sentences.position[pairs.rows[0, 0]] :] == ("seal", "was", "big", ".")
    assert first[:3] == ("They", "brought", "a")
    assert focal(pairs) == [["seal", "seal"]] * 2
    assert pairs.extra == {"id": ("1", "7"), "judged_meaning": ("an animal", "an animal")}


REFUSED = {
    "infinite": ({"a.csv": f"{HEAD},rating\nmint,a mint,mint,inf\n"}, "'inf' is no rating"),
    "all alike": ({"a.csv": f"{HEAD},rating\nmint,a mint,mint,3\nmint,b mint,mint,3.0\n"},
                  "all ratings are 3"),
    "no label": ({"a.csv": f"{HEAD},label\nmint,a mint,mint,4.5\n"}, "'4.5' is no label"),
    "split": ({"a.csv": f"{HEAD},split\nmint,a mint,mint,dves\n"}, "unknown split 'dves'"),
    "no word": ({"a.csv": "sentence1,sentence2\na mint,mint\n"}, "no column for the word"),
    "start": ({"a.csv": f"{HEAD},start1\nmint,a mint,mint,2\n"}, "sentence 1 is incomplete"),
    "no tag": ({"a.data": json.dumps(MCL), "a.gold": json.dumps(TAGS[:1])}, r"'a\.0'"),
    "unknown use": ({"judgments.csv": f"{JUDGMENTS}u0\tu9\ta\t3\n", "uses.csv": USES}, "'u9'"),
    "two words": ({"a.json": json.dumps({"1": story("A seal, a seal.", 4)})}, "2 forms of 'seal'"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "says"), REFUSED.values(), ids=REFUSED)
def test_files_that_are_refused(tmp_path: Path, files: dict[str, str], says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        imported(tmp_path, files)
    assert not (tmp_path / "out").exists()


def test_names_of_splits_and_label_files() -> None:
    names = ("training.en-en.data", "fr_valid.txt", "test.data.txt", "IV.test.txt", "latest.csv")
    splits = [split_of(Path(name)) for name in names]
    assert splits == ["train", "dev", "test", "test", "all"]
    assert gold_of(Path("a/data.en.data")) == Path("a/data.en.gold")
    assert gold_of(Path("a/dev.DATA.TXT")) == Path("a/dev.gold.txt")
