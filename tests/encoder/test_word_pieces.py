"""Alignment: properties of any text against an oracle, refused text, and the report."""

import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import zoo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_encoder import Naive
from tiny import corpus_of, tiny_tokenizer
from tokenizers import Tokenizer, decoders, models, normalizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from wsd.artifacts.corpus_table import Corpus
from wsd.cli import main
from wsd.encoder import alignment
from wsd.encoder.match_word_pieces import Aligned, Aligner, normalised, spelling
from wsd.errors import ModelError, ResultError

Built = Callable[..., Path]

# One architecture for each tokenizer of the zoo; the others differ in special tokens at most.
SHARED = {
    "bert-large", "distilbert", "electra", "mobilebert", "ernie", "nomic-bert", "bart",
    "longformer", "modernbert-decoder", "xlm-roberta-xl", "mt5", "mistral", "phi3", "qwen3",
    "gemma3", "olmo2", "smollm3", "lfm2",
}  # fmt: skip
TOKENIZERS = sorted(set(zoo.KINDS) - SHARED)

# Characters that are difficult for tokenizers or for counting words.
HARD = [
    "crane", "Crane", "cranes", "CRANE", "don't", "can't", "n't", "'s", "'", "``", "''", ",", ".",
    "...", "\u2026", "u.s.", "x-ray", "-", "(", ")", "[", "]", "<", ">", "|", "do", "not", "a",
    # Not one to one: ligatures, wide letters, fractions, composed letters, separate marks.
    "\ufb01nch", "\uff23\uff32\uff21\uff2e\uff25", "\u00bd", "\u2460", "\u2122", "na\u00efve",
    "e\u0301te\u0301", "\u0300", "\u0301\u0302", "a\u0338", "\u0345", "\u1e9e", "\u0130",
    # Invisible or vanishing characters: joiners, soft hyphen, byte order mark, control.
    "\u200b", "\u200d", "\u00ad", "\ufeff", "\x01", "\x7f", "\u0600", "\U000e0041",
    # Emoji of one and several code points, and other scripts.
    "\U0001f9a9", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\u8d77\u91cd\u673a", "\u043a\u0440\u0430\u043d", "\u0e44\u0e17\u0e22", "\u0b95\u0bcd\u0bb7",
    # The tokenizers' special marks, as text.
    "\u2581", "\u2581crane", "\u2581\u2581", "##s", "##", "\u0120", "\u0120crane",
    "antidisestablishmentarianism", "quixotically-misunderestimated", "x" * 120,
]  # fmt: skip
ANY = st.text(
    st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=6
).filter(lambda token: token.split() == [token])
SENTENCE = st.lists(st.one_of(st.sampled_from(HARD), ANY), min_size=1, max_size=9)


def one_instance(tokens: list[str], position: int) -> Corpus:
    return Corpus(
        word="crane",
        senses=("bird",),
        split=np.array(["train"]),
        index=np.zeros(1, np.int32),
        tokens=(tuple(tokens),),
        position=np.array([position], dtype=np.int32),
        gold=np.zeros(1, np.int32),
    )


@pytest.fixture(scope="module", params=TOKENIZERS)
def oracle(request: pytest.FixtureRequest, built: Built) -> Iterator[Naive]:
    """The naive loop's tokenizer without its model."""
    naive = Naive.__new__(Naive)
    naive.tokenizer = AutoTokenizer.from_pretrained(built(request.param))
    yield naive


def try_align(aligner: Aligner, tokens: list[str], position: int) -> Aligned | ModelError:
    try:
        return aligner.align(one_instance(tokens, position))[0]
    except ModelError as error:
        return error


ANYTHING = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.slow
def test_any_text_is_aligned_by_its_characters(oracle: Naive) -> None:
    """Focal word and context follow the characters, with the pieces of the running text."""
    aligner = Aligner(oracle.tokenizer, None)

    @ANYTHING
    @given(SENTENCE, st.data())
    def check(tokens: list[str], data: st.DataObject) -> None:
        position = data.draw(st.integers(0, len(tokens) - 1))
        encoded, words = oracle.pieces(tokens)
        actual = try_align(aligner, tokens, position)
        if position not in words:
            assert isinstance(actual, ModelError) and "leaves nothing of" in actual.problem
            return
        assert isinstance(actual, Aligned), actual
        assert actual.ids == encoded["input_ids"]
        assert actual.focal == [i for i, word in enumerate(words) if word == position]
        assert actual.others == [
            i for i, word in enumerate(words) if word is not None and word != position
        ]
        assert actual.vanished == len(set(range(len(tokens))) - set(words))
        assert actual.special == 0
        assert len(actual.pieces) == len(actual.focal)

    check()


