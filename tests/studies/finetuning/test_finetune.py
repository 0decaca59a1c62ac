"""Fine-tuning: the plain loop, seeds, and nothing of a test instance in weights or choices."""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from tiny import tiny_bert

from wsd.artifacts import training_set as folding
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora, write
from wsd.artifacts.dataset import DATA
from wsd.artifacts.predictions import read_predictions
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.encoder.encoder import Encoder
from wsd.encoder.model import resolve
from wsd.errors import ModelError
from wsd.storage.csv import read_csv
from wsd.studies.finetuning.finetune import (
    BATCH,
    DECAY,
    LONGEST,
    PART,
    Setting,
    Tagger,
    best,
    number_of_steps,
    rate_share,
    write_model,
)

RATE, EPOCHS = 1e-3, 2


def of_quickstart(word: str) -> Corpus:
    return read_text(DATA / "quickstart" / word, word)


@pytest.fixture(scope="module")
def two_words() -> Corpora:
    words = {word: of_quickstart(word) for word in ("bank", "crane")}
    return {word: corpus.take(np.arange(len(corpus)) < 44) for word, corpus in words.items()}


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory, two_words: Corpora) -> Tagger:
    return tagger_of(tiny_bert(tmp_path_factory.mktemp("tiny")), two_words)


def tagger_of(folder: Path, corpora: Corpora, blocks: int = 2, width: int = 32) -> Tagger:
    record = resolve("tiny", path=str(folder), sha256={}, blocks=blocks, width=width)
    return Tagger(record, corpora, pooling="mean", input="plain", device="cpu")


def rows_of(corpora: Corpora) -> dict[str, np.ndarray]:
    return {word: np.flatnonzero(c.split == "train") for word, c in corpora.items()}


