"""The reproduction check: it accepts our own vectors, and names every fault.

What was "published" is made here by a naive loop over a tiny encoder that imports nothing of wsd:
one sentence at a time, from the corpus's text files to the authors' own two kinds of file.
"""

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from builders import MakeCorpus, plain
from call_step import call_step
from checkout import Checkout, Run
from loaded_modules import loaded, of_every_command
from safetensors.numpy import load_file
from tiny import tiny_bert

from wsd import cli
from wsd.artifacts import corpus_table as corpora_of_artifacts
from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.vectors import Embeddings
from wsd.commands import COMMANDS
from wsd.corpora import text_format as corpora_of
from wsd.corpora.coarsewsd20 import ARCHIVE, place
from wsd.corpora.unpack_archive import extract
from wsd.encoder import embed as embed_module
from wsd.encoder.encoder import Encoder
from wsd.encoder.model import resolve
from wsd.errors import ConfigError, CorpusError, ResultError, WsdError
from wsd.run import modules_of_step
from wsd.studies.systems import reproduce, reproduction_verdict
from wsd.studies.systems.published import make_published, read_system
from wsd.studies.systems.published_centroids import read_centroids
from wsd.studies.systems.reproduce import ReproductionError
from wsd.studies.systems.system_descriptions import SYSTEMS

BLOCKS, WIDTH = 5, 32
SYSTEM = "1nn-bert-base-uncased"

# The corpus: our own sentences; the tiny vocabulary splits most words, also before the focal one.

SENSES = {
    "bank": ("bank_river_(shore)", "bank_money", "bank_blood"),
    "crane": ("crane_bird", "crane_machine"),
}
BEFORE = ("the", "near a muddy", "of the old", "they saw 1 grey", "a", "in may our")
AFTER = {
    "bank_river_(shore)": ("of the river slid .", "flew by", "was wet , green"),
    "bank_money": ("lent 20 coins", "fees rose", "of the town failed ."),
    "bank_blood": ("gave the nurse a bag", "was cold", "fridge hums"),
    "crane_bird": ("flew", "near the reeds sang", "and its egg"),
    "crane_machine": ("lifted a beam", "of the port fell", "swung , slow"),
}


def write_texts(folder: Path) -> Path:
    """The text files of the two words; every third sentence is a test sentence."""
    for word, senses in SENSES.items():
        lines: dict[str, list[tuple[str, int]]] = {"train": [], "test": []}
        rows = [
            (f"{before} {word} {after}", len(before.split()), code)
            for code, sense in enumerate(senses)
            for before in BEFORE
            for after in AFTER[sense]
        ]
        for i, (sentence, position, code) in enumerate(rows):
            lines["test" if i % 3 == 2 else "train"].append((f"{position}\t{sentence}", code))
        (folder / word).mkdir(parents=True)
        (folder / word / "classes_map.txt").write_text(json.dumps(dict(enumerate(senses))))
        for split, of_split in lines.items():
            data, gold = zip(*of_split, strict=True)
            (folder / word / f"{split}.data.txt").write_text("\n".join(data))
            (folder / word / f"{split}.gold.txt").write_text("\n".join(map(str, gold)))
    return folder


# A naive implementation of the authors' scripts, without code of wsd.


def naive_instances(folder: Path, split: str) -> Iterator[tuple[list[str], int, str]]:
    """(tokens, position, sense) of a word's split."""
    senses = json.loads((folder / "classes_map.txt").read_text())
    data = (folder / f"{split}.data.txt").read_text().split("\n")
    gold = (folder / f"{split}.gold.txt").read_text().split("\n")
    for line, number in zip(data, gold, strict=True):
        position, sentence = line.split("\t")
        yield sentence.split(), int(position), senses[number]


class NaiveEncoder:
    def __init__(self, folder: Path) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        torch.set_num_threads(1)  # several, on cores that are busy, take thirty times as long

    def __call__(self, tokens: Sequence[str], position: int) -> np.ndarray:
        words = [self.tokenizer.encode(token, add_special_tokens=False) for token in tokens]
        ids = [
            self.tokenizer.cls_token_id,
            *(piece for word in words for piece in word),
            self.tokenizer.sep_token_id,
        ]
        with torch.no_grad():
            states = self.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
        total = np.zeros(WIDTH, dtype=np.float32)
        for layer in (-1, -2, -3, -4):
            pieces = states[layer][0][1:-1].numpy()  # without the special tokens
            start = sum(len(word) for word in words[:position])
            total += pieces[start : start + len(words[position])].mean(axis=0)
        return total


