"""What an encoder would say in the focal word's place: a known head, and transformers' own."""

import json
from collections.abc import Callable
from itertools import pairwise
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
from three_words import files, of_word, prepare
from tiny import corpus_of, tiny_bert, tiny_tokenizer

from wsd.artifacts.corpus_table import Corpus, write
from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.artifacts.substitute_table import SEEN, Fillers, K, read_substitutes
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
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT whose head says, at each place, the next piece of the vocabulary.

    Special tokens come next, likelier than all other pieces. Its decoder is not its embeddings.
    """
    folder = tmp_path_factory.mktemp("known")
    tokenizer = tiny_tokenizer()
    n, width = len(tokenizer), 128
    config = transformers.BertConfig(
        vocab_size=n, hidden_size=width, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=8, max_position_embeddings=64, tie_word_embeddings=False,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.BertForMaskedLM(config)
    with torch.no_grad():
        embeddings = model.bert.embeddings
        embeddings.position_embeddings.weight.zero_()
        embeddings.token_type_embeddings.weight.zero_()
        embeddings.word_embeddings.weight.copy_(torch.eye(n, width))
        # A little of the context remains, as a model without any is refused.
        model.bert.encoder.layer[0].attention.output.dense.weight.mul_(0.5)
        head = model.cls.predictions
        head.transform.dense.weight.copy_(torch.eye(width))
        head.transform.dense.bias.zero_()
        head.decoder.weight.zero_()
        head.decoder.weight[1:, : n - 1] = torch.eye(n - 1)
        head.decoder.bias.zero_()
        head.decoder.bias[:5] = 20.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_the_head_is_asked_at_the_focal_word_masked_and_left_in(known: Path) -> None:
    actual = filled(FillMask.load(str(known), device="cpu"))
    vocabulary = tiny_tokenizer().get_vocab()
    after = dict(pairwise(sorted(vocabulary, key=vocabulary.__getitem__)))
    firsts = {seen: [entry[0] for entry in actual[seen].pieces] for seen in SEEN}
    assert firsts[MASKED] == [after["[MASK]"]] * 4
    # The second focal word has many pieces; the model predicts at the first one.
    assert firsts[PLAIN] == [after[piece] for piece in ("crane", "q", "crane", "crane")]
    # Special tokens are never listed. Each of the five has more than the likeliest other piece.
    special = set(tiny_tokenizer().all_special_tokens)
    for fillers in actual.values():
        assert all(len(pieces) == len(set(pieces)) == K for pieces in fillers.pieces)
        assert special.isdisjoint(fillers.pieces.flat)
        assert (fillers.probabilities.sum(axis=1) < 0.05).all()
        assert (np.diff(fillers.probabilities) <= 0).all()


def generator(folder: Path) -> Path:
    """ELECTRA's generator, a model of its own."""
    tokenizer, stated = zoo.wordpiece("ElectraTokenizer")()
    zoo.network("ElectraConfig", "ElectraForMaskedLM", embedding_size=16)(
        tokenizer
    ).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bert", "roberta", "albert", "distilbert", "electra", "modernbert", "mpnet",
             "xlm-roberta", "deberta-v2"]
)  # fmt: skip
def test_masked_substitutes_equal_fill_mask(built: Built, tmp_path: Path, name: str) -> None:
    folder = generator(tmp_path / name) if name == "electra" else built(name)
    model = FillMask.load(str(folder), device="cpu")
    actual = filled(model)[MASKED]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    peer = transformers.pipeline("fill-mask", model=str(folder), tokenizer=tokenizer, device="cpu")
    for row, tokens in enumerate(SENTENCES.tokens):
        masked = list(tokens)
        masked[SENTENCES.position[row]] = tokenizer.mask_token
        output = peer(" ".join(masked), top_k=K + len(tokenizer.all_special_ids))
        output = [entry for entry in output if entry["token"] not in tokenizer.all_special_ids][:K]
        chances = [entry["score"] for entry in output]
        assert np.allclose(actual.probabilities[row], chances, rtol=1e-4, atol=1e-7)
        spelled = [model.pieces[entry["token"]] for entry in output]
        # Rounding may swap two nearly equal substitutes.
        assert set(actual.pieces[row]) == set(spelled) and actual.pieces[row][0] == spelled[0]


def test_any_number_of_threads_gives_the_same(known: Path) -> None:
    many = corpus_of(*((f"the crane {'flew ' * i}near the river", 1) for i in range(40)))
    model = FillMask.load(str(known), device="cpu")
    one, two = (filled(model, many, threads) for threads in (1, 2))
    for seen in SEEN:
        assert np.array_equal(one[seen].pieces, two[seen].pieces)
        assert np.array_equal(one[seen].probabilities, two[seen].probabilities)


