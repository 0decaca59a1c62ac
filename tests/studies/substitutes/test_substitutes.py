"""What an encoder would say in the focal word's place: a known head, and transformers' own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from changed_config import check_changed, top
from changed_config import model as changed_model
from log_state import logs_as_before
from safetensors.torch import load_file, save_file
from small_results import run
from three_words import of_word, prepare
from tiny import corpus_of, tiny_bert, tiny_tokenizer

from wsd.artifacts.corpus_table import Corpus, write
from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.artifacts.substitute_table import Fillers, K, read_substitutes
from wsd.encoder.model import resolve
from wsd.errors import ModelError, ResultError
from wsd.studies.registry import STUDIES
from wsd.studies.substitutes.predict_substitutes import FillMask
from wsd.studies.substitutes.substitutes import substitutes

SENTENCES = corpus_of(
    ("the crane flew over the river", 1),
    ("near the old bank they saw a quixotically-misunderestimated crane .", 7),
    ("a crane", 1),
    ("crane lifted the machine", 0),
    n_train=2,
)
Built = Callable[..., Path]


def filled(model: FillMask, corpus: Corpus = SENTENCES, threads: int = 1) -> dict[str, Fillers]:
    ((_, result),) = model.fill([corpus], threads=threads)
    return result


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("tiny"), head=True)


def assert_naive(actual: dict[str, Fillers], folder: Path, pieces: Sequence[str]) -> None:
    """Compare with transformers' own head, asked for one whole sentence at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    for row, (tokens, at) in enumerate(zip(SENTENCES.tokens, SENTENCES.position, strict=True)):
        words = {MASKED: tokenizer.mask_token, PLAIN: tokens[at]}
        for seen, word in words.items():
            inputs = tokenizer(
                " ".join([*tokens[:at], word, *tokens[at + 1 :]]), return_tensors="pt"
            )
            if seen == MASKED:  # unmasked, the first piece of the word is there
                first = int((inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero())
            with torch.no_grad():
                logits = model(**inputs).logits[0, first]
            chances = logits.softmax(dim=0)
            chances[tokenizer.all_special_ids] *= -1
            likely = chances[: len(tokenizer)].topk(K)
            assert actual[seen].probabilities[row] == pytest.approx(likely.values, rel=1e-4)
            # Rounding may swap two nearly equal substitutes.
            spelt = [pieces[number] for number in likely.indices]
            own = actual[seen].pieces[row].tolist()
            assert {*own} == {*spelt} and own[0] == spelt[0]


def test_the_head_is_asked_at_the_first_piece_of_the_focal_word(tiny: Path) -> None:
    """The second focal word has many pieces."""
    model = FillMask.load(str(tiny), device="cpu")
    actual = filled(model)
    assert_naive(actual, tiny, model.pieces)
    special = set(tiny_tokenizer().all_special_tokens)
    for fillers in actual.values():
        assert all(len(pieces) == len(set(pieces)) == K for pieces in fillers.pieces)
        assert special.isdisjoint(fillers.pieces.flat)
        assert (np.diff(fillers.probabilities) <= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bert", "roberta", "albert", "distilbert", "modernbert", "mpnet", "xlm-roberta",
             "deberta-v2"]
)  # fmt: skip
def test_substitutes_are_those_of_transformers(built: Built, name: str) -> None:
    folder = built(name)
    model = FillMask.load(str(folder), device="cpu")
    assert_naive(filled(model), folder, model.pieces)


# Models without a usable head


def test_a_model_without_a_head_says_so_before_anything_is_written(tmp_path: Path) -> None:
    record = resolve("tiny", path=str(tiny_bert(tmp_path / "tiny")), sha256={}, blocks=2, width=32)
    with pytest.raises(ModelError, match="no masked-language-model head can be loaded") as caught:
        substitutes({tmp_path / "out" / "t": SENTENCES}, record, device="cpu", threads=1)
    assert "cls.predictions" in caught.value.problem and "analyses" in str(caught.value.fix)
    assert not (tmp_path / "out").exists()


def test_an_incomplete_head_is_refused(tiny: Path, tmp_path: Path) -> None:
    folder = zoo.copied(tiny, tmp_path / "lost")
    tensors = load_file(folder / "model.safetensors")
    del tensors["cls.predictions.transform.dense.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lack 1 .*transform\.dense\.weight"):
        FillMask.load(str(folder), device="cpu")


# Tables


def test_a_table_says_of_which_model_and_instances_it_is(tiny: Path, tmp_path: Path) -> None:
    record = resolve("tiny", path=str(tiny), sha256={}, blocks=2, width=32)
    substitutes({tmp_path / "crane.parquet": SENTENCES}, record, device="cpu", threads=1)
    words, provenance = read_substitutes(tmp_path, {"crane": SENTENCES})
    assert provenance["model"] == {key: value for key, value in record.items() if key != "folder"}
    assert len(words["crane"][MASKED].pieces) == len(SENTENCES)
    with pytest.raises(ResultError, match="other instances"):
        read_substitutes(tmp_path, {"crane": SENTENCES.take(np.array([True, True, True, False]))})


def test_a_new_or_changed_word_costs_that_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    prepare(tmp_path)

    def ask(*words: str) -> set[str]:
        """Return the words whose tables are new files."""
        before = {path.stat().st_ino for path in Path("s").glob("*.parquet")}
        data = ["--corpus", "corpus", "--words", *words, "--listing", "s/words.json", "--out", "s"]
        with logs_as_before():
            run("substitutes", "--model", "tiny.json", *data)
        tables = Path("s").glob("*.parquet")
        return {p.name.partition("@")[0] for p in tables if p.stat().st_ino not in before}

    assert ask("bat", "mole") == {"bat", "mole"}
    assert ask("bat", "crane", "mole") == {"crane"}
    write(Path("corpus/crane.parquet"), of_word("crane", 6))
    assert ask("bat", "crane", "mole") == {"crane"}


@pytest.mark.parametrize(
    ("input", "asked"), [("plain", 1), ("masked", 1), ("echo", 0), ({"mark": ["<", ">"]}, 0)]
)
def test_a_model_that_reads_more_than_the_sentence_is_left_out(input: Any, asked: int) -> None:
    config = check_changed(changed_model(input=input), top(analyses=["substitutes"]))
    assert len(STUDIES["substitutes"].models(config)) == asked