def weights(tagger: Tagger) -> dict[str, torch.Tensor]:
    named = [*tagger.encoder.model.named_parameters(), *tagger.layer.named_parameters()]
    return {name: parameter.detach().clone() for name, parameter in named}


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def test_a_training_is_the_plain_loop(tagger: Tagger, two_words: Corpora) -> None:
    """Compare with transformers' own outputs on whole batches, padded to the longest sentence."""
    rows = rows_of(two_words)
    tagger.fit(rows, RATE, EPOCHS, 1)
    actual = weights(tagger)
    peer = transformers.BertModel.from_pretrained(tagger.folder).eval()
    layer = torch.nn.Linear(32, sum(len(corpus.senses) for corpus in two_words.values()))
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    named = {**dict(peer.named_parameters()), **dict(layer.named_parameters())}
    groups = [
        {"params": [p for p in named.values() if p.ndim > 1], "weight_decay": DECAY},
        {"params": [p for p in named.values() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    optimizer, step = torch.optim.AdamW(groups, lr=1.0), 0
    firsts = dict(zip(two_words, (0, len(two_words["bank"].senses)), strict=True))
    instances = [(word, row) for word, own in rows.items() for row in own]
    assert len(instances) > BATCH > PART
    for epoch in range(EPOCHS):
        order = np.random.default_rng([1, epoch]).permutation(len(instances))
        for start in range(0, len(order), BATCH):
            batch = [instances[i] for i in order[start : start + BATCH]]
            aligned = [tagger.aligned[word][row] for word, row in batch]
            ids = [torch.tensor(a.ids) for a in aligned]
            mask = [torch.ones_like(row) for row in ids]
            padded = [torch.nn.utils.rnn.pad_sequence(x, batch_first=True) for x in (ids, mask)]
            state = peer(input_ids=padded[0], attention_mask=padded[1]).last_hidden_state
            losses = []
            for i, (word, row) in enumerate(batch):
                own = slice(firsts[word], firsts[word] + len(two_words[word].senses))
                logits = layer(state[i, aligned[i].focal].mean(dim=0))[own]
                losses.append(-logits.log_softmax(dim=0)[two_words[word].gold[row]])
            optimizer.zero_grad()
            torch.stack(losses).mean().backward()
            torch.nn.utils.clip_grad_norm_(named.values(), LONGEST)
            for group in optimizer.param_groups:
                group["lr"] = RATE * rate_share(step, number_of_steps(len(instances), EPOCHS))
            optimizer.step()
            step += 1
    assert step == number_of_steps(len(instances), EPOCHS) > 2
    for name, tensor in actual.items():
        # A key's bias does not change attention: its gradient is rounding, which Adam amplifies.
        assert "key.bias" in name or (tensor - named[name]).abs().mean() < 2e-5, name


def test_a_training_depends_on_its_seed_alone(tagger: Tagger, two_words: Corpora) -> None:
    """Neither an earlier training nor the global generator changes the weights."""
    found = []
    for seed in (1, 2, 1):
        torch.manual_seed(len(found))
        tagger.fit(rows_of(two_words), RATE, 1, seed)
        found.append(weights(tagger))
    assert equal(found[0], found[2]) and not equal(found[0], found[1])
    assert not tagger.model.training


def test_a_diverging_training_is_an_error_with_a_fix(tagger: Tagger, two_words: Corpora) -> None:
    with pytest.raises(ModelError, match=r"diverges .* rate 1e\+30") as caught:
        tagger.fit(rows_of(two_words), 1e30, 2, 1)
    assert "finetune.rate" in str(caught.value.fix)


# The command

# The words, and how many training instances of their first senses are left.
LEFT = {"apple": 42, "crane": 1, "bank": 0}
# The seed of a training, and its training rows by word.
Seen = list[tuple[int, dict[str, Any]]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three words, their folds and a model."""
    place = tmp_path_factory.mktemp("place")
    for word, left in LEFT.items():
        corpus = of_quickstart(word)
        rare = np.flatnonzero((corpus.split == "train") & (corpus.gold == 0))
        keep = np.ones(len(corpus), dtype=bool)
        keep[rare[left:]] = False
        write(place / f"corpus/{word}.parquet", corpus.take(keep))
    model = ["--path", str(tiny_bert(place / "tiny")), "--blocks", "2", "--width", "32"]
    assert main(["model", "--name", "tiny", *model, "--out", str(place / "tiny.json")]) == 0
    folds_of(place)
    return place


def corpus_of(place: Path) -> list[str]:
    return ["--corpus", str(place / "corpus"), "--words", *LEFT]


def folds_of(place: Path) -> None:
    assert main(["folds", *corpus_of(place), "--out", str(place / "folds.parquet")]) == 0


def finetune(place: Path, out: Path, *seeds: str) -> None:
    model = ["--model", str(place / "tiny.json"), *corpus_of(place), "--out", str(out)]
    how = ["--rates", "1e-3", "1e-4", "--epochs", "1", "--tried", "2", "--seeds", *seeds]
    assert main(["finetune", *model, "--folds", str(place / "folds.parquet"), *how]) == 0


@pytest.fixture(scope="module")
def ran(place: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Seen]:
    """Return the folder of a run of the command, and its trainings."""
    folder, seen, own = tmp_path_factory.mktemp("out") / "out", Seen(), Tagger.fit

    def fit(self: Tagger, rows: Any, rate: float, epochs: int, seed: int) -> None:
        seen.append((seed, rows))
        own(self, rows, rate, epochs, seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tagger, "fit", fit)
        finetune(place, folder, "1", "2")
    return folder, seen


@pytest.fixture
def out(ran: tuple[Path, Seen]) -> Path:
    return ran[0]


def test_the_outputs_of_the_step(place: Path, out: Path) -> None:
    trials = read_csv(out / "trials.csv")
    assert trials["rate"].tolist() == [1e-3] * 2 + [1e-4] * 2
    assert trials["fold"].tolist() == [0, 1] * 2
    chosen, means = trials[trials["chosen"]], trials.groupby("rate")["objective"].mean()
    (rate,) = chosen["rate"].unique()
    assert means[rate] == means.max()
    corpora = read_corpora(place / "corpus", [*LEFT])
    for seed in (1, 2):
        words, about = read_predictions(out / f"finetuned-{seed}.parquet")
        assert (about["layers"], about["classifier"]) == ("finetuned", f"finetuned-{seed}")
        assert about["parameters"]["rate"] == rate
        for prediction in words:
            corpus = corpora[prediction.word]
            train = corpus.gold[corpus.split == "train"]
            learned = np.isin(np.arange(len(prediction.senses)), train)
            assert learned[0] == (prediction.word != "bank")
            assert (np.isnan(prediction.scores) == ~learned).all()
            assert learned[prediction.predicted].all()
            assert np.allclose(np.nansum(prediction.scores, axis=1), 1, atol=1e-5)
            assert (prediction.gold == corpus.gold[corpus.split == "test"]).all()


def test_no_test_instance_comes_into_it(place: Path, out: Path, tmp_path: Path) -> None:
    """Neither into the weights nor into what setting or seed is chosen.

    The second run has other labels and other sentences of test instances, and one seed.
    """
    there = shutil.copytree(place, tmp_path / "place")
    for word, corpus in read_corpora(place / "corpus", [*LEFT]).items():
        test, other = corpus.split == "test", (corpus.gold + 1) % len(corpus.senses)
        gold = np.where(test, other, corpus.gold).astype(np.int32)
        pairs = zip(corpus.tokens, test, strict=True)
        tokens = tuple((*words, "indeed") if held else words for words, held in pairs)
        changed = dataclasses.replace(corpus, gold=gold, tokens=tokens)
        write(there / f"corpus/{word}.parquet", changed)
    folds_of(there)
    finetune(there, tmp_path / "out", "1")
    for name in ("trials.csv", "model/model.safetensors"):
        assert (tmp_path / "out" / name).read_bytes() == (out / name).read_bytes()
    (was, *_), (now, *_) = (
        read_predictions(path / "finetuned-1.parquet")[0] for path in (out, tmp_path / "out")
    )
    assert not np.array_equal(was.scores, now.scores) and not np.array_equal(was.gold, now.gold)


def test_held_out_instances_are_not_learned_in_a_trial(place: Path, ran: tuple[Path, Seen]) -> None:
    seen, corpora = ran[1], read_corpora(place / "corpus", [*LEFT])
    folds = folding.read_folds_for(place / "folds.parquet", corpora)
    # Two rates on two folds with the first seed, then both seeds.
    assert [seed for seed, _ in seen] == [1, 1, 1, 1, 1, 2]
    for held_out, (_, rows) in zip((0, 1, 0, 1, None, None), seen, strict=True):
        for word, value in rows.items():
            every, held = folds.rows(corpora[word]), folds.words[word].held
            # Those with a sense of one instance, or with one sense, have no folds: learned whole.
            assert (held is None) == (word != "apple")
            expected = every if held is None else every[held[0] != held_out]
            assert np.array_equal(value, expected)


def test_of_equal_settings_the_first_is_chosen() -> None:
    settings = [Setting(1e-3, 1), Setting(1e-4, 1)]
    lines = [{"trial": t, "objective": x} for t, x in ((1, 0.5), (1, 0.7), (2, 0.6), (2, 0.6))]
    assert best(lines, settings) == 0
    assert best([{**lines[0], "objective": 0.4}, *lines[1:]], settings) == 1
    assert best([], settings) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", list(zoo.KINDS))
def test_every_architecture_can_be_trained(
    built: Callable[..., Path], tmp_path: Path, two_words: Corpora, name: str
) -> None:
    encoder = Encoder.load(str(built(name)), device="cpu")
    tagger = tagger_of(built(name), two_words, encoder.blocks, encoder.width)
    before = weights(tagger)
    # MobileBERT has no norms, so untrained weights give states with ten digits.
    tagger.fit(rows_of(two_words), 1e-16 if name == "mobilebert" else 1e-4, 1, 1)
    assert name == "mobilebert" or not equal(weights(tagger), before)
    write_model(tmp_path / "saved", tagger)
    again = tagger_of(tmp_path / "saved", two_words, encoder.blocks, encoder.width)
    assert equal(*(dict(entry.encoder.model.named_parameters()) for entry in (tagger, again)))