def naive_publish(texts: Path, model: Path, out: Path) -> None:
    """Write ``centroids.txt`` and ``<word>.jsonl``."""
    encode = NaiveEncoder(model)
    words = sorted(folder.name for folder in texts.iterdir())
    sums: dict[str, np.ndarray] = {}
    counts: dict[str, int] = {}
    for word in words:
        for tokens, position, sense in naive_instances(texts / word, "train"):
            sums[sense] = sums.get(sense, np.float32(0)) + encode(tokens, position)
            counts[sense] = counts.get(sense, 0) + 1
    out.mkdir()
    with (out / "centroids.txt").open("w") as file:
        for sense, total in sums.items():
            numbers = (total / counts[sense]).tolist()
            file.write(f"{sense} {' '.join(str(round(number, 6)) for number in numbers)}\n")
    directions = {}
    for line in (out / "centroids.txt").read_text().splitlines():
        sense, *numbers = line.split()
        vector = np.array([float(number) for number in numbers], dtype=np.float32)
        directions[sense] = vector / np.linalg.norm(vector)
    for word in words:
        with (out / f"{word}.jsonl").open("w") as file:
            for i, (tokens, position, gold) in enumerate(naive_instances(texts / word, "test")):
                vector = encode(tokens, position)
                vector = vector / np.linalg.norm(vector)
                matches = sorted(
                    (
                        (sense, float(direction @ vector))
                        for sense, direction in directions.items()
                        if sense.startswith(f"{word}_")
                    ),
                    key=lambda match: -match[1],
                )
                output = {"gold": gold, "idx": i, "matches": matches, "tokens": tokens}
                file.write(json.dumps(output, sort_keys=True) + "\n")


# Our vectors


@dataclasses.dataclass
class Scene:
    """A corpus, our vectors of it, and the published files."""

    root: Path
    model: Path
    corpora: dict[str, Corpus]

    @property
    def centroids(self) -> Path:
        return self.root / "source/published/centroids.txt"

    @property
    def outputs(self) -> Path:
        return self.root / "source/published" / SYSTEM

    @property
    def published(self) -> Path:
        return self.root / "published.parquet"

    @property
    def out(self) -> Path:
        return self.root / "found/reproduce.json"

    def build(self) -> None:
        make_published(self.root / "source", SYSTEM, self.corpora, self.published)

    def embed(self, word: str) -> None:
        record = resolve("tiny", path=str(self.model), sha256={}, blocks=BLOCKS, width=WIDTH)
        word_files = embed_module.Word(self.corpora[word], self.root / "e" / word, plain("focal"))
        embed_module.embed([word_files], record, embed_module.Options(device="cpu"))

    def run(self, **changes: Any) -> dict[str, Any]:
        """Run the check; return its output and whether it passes."""
        files = {"centroids": self.centroids, "published": self.published, "out": self.out}
        try:
            call_step(reproduce, self.corpora, embeddings=self.root / "e", **files | changes)
        finally:
            result = json.loads(self.out.read_text()) if self.out.exists() else {}
        return result

    def fails(self) -> tuple[dict[str, Any], ReproductionError]:
        """Run a check that must fail; it writes both files nevertheless."""
        with pytest.raises(ReproductionError) as caught:
            self.run()
        assert caught.value.where == str(self.out.with_suffix(".txt"))
        text = self.out.with_suffix(".txt").read_text()
        assert text.startswith("FAIL: tiny, sum-last-4, beside the published " + SYSTEM)
        result = json.loads(self.out.read_text())
        assert not result["passed"]
        return result, caught.value

    def our_centroids(self, layers: Sequence[int]) -> dict[str, np.ndarray]:
        """Compute from the files of vectors, without the tested code."""
        means = {}
        for word, corpus in self.corpora.items():
            vectors = load_file(self.root / "e" / word / "focal.safetensors")["vectors"]
            chosen = vectors[list(layers)].astype(float).sum(axis=0)
            for code, sense in enumerate(corpus.senses):
                means[sense] = chosen[(corpus.split == "train") & (corpus.gold == code)].mean(
                    axis=0
                )
        return means

    def cosines(self, layers: Sequence[int] = (2, 3, 4, 5)) -> dict[str, float]:
        """Return the cosines of our centroids with the published ones, in ascending order."""
        ours, theirs = self.our_centroids(layers), read_centroids(self.centroids)
        results = {
            sense: float(
                ours[sense] @ theirs[sense] / np.sqrt((ours[sense] ** 2).sum())
                / np.sqrt((theirs[sense] ** 2).sum())
            )
            for sense in ours
        }  # fmt: skip
        return dict(sorted(results.items(), key=lambda pair: pair[1]))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    root = tmp_path_factory.mktemp("made")
    texts = write_texts(root / "texts")
    tiny_bert(root / "model", blocks=BLOCKS, width=WIDTH)
    naive_publish(texts, root / "model", root / "naive")
    scene = Scene(
        root, root / "model", {word: corpora_of.read_text(texts / word, word) for word in SENSES}
    )
    scene.outputs.mkdir(parents=True)
    shutil.copy(root / "naive/centroids.txt", scene.centroids)
    for word, corpus in scene.corpora.items():
        shutil.copy(root / "naive" / f"{word}.jsonl", scene.outputs)
        corpora_of_artifacts.write(root / "corpus" / f"{word}.parquet", corpus)
        scene.embed(word)
    scene.build()
    return scene