@pytest.mark.slow
def test_any_text_and_any_limit_keep_the_focal_word(oracle: Naive) -> None:
    free = Aligner(oracle.tokenizer, None)
    ends = len(free.before) + len(free.after)

    @ANYTHING
    @given(SENTENCE, st.data())
    def check(tokens: list[str], data: st.DataObject) -> None:
        position = data.draw(st.integers(0, len(tokens) - 1))
        whole = try_align(free, tokens, position)
        if isinstance(whole, ModelError):
            return
        limit = data.draw(st.integers(ends + 1, len(whole.ids) + 2))
        actual = try_align(Aligner(oracle.tokenizer, limit), tokens, position)
        if ends + len(whole.focal) > limit:
            assert isinstance(actual, ModelError) and "the focal word has" in actual.problem
            return
        assert isinstance(actual, Aligned), actual
        assert actual.windowed == (len(whole.ids) > limit)
        assert len(actual.ids) <= limit
        assert [actual.ids[i] for i in actual.focal] == [whole.ids[i] for i in whole.focal]
        # The kept pieces are one stretch of the sentence between the same special tokens.
        inner = actual.ids[len(free.before) : len(actual.ids) - len(free.after)]
        shift = whole.focal[0] - actual.focal[0]
        start = len(free.before) + shift
        assert whole.ids[start : start + len(inner)] == inner
        assert actual.ids[: len(free.before)] == free.before
        assert actual.ids[len(actual.ids) - len(free.after) :] == free.after
        # Words are kept whole, and no further word fits on either side.
        _, words = oracle.pieces(tokens)
        left, right = words[:start], words[start + len(inner) :]
        kept = set(words[start : start + len(inner)])
        assert not kept & set(left) and not kept & (set(right) - {None})
        for side in (left[-1:], right[:1]):
            if side and side[0] is not None:
                assert len(actual.ids) + words.count(side[0]) > limit

    check()


@pytest.mark.slow
def test_any_text_masked_is_the_same_text_with_a_mask(oracle: Naive) -> None:
    if oracle.tokenizer.mask_token_id is None:
        with pytest.raises(ModelError, match="no mask token"):
            Aligner(oracle.tokenizer, None, input="masked")
        return
    plain, masked = Aligner(oracle.tokenizer, None), Aligner(oracle.tokenizer, None, input="masked")

    @ANYTHING
    @given(SENTENCE, st.data())
    def check(tokens: list[str], data: st.DataObject) -> None:
        position = data.draw(st.integers(0, len(tokens) - 1))
        own, actual = (try_align(entry, tokens, position) for entry in (plain, masked))
        if isinstance(own, ModelError):
            assert isinstance(actual, ModelError)
            return
        assert isinstance(actual, Aligned)
        first, last = own.focal[0], own.focal[-1]
        mask = oracle.tokenizer.mask_token_id
        assert actual.ids == [*own.ids[:first], mask, *own.ids[last + 1 :]]
        assert actual.focal == [first]
        assert [actual.ids[i] for i in actual.others] == [own.ids[i] for i in own.others]
        assert (actual.pieces, actual.unknown) == (own.pieces, own.unknown)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_the_right_occurrence_of_a_repeated_word(built: Built, repeats: int) -> None:
    for name in TOKENIZERS:
        aligner = Aligner(AutoTokenizer.from_pretrained(built(name)), None)
        tokens = ["x", *["cranes"] * repeats, "y"]
        actual = [try_align(aligner, tokens, i + 1) for i in range(repeats)]
        places = [place for aligned_sentence in actual for place in aligned_sentence.focal]  # type: ignore[union-attr]
        assert places == sorted(set(places)), name


# The space before a word


def test_only_words_inside_the_sentence_get_a_space(built: Built) -> None:
    corpus = corpus_of(("crane is a crane", 0), ("crane is a crane", 3))
    for name in ("roberta", "gpt2", "deberta", "modernbert"):
        first, later = Aligner(AutoTokenizer.from_pretrained(built(name)), None).align(corpus)
        assert later.pieces[0].startswith("\u0120"), name
        assert not first.pieces[0].startswith("\u0120"), name


def test_a_folder_that_asks_for_a_space_before_the_first_word_gets_it(
    built: Built, tmp_path: Path
) -> None:
    folder = zoo.copied(built("roberta"), tmp_path / "model")
    zoo.edit(folder / "tokenizer_config.json", add_prefix_space=True)
    aligner = Aligner(AutoTokenizer.from_pretrained(folder), None)
    first, later = aligner.align(corpus_of(("crane is a crane", 0), ("crane is a crane", 3)))
    assert first.pieces == later.pieces


