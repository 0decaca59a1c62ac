"""The pieces of the focal word: any text against an oracle, windows, inputs, refused text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from encoding import close, encode, marked
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_encoder import Naive
from naive_inputs import naive_input
from tiny import PositionModel, corpus_of, tiny_bert, tiny_tokenizer
from tokenizers import Tokenizer, decoders, models, normalizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from wsd.artifacts.encoder_input import InputValue
from wsd.encoder.encoder import Encoder
from wsd.encoder.match_word_pieces import Aligned, Aligner, words_that_fit
from wsd.errors import ModelError
from wsd.inference.sentences import as_corpus, cut

Built = Callable[..., Path]

# One architecture for each tokenizer of the zoo; the others differ in special tokens at most.
SHARED = {
    "bert-large", "distilbert", "electra", "mobilebert", "ernie", "nomic-bert", "bart",
    "longformer", "modernbert-decoder", "xlm-roberta-xl", "mt5", "mistral", "phi3", "qwen3",
    "gemma3", "olmo2", "smollm3", "lfm2", "camembert", "gpt-neox", "bloom",
}  # fmt: skip
TOKENIZERS = [("roberta", 25)] + [
    pytest.param(name, 100, marks=pytest.mark.slow) for name in sorted(set(zoo.KINDS) - SHARED)
]

# Characters that are difficult for tokenizers or for counting words.
HARD = [
    "crane", "Crane", "cranes", "CRANE", "don't", "n't", "'s", "'", "``", "''", ",", ".", "...",
    "\u2026", "u.s.", "x-ray", "-", "(", "]", "<", "|", "a", "##s", "##", "quixotically-untrue",
    # Not one to one: ligatures, wide letters, fractions, composed letters, separate marks.
    "\ufb01nch", "\uff23\uff32\uff21\uff2e\uff25", "\u00bd", "\u2460", "\u2122", "na\u00efve",
    "e\u0301te\u0301", "\u0300", "\u0301\u0302", "a\u0338", "\u0345", "\u1e9e", "\u0130",
    # Invisible or vanishing characters: joiners, soft hyphen, byte order mark, control.
    "\u200b", "\u200d", "\u00ad", "\ufeff", "\x01", "\x7f", "\u0600", "\U000e0041",
    # Emoji of one and several code points, and other scripts.
    "\U0001f9a9", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\u8d77\u91cd\u673a", "\u043a\u0440\u0430\u043d", "\u0e44\u0e17\u0e22", "\u0b95\u0bcd\u0bb7",
    # The tokenizers' special marks, as text.
    "\u2581", "\u2581crane", "\u2581\u2581", "\u0120", "\u0120crane", "x" * 120,
]  # fmt: skip
ANY = st.text(
    st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=6
).filter(lambda token: token.split() == [token])
SENTENCE = st.lists(st.one_of(st.sampled_from(HARD), ANY), min_size=1, max_size=9)


@pytest.mark.parametrize(("name", "examples"), TOKENIZERS)
def test_any_text_is_aligned_by_its_characters_whole_cut_and_masked(
    built: Built, name: str, examples: int
) -> None:
    """The pieces are those of the running text, and the oracle knows the word of each."""
    oracle = Naive.__new__(Naive)  # its model is not needed
    oracle.tokenizer = AutoTokenizer.from_pretrained(built(name))
    aligner, mask = Aligner(oracle.tokenizer, None), oracle.tokenizer.mask_token_id
    masking = None if mask is None else Aligner(oracle.tokenizer, None, input="masked")
    n_before, n_after = len(aligner.before), len(aligner.after)
    ends = n_before + n_after

    @settings(max_examples=examples, deadline=None, suppress_health_check=HealthCheck)
    @given(SENTENCE, st.data())
    def check(tokens: list[str], data: st.DataObject) -> None:
        position = data.draw(st.integers(0, len(tokens) - 1))
        corpus = corpus_of((" ".join(tokens), position))
        encoded, words = oracle.pieces(tokens)
        if position not in words:
            with pytest.raises(ModelError, match="leaves nothing of"):
                aligner.align(corpus)
            return
        (whole,) = aligner.align(corpus)
        assert whole.ids == encoded["input_ids"]
        places = [i for i, word in enumerate(words) if word is not None]
        assert whole.focal == [i for i in places if words[i] == position]
        assert whole.others == [i for i in places if words[i] != position]
        assert whole.vanished == len(set(range(len(tokens))) - set(words))
        assert whole.special == 0 and len(whole.pieces) == len(whole.focal)
        if masking:
            masked, first = masking.align(corpus)[0], whole.focal[0]
            assert masked.ids == [*whole.ids[:first], mask, *whole.ids[whole.focal[-1] + 1 :]]
            assert masked.focal == [first]
            assert [masked.ids[i] for i in masked.others] == [whole.ids[i] for i in whole.others]
            assert (masked.pieces, masked.unknown) == (whole.pieces, whole.unknown)
        limit = data.draw(st.integers(ends + 1, len(whole.ids) + 2))
        cutting = Aligner(oracle.tokenizer, limit)
        if ends + len(whole.focal) > limit:
            with pytest.raises(ModelError, match="the focal word has"):
                cutting.align(corpus)
            return
        (cut,) = cutting.align(corpus)
        assert len(cut.ids) <= limit and cut.windowed == (len(whole.ids) > limit)
        # The kept pieces are one stretch of the sentence between the same special tokens.
        inner, shift = cut.ids[n_before : len(cut.ids) - n_after], whole.focal[0] - cut.focal[0]
        stretch = slice(n_before + shift, n_before + shift + len(inner))
        assert whole.ids[stretch] == inner
        assert cut.ids == [*aligner.before, *inner, *aligner.after]
        assert [place + shift for place in cut.focal] == whole.focal
        # Words are kept whole, and no further word fits on either side.
        left, right = words[: stretch.start], words[stretch.stop :]
        assert not {*words[stretch]} & ({*left, *right} - {None})
        for side in (left[-1:], right[:1]):
            if side and side[0] is not None:
                assert len(cut.ids) + words.count(side[0]) > limit

    check()


# Windows


def aligned(text: str, input: InputValue = "plain", length: int = 64) -> tuple[Aligned, list[str]]:
    """Return a sentence whose focal word is between bars, and its pieces."""
    (sentence,) = Aligner(tiny_tokenizer(length), length, input=input).align(marked(text))
    return sentence, tiny_tokenizer().convert_ids_to_tokens(sentence.ids)


def test_a_window_is_as_even_as_possible_and_is_counted() -> None:
    assert words_that_fit([1] * 9, 4, 5) == range(2, 7)
    assert words_that_fit([1] * 9, 8, 4) == range(5, 9)
    assert words_that_fit([1, 3, 1, 1, 1], 2, 3) == range(2, 5)  # a word is kept whole
    sentence, pieces = aligned("a " * 40 + "|crane|" + " the" * 40, length=16)
    assert sentence.windowed and len(pieces) == 16
    assert [pieces[i] for i in sentence.focal] == ["crane"]
    assert (pieces.count("a"), pieces.count("the")) == (7, 6)
    # A word of 20 pieces leaves room for 10 others; its mask for 29.
    for input, others in (("plain", 10), ("masked", 29)):
        sentence, pieces = aligned("a " * 30 + f"|{'x' * 20}|", input, length=32)
        assert (len(pieces), len(sentence.others), sentence.windowed) == (32, others, True)


@pytest.mark.parametrize(
    ("text", "input", "length", "problem"),
    [
        (f"a |{'x' * 40}|", "plain", 16, "40 pieces, the limit is 16"),
        ("the |crane xyz|", "plain", 5, "4 pieces, the limit is 5"),
        ("the |xyz| flew", {"template": "the river of the {sentence} {sentence}"}, 9,
         "3 pieces, the limit is 9 with the template"),
        ("the |crane [SEP]| flew", "plain", 64, "is a special token"),
        # The letters `ban` and `k` are one piece, which is not the focal word's alone.
        ("a |ban| flew", {"template": "{sentence} : {word}k"}, 64,
         "'bank' do not spell the focal word 'ban'"),
    ],
)  # fmt: skip
def test_a_focal_word_that_cannot_be_read_names_the_instance(
    text: str, input: InputValue, length: int, problem: str
) -> None:
    aligner = Aligner(tiny_tokenizer(length), length, input=input)
    with pytest.raises(ModelError) as error:
        aligner.align(marked("a |crane|", text))
    assert problem in str(error.value) and "crane test 0" in str(error.value)


# Inputs with a template, markers, a second copy, or a mask


def read(input: InputValue, pooling: str = "mean") -> list[float]:
    """Return the position that each view reads, in `[CLS] the crane ##s flew [SEP]`."""
    how: dict[str, Any] = {"input": input, "pooling": pooling, "device": torch.device("cpu")}
    encoder = Encoder(tiny_tokenizer(), PositionModel(), **how)
    views = ("focal", "context", "sentence")
    return encode(encoder, marked("the |cranes| flew"), *views)[:, 0, 0, 0].tolist()


def test_the_copy_that_is_read() -> None:
    assert read("plain") == [2.5, 2.5, 2.5]
    assert read("echo", "last") == [7, 6.5, 6.5]
    # [CLS] near the crane ##s flew : crane ##s a [SEP]
    prompt = "near {sentence} : {word} a"
    assert read({"template": prompt, "read": "last"}) == [9, 3.5, 3.5]
    # [CLS] the < crane ##s > flew [SEP]
    for pooling, position in (("mean", 3.5), ("first", 2), ("last", 5)):
        assert read({"mark": ["<", ">"], "read": "mark"}, pooling) == [position, 3.5, 3.5]
    for mark in (["<t>", "</t>"], ["<", "\U0001f9a9"]):
        with pytest.raises(ModelError, match="has no token"):
            read({"mark": mark})


@pytest.mark.parametrize("template", ["{s} {s}", "the {s} of : {s} near {word} a"])
def test_a_long_sentence_is_cut_alike_in_both_copies(template: str) -> None:
    """`xyz` has three pieces. No further word fits, and the template stays whole."""
    words = "a " * 20 + "xyz bird |crane| river" + " bank" * 20
    input = {"template": template.replace("{s}", "{sentence}")}
    sentence, pieces = aligned(words, input, length=32)
    own = [pieces[i] for i in sentence.sentence]
    text = template.replace("{s}", " ".join(own)).replace("{word}", "crane")
    assert pieces == ["[CLS]", *text.split(), "[SEP]"]
    assert sentence.windowed and 30 <= len(pieces) <= 32
    assert "".join(own).replace("##", "").count("xyzbirdcraneriver") == 1


PROMPT = 'In the sentence "{sentence}", the word "{word}" means'
COPIES = "{sentence} , {sentence} ."
# The input, and what the oracle is told.
INPUTS: dict[str, tuple[InputValue, dict[str, Any]]] = {
    "echo": ("echo", {"template": "{sentence} {sentence}"}),
    "mark": ({"mark": ['"', ";"]}, {"template": "{sentence}", "mark": ('"', ";")}),
} | {
    name: (value, value)
    for name, value in {
        "prompt-word": {"template": PROMPT},
        "prompt-last": {"template": PROMPT, "read": "last"},
        "word-first": {"template": "{word}: {sentence}"},
        "mark-in-copies": {"template": COPIES, "mark": ['"', ";"], "read": "mark"},
    }.items()
}
# Focal words first, last, capital, alone, repeated, of many pieces or tokens, beyond ASCII.
SENTENCES = marked(
    "the |crane| flew over the river",
    "crane after crane , the |crane| 's shadow",
    "|Cranes| don't sing",
    "it was , she said , the ( |crane| ) .",
    "a |misunderestimated| crane",
    "they see the |naïve|",
    "a |river bank| flew",
)


def check_against_naive(folder: str, value: InputValue, told: dict[str, Any]) -> None:
    naive, encoder = Naive(folder), Encoder.load(folder, device="cpu", input=value)
    assert not any(sentence.windowed for sentence in encoder.align(SENTENCES))
    views = ("focal", "context", "sentence")
    vectors = dict(zip(views, encode(encoder, SENTENCES, *views), strict=True))
    for i, tokens in enumerate(SENTENCES.tokens):
        expected = naive_input(naive, tokens=tokens, position=int(SENTENCES.position[i]), **told)
        for view in views:
            assert close(vectors[view][:, i], expected[view]), (view, tokens)


@pytest.mark.parametrize("input", INPUTS)
def test_every_input_equals_the_naive_loop(tmp_path: Path, input: str) -> None:
    check_against_naive(str(tiny_bert(tmp_path, max_length=128)), *INPUTS[input])


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.KINDS)
def test_every_input_equals_the_naive_loop_in_every_architecture(built: Built, name: str) -> None:
    for value, told in INPUTS.values():
        check_against_naive(str(built(name)), value, told)


# Tokenizers


def test_a_tokenizer_that_cuts_across_words_is_refused() -> None:
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.Replace(" ", "_")
    made.decoder = decoders.Replace("_", " ")
    trainer = trainers.BpeTrainer(vocab_size=60, show_progress=False)
    made.train_from_iterator(["The crane , which can't fly"] * 9, trainer)
    with pytest.raises(ModelError, match="across its words"):
        Aligner(PreTrainedTokenizerFast(tokenizer_object=made), None)


def test_a_tokenizer_without_word_ids_or_without_a_mask_is_refused(built: Built) -> None:
    with pytest.raises(ModelError, match="word ids"):
        Aligner(object(), None)
    with pytest.raises(ModelError, match="has no mask token"):
        Aligner(AutoTokenizer.from_pretrained(built("gpt2")), None, input="masked")


def test_capitals_in_a_vocabulary_of_a_tokenizer_without_them(built: Built, tmp_path: Path) -> None:
    """BioBERT's folder does not mention case, so the library makes all letters lower case."""
    folder = zoo.copied(built("bert-cased"), tmp_path / "model")
    zoo.edit(folder / "tokenizer_config.json", do_lower_case=True)
    with pytest.raises(ModelError, match="lowers the case of text") as error:
        Aligner(AutoTokenizer.from_pretrained(folder), None)
    assert '"do_lower_case": false' in str(error.value)