@pytest.fixture
def scene(made: Scene, tmp_path: Path) -> Scene:
    """Copy the files for a test that damages them."""
    shutil.copytree(made.root, tmp_path / "scene")
    return Scene(tmp_path / "scene", made.model, made.corpora)


def senses_of(comparison: dict[str, Any]) -> dict[str, float]:
    return {row["sense"]: row["cosine"] for row in comparison["centroids"]["senses"]}


def test_our_vectors_reproduce_the_naive_ones(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="wsd"):
        actual = scene.run()
    assert actual["passed"] and actual["centroids"]["passed"] and actual["predictions"]["passed"]
    cosines = senses_of(actual)
    assert set(cosines) == {sense for senses in SENSES.values() for sense in senses}
    assert cosines == pytest.approx(scene.cosines(), abs=1e-12)
    assert list(cosines.values()) == sorted(cosines.values())
    # As exact as six decimals let it be: no near pass.
    assert actual["centroids"]["lowest_cosine"] == next(iter(cosines.values())) > 1 - 1e-9
    assert {row["n_train"] for row in actual["centroids"]["senses"]} == {12}
    assert [row["length"] for row in actual["centroids"]["senses"]] == pytest.approx([1] * 5)
    output = actual["predictions"]
    assert (output["n"], output["agreement"], output["differing"]) == (30, 1.0, [])
    assert {word["word"]: word["n"] for word in output["words"]} == {"bank": 18, "crane": 12}
    assert 0 < output["score_difference"]["mean"] < output["score_difference"]["largest"] < 1e-5
    assert output["accuracy"]["difference"] == 0
    # Right on some and wrong on some: the agreement is of more than the gold senses.
    assert 0.4 < output["accuracy"]["ours"] < 1
    text = scene.out.with_suffix(".txt").read_text()
    assert text in caplog.text
    assert text.startswith(f"PASS: tiny, sum-last-4, beside the published {SYSTEM}\n")
    assert "pass: 30 of 30 test instances agree, 100.0000%" in text
    assert text.endswith("prediction: none\n")
    origin = actual["provenance"]
    assert origin["encoder"]["model"]["name"] == "tiny"
    assert origin["corpus"] == {word: c.digest for word, c in scene.corpora.items()}
    assert origin["published"]["source"] == SYSTEMS[SYSTEM].source
    for tokens in (tokens for corpus in scene.corpora.values() for tokens in corpus.tokens):
        assert " ".join(tokens) not in text + json.dumps(actual), "sentences are not ours to spread"


def test_some_of_the_words(scene: Scene) -> None:
    scene.corpora = {"crane": scene.corpora["crane"]}
    actual = scene.run()
    assert set(senses_of(actual)) == set(SENSES["crane"])
    assert actual["predictions"]["n"] == 12


# Faults in our vectors