# Models without a usable head


def test_a_model_without_a_head_says_so_before_anything_is_written(tmp_path: Path) -> None:
    record = resolve("tiny", path=str(tiny_bert(tmp_path / "tiny")), sha256={}, blocks=2, width=32)
    with pytest.raises(ModelError, match="no masked-language-model head can be loaded") as caught:
        substitutes({tmp_path / "out" / "t": SENTENCES}, record, device="cpu", threads=1)
    assert "cls.predictions" in caught.value.problem and "analyses" in str(caught.value.fix)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["electra", "gpt2", "bart", "t5"])
def test_a_discriminator_and_other_architectures_have_no_head(built: Built, name: str) -> None:
    with pytest.raises(ModelError, match="no masked-language-model head"):
        FillMask.load(str(built(name)), device="cpu")


@pytest.mark.parametrize("lost", ["transform.dense.weight", "decoder.weight"])
def test_an_incomplete_head_is_refused(known: Path, tmp_path: Path, lost: str) -> None:
    folder = zoo.copied(known, tmp_path / "lost")
    tensors = load_file(folder / "model.safetensors")
    del tensors[f"cls.predictions.{lost}"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=rf"lack 1 .*{lost}"):
        FillMask.load(str(folder), device="cpu")


def test_a_tokenizer_without_a_mask_token_is_refused(known: Path, tmp_path: Path) -> None:
    path = zoo.copied(known, tmp_path / "maskless") / "tokenizer_config.json"
    config = json.loads(path.read_text())
    del config["mask_token"]
    path.write_text(json.dumps(config))
    with pytest.raises(ModelError, match="no mask token"):
        FillMask.load(str(path.parent), device="cpu")


# Tables


def test_a_table_says_of_which_model_and_instances_it_is(known: Path, tmp_path: Path) -> None:
    record = resolve("known", path=str(known), sha256={}, blocks=1, width=128)
    substitutes({tmp_path / "crane.parquet": SENTENCES}, record, device="cpu", threads=1)
    words, provenance = read_substitutes(tmp_path, {"crane": SENTENCES})
    assert provenance["model"] == {key: value for key, value in record.items() if key != "folder"}
    assert len(words["crane"][MASKED].pieces) == len(SENTENCES)
    with pytest.raises(ResultError, match="other instances"):
        read_substitutes(tmp_path, {"crane": SENTENCES.take(np.array([True, True, True, False]))})


def test_a_new_or_changed_word_costs_that_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables have keyed names with a listing, and plain names without; steps read either."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    prepare(tmp_path)
    asked: list[str] = []
    fill = FillMask.fill

    def counted(self: FillMask, corpora: list[Corpus], **options: Any) -> Any:
        asked.extend(corpus.word for corpus in corpora)
        return fill(self, corpora, **options)

    def ask(*words: str, listing: bool = True) -> list[str]:
        asked.clear()
        more = ["--listing", "s/words.json", "--out", "s"] if listing else ["--out", "plain"]
        with logs_as_before():
            run("substitutes", "--model", "tiny.json", "--corpus", "corpus", "--words", *words,
                *more)  # fmt: skip
        return sorted(asked)

    monkeypatch.setattr(FillMask, "fill", counted)
    assert ask("bat", "mole") == ["bat", "mole"]
    before = files("s")
    assert ask("bat", "crane", "mole") == ["crane"]
    changed = {name for name in before if files("s")[name] != before[name]}
    assert changed == {"s/words.json", "s/.sums/words.json"}
    write(Path("corpus/crane.parquet"), of_word("crane", 6))
    assert ask("bat", "crane", "mole") == ["crane"]
    assert ask("bat", "crane", listing=False) == ["bat", "crane"]
    data = ["--corpus", "corpus", "--words", "bat", "crane"]
    with logs_as_before():
        for name, given in {"one": "plain", "other": "s/words.json"}.items():
            run("sense-substitutes", *data, "--substitutes", given, "--out", f"{name}.csv")
    assert Path("one.csv").read_bytes() == Path("other.csv").read_bytes()


@pytest.mark.parametrize(
    ("input", "asked"), [("plain", 1), ("masked", 1), ("echo", 0), ({"mark": ["<", ">"]}, 0)]
)
def test_a_model_that_reads_more_than_the_sentence_is_left_out(input: Any, asked: int) -> None:
    config = check_changed(changed_model(input=input), top(analyses=["substitutes"]))
    assert len(STUDIES["substitutes"].models(config)) == asked