def test_special_tokens_in_the_text(built: Built) -> None:
    # GPT-2 uses its only special token as the unknown token too.
    for name, special, count in (("roberta", "<s>", 1), ("gpt2", "<|endoftext|>", 0)):
        aligner = Aligner(AutoTokenizer.from_pretrained(built(name)), None)
        (sentence,) = aligner.align(corpus_of((f"the {special} crane", 2)))
        assert (sentence.special, sentence.unknown) == (count, False)
    # XLNet's own token comes last, whatever the text has.
    aligner = Aligner(AutoTokenizer.from_pretrained(built("xlnet")), None)
    (sentence,) = aligner.align(marked("the <cls> |crane|"))
    assert sentence.cls == len(sentence.ids) - 1
    assert sentence.ids.count(sentence.ids[-1]) == 2


# Running text

RUNNING = [
    '"|crane|," he said (by (a) crane?).', "The (|crane|)\u2019s arm", "a pre-|crane|, era",
    "|crane|'s bird, don't!", "Two |cranes|... left;", "\u201c|hot dog|\u201d x",
    "\u6211\u53bb|\u94f6\u884c|\u53d6\u94b1\u3002",
]  # fmt: skip


def test_the_pieces_are_those_of_the_running_text(built: Built) -> None:
    tokenizer = AutoTokenizer.from_pretrained(built("gpt2"))
    for marked_text in RUNNING:
        left, focal, right = marked_text.split("|")
        text, span = left + focal + right, (len(left), len(left + focal))
        (once,) = Aligner(tokenizer, None).align(as_corpus([cut(text, span)]))
        assert once.ids == tokenizer(text)["input_ids"], text
        (twice,) = Aligner(tokenizer, None, input="echo").align(as_corpus([cut(text, span)]))
        assert twice.ids == tokenizer(f"{text} {text}")["input_ids"], text


def test_spaces_separate_the_focal_word_from_a_neighbour_in_the_same_piece(built: Built) -> None:
    """XLM-R's tokenizer makes one unknown piece of the whole sentence."""
    tokenizer = AutoTokenizer.from_pretrained(built("xlm-roberta"))
    (actual,) = Aligner(tokenizer, None).align(
        as_corpus([cut("\u6211\u53bb\u94f6\u884c\u53d6\u94b1", (2, 4))])
    )
    spaced = "\u6211\u53bb \u94f6\u884c \u53d6\u94b1"
    assert actual.ids == tokenizer(spaced)["input_ids"]
    assert actual.pieces == ("\u2581", "\u94f6\u884c")