def test_layers_shifted_by_one(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = Embeddings.layer
    monkeypatch.setattr(Embeddings, "layer", lambda self, number: layer(self, number - 1))
    actual, error = scene.fails()
    expected = scene.cosines((1, 2, 3, 4))
    assert senses_of(actual) == pytest.approx(expected, abs=1e-7)  # ours are summed in float32
    worst = next(iter(expected))
    assert actual["centroids"]["senses"][0]["sense"] == worst
    assert error.problem.startswith(
        f"the published results are not reproduced: the centroid of {worst!r} has cosine"
    )
    assert f"{expected[worst]:.5f}" in error.problem
    assert "the layers" in str(error.fix)


@pytest.mark.parametrize("word", SENSES)
@pytest.mark.parametrize("step", [1, -1])
def test_alignment_off_by_one_piece(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, word: str, step: int
) -> None:
    """Only one word is affected, and its senses are the worst."""
    align = Encoder.align

    def off(self: Encoder, corpus: Corpus) -> list[Any]:
        return [
            dataclasses.replace(aligned_sentence, focal=[i + step for i in aligned_sentence.focal])
            for aligned_sentence in align(self, corpus)
        ]

    monkeypatch.setattr(Encoder, "align", off)
    scene.embed(word)
    actual, error = scene.fails()
    cosines = senses_of(actual)
    assert cosines == pytest.approx(scene.cosines(), abs=1e-7)
    n = len(SENSES[word])
    assert set(list(cosines)[:n]) == set(SENSES[word])
    assert max(list(cosines.values())[:n]) < reproduction_verdict.COSINE
    assert min(list(cosines.values())[n:]) > 1 - 1e-9
    assert f"the centroid of {next(iter(scene.cosines()))!r}" in error.problem
    # The word's predictions change too, and those of no other word.
    agreement = {row["word"]: row["agreement"] for row in actual["predictions"]["words"]}
    assert next(iter(agreement)) == word
    assert agreement.pop(word) < 1
    assert set(agreement.values()) == {1.0}


def test_other_layers_than_the_authors(scene: Scene) -> None:
    with pytest.raises(ReproductionError):
        scene.run(layers="sum-last-3")
    assert json.loads(scene.out.read_text())["provenance"]["layers"] == "sum-last-3"
    # By cosine, mean and sum are equal; the lengths distinguish them.
    actual = scene.run(layers="mean-last-4")
    lengths = [row["length"] for row in actual["centroids"]["senses"]]
    assert lengths == pytest.approx([0.25] * 5)


# Faults in the published files


def test_two_centroids_swapped(scene: Scene) -> None:
    lines = [line.split(" ", 1) for line in scene.centroids.read_text().splitlines()]
    numbers = dict(lines)
    first, second = "bank_money", "bank_blood"
    numbers[first], numbers[second] = numbers[second], numbers[first]
    scene.centroids.write_text("".join(f"{s} {n}\n" for s, n in numbers.items()))
    actual, error = scene.fails()
    cosines = senses_of(actual)
    assert set(list(cosines)[:2]) == {first, second}
    assert max(cosines[first], cosines[second]) < reproduction_verdict.COSINE
    assert min(list(cosines.values())[2:]) > 1 - 1e-9
    assert f"the centroid of {next(iter(cosines))!r} has cosine" in error.problem
    assert "differ" not in error.problem
    assert actual["predictions"]["passed"] and not actual["centroids"]["passed"]


@pytest.mark.parametrize(("word", "line"), [("bank", 4), ("crane", 11)])
def test_one_prediction_flipped(scene: Scene, word: str, line: int) -> None:
    path = scene.outputs / f"{word}.jsonl"
    outputs = [json.loads(text) for text in path.read_text().splitlines()]
    (first, high), (second, low), *rest = outputs[line]["matches"]
    outputs[line]["matches"] = [[second, high], [first, low], *rest]
    path.write_text("".join(json.dumps(output) + "\n" for output in outputs))
    scene.build()
    actual, error = scene.fails()
    assert actual["centroids"]["passed"] and not actual["predictions"]["passed"]
    assert actual["predictions"]["agreement"] == 29 / 30
    (differing,) = actual["predictions"]["differing"]
    margins = differing.pop("our_margin"), differing.pop("published_margin")
    assert margins == pytest.approx((high - low, high - low), abs=1e-5)
    gold = outputs[line]["gold"]
    assert differing == {
        "word": word, "index": line, "gold": gold, "ours": first, "published": second
    }  # fmt: skip
    message = actual["predictions"]
    assert message["words"][0]["word"] == word
    assert message["words"][0]["score_difference"] == pytest.approx(high - low, abs=1e-5)
    right = (first == gold) - (second == gold)
    assert message["accuracy"]["difference"] == pytest.approx(right / 30)
    assert error.problem.endswith(f"1 of 30 predictions differ, such as that of {word} test {line}")
    rows = scene.out.with_suffix(".txt").read_text().splitlines()
    assert rows[-1].split() == [
        *(str(line), f"{margins[0]:.2e}", f"{margins[1]:.2e}"),
        *(word, gold, first, second),
    ]


def test_several_predictions_flipped(scene: Scene) -> None:
    """The one with the greatest margin is named."""
    path = scene.outputs / "crane.jsonl"
    outputs = [json.loads(text) for text in path.read_text().splitlines()]
    margins = []
    for output in outputs:
        (first, high), (second, low) = output["matches"]
        output["matches"] = [[second, high], [first, low]]
        margins.append(high - low)
    path.write_text("".join(json.dumps(output) + "\n" for output in outputs))
    scene.build()
    actual, error = scene.fails()
    order = sorted(range(12), key=lambda i: -margins[i])
    assert [row["index"] for row in actual["predictions"]["differing"]] == order
    assert error.problem.endswith(
        f"12 of 30 predictions differ, such as that of crane test {order[0]}"
    )


# Invalid files


def drop_line(text: str) -> str:
    return text.split("\n", 1)[1]


CENTROIDS: dict[str, tuple[Callable[[str], str], type[WsdError], str]] = {
    "a sense less": (drop_line, CorpusError, "no centroid of 'bank_river_(shore)', a sense of 'b"),
    "a sense more": (
        lambda text: text + text.split("\n")[0].replace("river", "lake") + "\n",
        CorpusError,
        "a centroid of 'bank_lake_(shore)', but 'bank' has bank_river_(shore), bank_money",
    ),
    "another encoder's": (
        lambda text: "".join(f"{line} 0.5\n" for line in text.splitlines()),
        ResultError,
        "the vectors of 'bank' have 32 numbers, the published centroids 33",
    ),
    "no numbers": (lambda text: text.replace(".", ",", 1), CorpusError, "is not a number"),
    "empty": (lambda text: "", CorpusError, "the file is empty"),
}


@pytest.mark.parametrize(("change", "error", "says"), CENTROIDS.values(), ids=CENTROIDS)
def test_foreign_centroids(
    scene: Scene, change: Callable[[str], str], error: type[WsdError], says: str
) -> None:
    scene.centroids.write_text(change(scene.centroids.read_text()))
    with pytest.raises(error) as caught:
        scene.run()
    assert says in caught.value.problem
    assert caught.value.where
    assert not scene.out.exists()


def test_centroids_of_further_words_do_no_harm(scene: Scene) -> None:
    more = "".join(f"banker_{i} {'1.5 ' * (WIDTH - 1)}1.5\n" for i in range(2))
    scene.centroids.write_text(more + scene.centroids.read_text())
    assert len(senses_of(scene.run())) == 5


@pytest.mark.parametrize("number", ["0.0", "1e308"])
def test_a_centroid_without_direction_is_like_nothing(scene: Scene, number: str) -> None:
    lines = scene.centroids.read_text().splitlines()
    sense = lines[3].split()[0]
    lines[3] = " ".join([sense, *[number] * WIDTH])
    scene.centroids.write_text("\n".join(lines))
    actual, error = scene.fails()
    assert actual["centroids"]["senses"][0] | {"n_train": 0} == {
        "word": "crane", "sense": sense, "n_train": 0, "cosine": 0.0, "length": 0.0
    }  # fmt: skip
    assert f"{sense!r} has cosine 0.00000" in error.problem


def rewritten(scene: Scene, change: Callable[[list[WordPredictions], dict[str, Any]], Any]) -> None:
    """Write the file of published predictions again, with a change of its words or provenance."""
    words, provenance = predictions.read_predictions(scene.published)
    provenance.pop("words")
    words = change(words, provenance) or words
    predictions.write_predictions(scene.published, words, provenance)


def ours_instead(words: list[WordPredictions], provenance: dict[str, Any]) -> None:
    del provenance["encoder"]["published"]


def other_layers(words: list[WordPredictions], provenance: dict[str, Any]) -> None:
    provenance["layers"] = "concat-last-4"


def other_corpus(words: list[WordPredictions], provenance: dict[str, Any]) -> None:
    provenance["corpus"]["crane"] = "0" * 64


def one_word(words: list[WordPredictions], provenance: dict[str, Any]) -> list[WordPredictions]:
    return words[1:]


def other_gold(words: list[WordPredictions], provenance: dict[str, Any]) -> list[WordPredictions]:
    return [words[0], dataclasses.replace(words[1], gold=1 - words[1].gold)]


def no_encoder(words: list[WordPredictions], provenance: dict[str, Any]) -> None:
    del provenance["encoder"]["model"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (ours_instead, f"the predictions of {SYSTEM!r} are not those of published nearest"),
        (other_layers, f"the predictions of {SYSTEM!r} are not those of published nearest"),
        (other_corpus, "the table has other instances of 'crane' than the corpus"),
        (one_word, "the table lacks the word 'bank'; it has crane"),
        (other_gold, "the table has other instances of 'crane' than the corpus"),
        (no_encoder, "the file does not have the expected content: KeyError 'model'"),
    ],
)
def test_foreign_predictions(scene: Scene, change: Callable[..., Any], says: str) -> None:
    rewritten(scene, change)
    with pytest.raises(ResultError) as caught:
        scene.run()
    assert says in caught.value.problem
    assert caught.value.where == str(scene.published)
    assert not scene.out.exists()