def test_a_tokenizer_that_cuts_across_words_is_refused() -> None:
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.Replace(" ", "_")
    made.decoder = decoders.Replace("_", " ")
    trainer = trainers.BpeTrainer(vocab_size=60, show_progress=False)
    made.train_from_iterator(["The crane , which can't fly"] * 9, trainer)
    across = PreTrainedTokenizerFast(tokenizer_object=made)
    with pytest.raises(ModelError, match="cuts a sentence across its words"):
        Aligner(across, None)


def test_capitals_in_a_vocabulary_of_a_tokenizer_without_them(built: Built, tmp_path: Path) -> None:
    """BioBERT's folder does not mention case, so the library makes all letters lower case."""
    folder = zoo.copied(built("bert-cased"), tmp_path / "model")
    stated = json.loads((folder / "tokenizer_config.json").read_text())
    del stated["do_lower_case"]
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    with pytest.raises(ModelError, match=r"lowers the case of text, but [0-9]+ of the") as error:
        Aligner(AutoTokenizer.from_pretrained(folder), None)
    assert '"do_lower_case": false' in str(error.value)
    zoo.edit(folder / "tokenizer_config.json", do_lower_case=False)
    Aligner(AutoTokenizer.from_pretrained(folder), None)
    Aligner(AutoTokenizer.from_pretrained(built("bert")), None)


# Spelling