def test_another_published_system(scene: Scene) -> None:
    shutil.copytree(scene.outputs, scene.outputs.with_name("fasttext-base-100d"))
    make_published(scene.root / "source", "fasttext-base-100d", scene.corpora, scene.published)
    with pytest.raises(ResultError, match="'fasttext-base-100d' are not those of published") as c:
        scene.run()
    assert "wsd published" in str(c.value.fix)


def test_missing_files(scene: Scene) -> None:
    for path, error in (
        (scene.root / "e/crane/focal.safetensors", ResultError),
        (scene.published, ResultError),
        (scene.centroids, CorpusError),
    ):
        path.rename(path.with_suffix(".away"))
        with pytest.raises(error, match="missing") as caught:
            scene.run()
        assert caught.value.where == str(path)
        path.with_suffix(".away").rename(path)
    scene.published.write_bytes(b"PAR1")
    with pytest.raises(ResultError, match="the file has changed since it was written"):
        scene.run()


def test_vectors_of_another_corpus(scene: Scene) -> None:
    shutil.copytree(scene.root / "e/bank", scene.root / "e/crane", dirs_exist_ok=True)
    with pytest.raises(ResultError, match="another table than the corpus of 'crane'"):
        scene.run()


def test_a_sense_without_training_instances(scene: Scene) -> None:
    crane = scene.corpora["crane"]
    with pytest.raises(CorpusError, match=r"'crane_machine' has no training instance"):
        reproduce.check_senses(
            read_centroids(scene.centroids),
            {"crane": crane.take((crane.split == "test") | (crane.gold == 0))},
            scene.centroids,
        )


def test_the_text_must_not_take_the_place_of_the_json(scene: Scene) -> None:
    with pytest.raises(ConfigError, match=r"does not end with \.json"):
        scene.run(out=scene.root / "reproduce.txt")


# The thresholds


def toy(n: int, wrong: int, scores: Sequence[float] = (0.5, 0.25)) -> WordPredictions:
    predicted = np.zeros(n, dtype=np.int32)
    predicted[:wrong] = 1
    rows = np.array([scores] * n)
    rows[:wrong] = scores[::-1]
    gold = np.zeros(n, dtype=np.int32)
    return WordPredictions("mint", ("a", "b"), 4, np.arange(n), gold, predicted, rows)


def sense_row(name: str = "a", cosine: float = 1.0) -> dict[str, Any]:
    return {"word": "mint", "sense": name, "n_train": 4, "cosine": cosine, "length": 1.0}


@pytest.mark.parametrize(("wrong", "passes"), [(0, True), (1, True), (2, False)])
def test_the_threshold_of_agreement(wrong: int, passes: bool) -> None:
    word, differing = reproduction_verdict.compare_predictions(toy(1000, 0), toy(1000, wrong))
    actual = reproduction_verdict.summarize([sense_row()], [word], differing, {})
    output = actual["predictions"]
    assert (output["n"], output["agreement"]) == (1000, 1 - wrong / 1000)
    assert actual["passed"] is output["passed"] is passes
    assert (output["accuracy"]["ours"], output["accuracy"]["published"]) == (1.0, 1 - wrong / 1000)
    assert word["mean_score_difference"] == pytest.approx(0.25 * wrong / 1000)
    assert word["score_difference"] == (0.25 if wrong else 0)
    # Where the centroids alone are at fault, a near tie is not named.
    low = reproduction_verdict.summarize([sense_row(cosine=0.5)], [word], differing, {})
    problem = reproduce._failure(low, Path("r.txt")).problem
    assert "the centroid of 'a' has cosine 0.5" in problem
    assert ("predictions differ" in problem) is not passes