def test_pieces_that_do_not_spell_the_focal_word_are_an_error(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pieces belong to the next word, a well-known fault of pipelines."""

    def off_by_one(*args: Any) -> Iterator[list[Any]]:
        for pieces in own(*args):
            yield [piece._replace(word=piece.word - 1) for piece in pieces]

    own = Aligner._cut
    for name in TOKENIZERS:
        aligner = Aligner(AutoTokenizer.from_pretrained(built(name)), None)
        with monkeypatch.context() as patched:
            patched.setattr(Aligner, "_cut", off_by_one)
            with pytest.raises(ModelError, match="do not spell the focal word 'crane'") as error:
                aligner.align(corpus_of(("near the crane it slept", 2)))
        assert "crane train 0" in str(error.value)
        assert "of: near the crane it slept" in str(error.value), name


@pytest.mark.parametrize("name", ["bert-cased", "roberta", "xlm-roberta", "albert", "llama"])
def test_pieces_are_spelled_as_text(built: Built, name: str) -> None:
    backend = AutoTokenizer.from_pretrained(built(name)).backend_tokenizer
    for word in ("crane", "don't", "na\u00efve", "quixotically"):
        (cut,) = backend.encode_batch([[word]], is_pretokenized=True, add_special_tokens=False)
        assert spelling(backend, cut.tokens) == normalised(backend, word)
        assert spelling(backend, cut.tokens[:-1]) != normalised(backend, word)


def test_a_tokenizer_without_a_decoder_spells_by_its_pieces() -> None:
    made = tiny_tokenizer()
    made.backend_tokenizer.decoder = None
    (aligned,) = Aligner(made, None).align(corpus_of(("the crane", 1)))
    assert aligned.pieces == ("crane",)


@pytest.mark.parametrize(
    ("name", "special"), [("bert", "[SEP]"), ("roberta", "<s>"), ("gpt2", "<|endoftext|>")]
)
def test_special_tokens_in_the_text(built: Built, name: str, special: str) -> None:
    aligner = Aligner(AutoTokenizer.from_pretrained(built(name)), None)
    (aligned,) = aligner.align(corpus_of((f"the {special} crane", 2)))
    # GPT-2 uses its only special token as the unknown token too.
    assert (aligned.special, aligned.unknown) == (0 if name == "gpt2" else 1, False)
    if name == "gpt2":
        return
    with pytest.raises(ModelError, match="is a special token of this tokenizer") as error:
        aligner.align(corpus_of((f"the {special} crane", 1)))
    assert special in str(error.value)


def test_cls_is_the_tokenizers_token_not_the_texts(built: Built) -> None:
    aligner = Aligner(AutoTokenizer.from_pretrained(built("xlnet")), None)
    (aligned,) = aligner.align(corpus_of(("the <cls> crane", 2)))
    assert aligned.cls == len(aligned.ids) - 1
    assert aligned.ids.count(aligned.ids[-1]) == 2


# The report


REPORTED = corpus_of(
    ("the crane flew", 1),
    ("a crane \u0300 lifted", 1),
    ("Cranes near [SEP] the river", 0),
    ("a \U0001f9a9", 1),
    (" ".join(["a"] * 40 + ["crane"]), 40),
)


def forms(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the table of one word's report, without the model."""
    instances = pd.DataFrame(report["instances"]).assign(word=report["word"])
    columns = list(alignment.ALIGNMENT_COLUMNS[1:])
    return alignment.by_form(instances)[columns].to_dict("records")


def test_the_report_of_a_word() -> None:
    aligned = Aligner(tiny_tokenizer(16), 16).align(REPORTED)
    actual = alignment.alignment_report(REPORTED, aligned)
    assert (actual["word"], actual["corpus"]) == ("crane", REPORTED.digest)
    nothing = dict.fromkeys(("unknown", "windowed", "vanished_words", "special_words"), 0)
    of_one = {"word": "crane", "instances": 1, "spellings": 1}
    one_piece = {"min_pieces": 1, "mean_pieces": 1.0, "max_pieces": 1}
    two = {"min_pieces": 2, "mean_pieces": 2.0, "max_pieces": 2}
    assert forms(actual) == [
        {**of_one, **one_piece, **nothing, "form": "crane", "pieces": "crane", "instances": 3,
         "windowed": 1, "vanished_words": 1},
        {**of_one, **two, **nothing, "form": "Cranes", "pieces": "crane ##s", "special_words": 1},
        {**of_one, **one_piece, **nothing, "form": "\U0001f9a9", "pieces": "[UNK]", "unknown": 1},
    ]  # fmt: skip
    text = alignment.report_warnings(actual)
    assert [line.split(":")[0] for line in text] == ["crane"] * 2
    assert "1 focal words have a piece that the tokenizer does not know" in text[0]
    assert "1 words are taken for special tokens" in text[1]
    without = {key: values[:2] for key, values in actual["instances"].items()}
    assert alignment.report_warnings({**actual, "instances": without}) == []


def test_a_form_split_in_two_ways_is_one_row(built: Built) -> None:
    """RoBERTa has other pieces at the beginning of a sentence."""
    corpus = corpus_of(("crane flew", 0), ("a crane flew", 1), ("the crane slept", 1))
    aligned = Aligner(AutoTokenizer.from_pretrained(built("roberta")), None).align(corpus)
    (row,) = forms(alignment.alignment_report(corpus, aligned))
    counts = [len(entry.pieces) for entry in aligned]
    assert row["pieces"] == " ".join(aligned[1].pieces)
    assert (row["instances"], row["spellings"]) == (3, 2)
    assert (row["min_pieces"], row["max_pieces"]) == (min(counts), max(counts))
    assert row["mean_pieces"] == sum(counts) / 3


def write(folder: Path, corpus: Corpus) -> None:
    aligned = Aligner(tiny_tokenizer(16), 16).align(corpus)
    (folder / corpus.word).mkdir(parents=True)
    path = folder / corpus.word / alignment.ALIGNMENT_FILE
    long = alignment.long_vectors("focal", [0, 3], np.array([[1, 1, 2], [3, 1, 31]]))
    path.write_text(
        json.dumps({**alignment.alignment_report(corpus, aligned), "long_vectors": long})
    )


def test_one_table_of_all_words(tmp_path: Path) -> None:
    write(tmp_path / "e", REPORTED)
    write(tmp_path / "e", corpus_of(("the =bank", 1), ("a bank", 1), word="bank"))
    arguments = ["--model", "tiny", "--embeddings", str(tmp_path / "e")]
    arguments += ["--out", str(tmp_path / "alignment.csv"), "--long", str(tmp_path / "long.csv")]
    assert main(["alignment", "--words", "crane", "bank", *arguments]) == 0
    table = pd.read_csv(tmp_path / "alignment.csv")
    assert tuple(table.columns) == alignment.ALIGNMENT_COLUMNS
    assert table["word"].tolist() == ["crane"] * 3 + ["bank"] * 2
    assert table["model"].unique().tolist() == ["tiny"]
    # A cell that a spreadsheet would execute.
    assert table["form"].tolist() == ["crane", "Cranes", "\U0001f9a9", "'=bank", "bank"]
    assert table["instances"].sum() == 7
    long = pd.read_csv(tmp_path / "long.csv")
    assert tuple(long.columns) == alignment.LONG_COLUMNS
    assert long["word"].tolist() == ["crane", "bank"]
    assert long.iloc[0].tolist()[2:] == ["focal", 3, 3, 1, 3.0, 31.0]
    assert main(["alignment", "--words", "bank", *arguments]) == 0
    assert pd.read_csv(tmp_path / "alignment.csv")["word"].unique().tolist() == ["bank"]


def test_a_missing_report(tmp_path: Path) -> None:
    write(tmp_path, REPORTED)
    called = Namespace(model="m", embeddings=tmp_path, words=["bank"], out=tmp_path / "a.csv")
    called.long = tmp_path / "l.csv"
    with pytest.raises(ResultError, match="missing"):
        alignment.run(called)
    assert not (tmp_path / "a.csv").exists()