@pytest.mark.parametrize(("cosine", "passes"), [(1.0, True), (0.9999, True), (0.99989, False)])
def test_the_threshold_of_cosine(cosine: float, passes: bool) -> None:
    senses = [sense_row("a"), sense_row("b", cosine)]
    word, differing = reproduction_verdict.compare_predictions(toy(10, 0), toy(10, 0))
    for order in (senses, senses[::-1]):
        assert reproduction_verdict.summarize(order, [word], differing, {})["passed"] is passes


def test_cosines_and_lengths_of_known_vectors(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([("train", 0), ("train", 1), ("train", 1), ("test", 0)])
    ours = {"a": np.array([3.0, 4.0]), "b": np.array([0.0, 2.0])}
    theirs = {"a": np.array([8.0, 6.0]), "b": np.array([0.0, -1.0]), "c": np.array([1.0, 1.0])}
    assert reproduction_verdict.compare_centroids(corpus, ours, theirs) == [
        {"word": "mint", "sense": "a", "n_train": 1, "cosine": 0.96, "length": 0.5},
        {"word": "mint", "sense": "b", "n_train": 2, "cosine": -1.0, "length": 2.0},
    ]


def test_the_least_excusable_differences_come_first() -> None:
    def match(word: str, differing: int) -> dict[str, Any]:
        return {
            **{"word": word, "n": 10, "agreeing": 10 - differing, "our_right": 9},
            **{"agreement": 1 - differing / 10, "published_right": 8},
            **{"score_difference": 0.5, "mean_score_difference": 0.25},
        }

    margins = [(1, 1e-6, 0.9), (2, 0.2, 0.1), (4, 0.9, 1e-7), (3, 0.3, 0.3)]
    differing = [{"index": i, "our_margin": x, "published_margin": y} for i, x, y in margins]
    words = [match("x", 3), match("y", 0), match("z", 1)]
    actual = reproduction_verdict.summarize([sense_row()], words, differing, {})["predictions"]
    assert [entry["index"] for entry in actual["differing"]] == [3, 2, 1, 4]
    assert [word["word"] for word in actual["words"]] == ["x", "z", "y"]
    assert actual["agreement"] == 26 / 30
    assert (actual["accuracy"]["ours"], actual["accuracy"]["published"]) == (27 / 30, 24 / 30)


def test_long_lists_are_cut_in_the_text_alone() -> None:
    word, differing = reproduction_verdict.compare_predictions(toy(20, 0), toy(20, 12))
    names = {
        "encoder": {"model": {"name": "ours"}},
        "published": {"model": {"name": "theirs"}},
        "layers": "sum-last-4",
    }
    actual = reproduction_verdict.summarize([sense_row()], [word], differing, names)
    text = reproduction_verdict.as_text(actual)
    assert "(10 of 12)" in text
    assert len(text.split("(10 of 12)\n")[1].splitlines()) == 1 + 10
    assert len(actual["predictions"]["differing"]) == 12


# The command and the rule


def arguments(scene: Scene) -> list[str]:
    return [
        *("reproduce", "--corpus", str(scene.root / "corpus"), "--words", *SENSES),
        *("--embeddings", str(scene.root / "e"), "--centroids", str(scene.centroids)),
        *("--published", str(scene.published), "--out", str(scene.out)),
    ]


def messages(log: Path) -> str:
    """What a log says, without the rest of its lines."""
    return "\n".join(json.loads(line)["message"] for line in log.read_text().splitlines())


def test_the_command(scene: Scene, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "r.log"
    assert cli.main(["--log", str(log), *arguments(scene)]) == 0
    text = scene.out.with_suffix(".txt").read_text()
    assert text in capsys.readouterr().err
    assert text in messages(log)
    assert cli.main([*arguments(scene), "--layers", "sum-last-3"]) == 1
    err = capsys.readouterr().err
    assert "FAIL: tiny, sum-last-3" in err
    assert "error: the published results are not reproduced" in err
    assert "Traceback" not in err
    assert scene.out.with_suffix(".txt").read_text().startswith("FAIL: tiny, sum-last-3")
    scene.centroids.unlink()
    assert cli.main(arguments(scene)) == CorpusError.exit_code


@pytest.mark.slow
def test_the_command_loads_the_derived_modules(scene: Scene) -> None:
    derived = modules_of_step.closure(COMMANDS["reproduce"].module) | of_every_command()
    assert loaded(scene.root, *arguments(scene)) <= derived


@pytest.mark.slow
def test_the_rule(archive: Path, tmp_path: Path) -> None:
    """On random weights, as wide as the real ones: it fails, and what it found is still there."""
    checkout = Checkout.create(tmp_path / "repository")
    tiny_bert(tmp_path / "model", blocks=3, width=768, max_length=512)
    other = {"name": "other", "path": str(tmp_path / "model"), "blocks": 3, "width": 768}
    golden = {**other, "name": "bert-base-uncased"}
    shared = {"dataset": "coarsewsd20", "words": ["digit"], "layers": ["all"]}
    first = checkout.configure("first", **shared, models=[other])
    both = checkout.configure("both", **shared, models=[other, golden])

    def run(config: str, name: str) -> Run:
        done = checkout.run(
            *("reproduce", "--cores", "1", "--configfile", config),
            code=1,
            WSD_COARSEWSD20_ARCHIVE=str(archive),
        )
        folder = checkout.root / "results/logs/coarsewsd20" / name
        text = (folder / "reproduce.txt").read_text()
        assert text.startswith(f"FAIL: {name}, sum-last-4, beside the published {SYSTEM}\n")
        assert text in messages(folder / "reproduce.log")
        assert text.splitlines()[0] in done.text
        assert f"reproduce: the vectors of {name} compared with the published ones" in done.text
        actual = json.loads((folder / "reproduce.json").read_text())
        assert set(senses_of(actual)) == {"digit_digit_(anatomy)", "digit_numerical_digit"}
        return done

    own = {"model": 1, "embed": 1, "reproduce": 1}
    assert run(first, "other").jobs == {"download": 1, "corpus": 1, "published": 1, **own}
    # Beside others, the model of that name is the one that is checked.
    assert run(both, "bert-base-uncased").jobs == own


# The real files


@pytest.fixture(scope="module")
def source(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "source"
    wanted = ("published/centroids/", f"published/{SYSTEM}/")
    manifest = ARCHIVE.file_checksums()
    extract(archive, out, {n: d for n, d in manifest.items() if place(n).startswith(wanted)})
    return out


def test_the_real_files_are_of_one_piece(
    source: Path, real_corpora: dict[str, Corpus], tmp_path: Path
) -> None:
    """Everything but our vectors: the files are read, and fit the corpus and each other."""
    centroids = source / "published/centroids/bert-base-uncased.txt"
    actual = read_centroids(centroids)
    assert len(actual) == 53
    assert {vector.shape for vector in actual.values()} == {(768,)}
    assert set(actual) == {sense for corpus in real_corpora.values() for sense in corpus.senses}
    reproduce.check_senses(actual, real_corpora, centroids)
    path = tmp_path / "published.parquet"
    make_published(source, SYSTEM, real_corpora, path)
    read, _ = reproduce.read_published(path, real_corpora)
    matches = [reproduction_verdict.compare_predictions(words, words) for words in read.values()]
    summary = reproduction_verdict.summarize(
        [
            match
            for corpus in real_corpora.values()
            for match in reproduction_verdict.compare_centroids(corpus, actual, actual)
        ],
        [word for word, _ in matches],
        [entry for _, differing in matches for entry in differing],
        {},
    )
    assert summary["passed"] and len(summary["centroids"]["senses"]) == 53
    output = summary["predictions"]
    assert (output["n"], output["agreement"]) == (10196, 1.0)
    assert (
        f"{output['accuracy']['ours']:.4f}" == f"{output['accuracy']['published']:.4f}" == "0.9571"
    )


def test_the_basis_of_the_thresholds(source: Path, real_corpora: dict[str, Corpus]) -> None:
    actual = read_centroids(source / "published/centroids/bert-base-uncased.txt")
    directions = {sense: vector / np.linalg.norm(vector) for sense, vector in actual.items()}
    closest = max(
        float(directions[entry] @ directions[other])
        for corpus in real_corpora.values()
        for entry in corpus.senses
        for other in corpus.senses
        if entry < other
    )
    assert closest == pytest.approx(0.9723, abs=1e-4)
    assert closest < reproduction_verdict.COSINE, "two senses swapped would pass"
    read = read_system(source, SYSTEM, real_corpora)
    best = [np.sort(words.scores, axis=1) for words in read]
    lead = np.concatenate([scores[:, -1] - scores[:, -2] for scores in best])
    assert ((lead < 1e-4).sum(), (lead < 1e-3).sum(), len(lead)) == (2, 28, 10196)
