"""Fine-tuning: the same weights whatever the cores and whether or not it was killed, nothing of a
test instance in them, and no seed chosen by one.
"""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simulated_gpu
import torch
import zoo
from safetensors.torch import load_file
from steps import WORDS as TWO
from tiny import tiny_bert

from wsd.artifacts.corpus_table import Corpus, read_corpora, write
from wsd.artifacts.dataset import DATA
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.run_json import list_folders, read_listing
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.encoder.batches import fixed
from wsd.errors import ConfigError, ModelError
from wsd.run import verify_checksums
from wsd.storage.csv import read_csv
from wsd.studies.finetuning import training
from wsd.studies.finetuning.finetune import UNFINISHED
from wsd.studies.finetuning.finetuning_files import Setting, best, mean_objective, read_settings
from wsd.studies.finetuning.schedule import BATCH, batches, number_of_steps, rate_at
from wsd.studies.finetuning.tagger import Instance, Tagger
from wsd.studies.finetuning.training import DECAY, LONGEST, PART, gradient, optimizer_of, train
from wsd.studies.finetuning.trials import Finetuning

ONE = Setting(1e-3, 2, "all")
HOW: dict[str, Any] = {"pooling": "mean", "input": "plain", "device": "cpu"}
OUTPUTS = ("finetuned-1.parquet", "finetuned-2.parquet", "trials.csv", "model/model.safetensors")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("tiny"))


def of_quickstart(word: str) -> Corpus:
    return read_text(DATA / "quickstart" / word, word)


def made(folder: Path, blocks: int | str = "all") -> tuple[Tagger, list[Instance]]:
    """Return a tagger of two words, and 40 instances of each."""
    corpora = [of_quickstart(word) for word in TWO]
    tagger = Tagger.load(folder, [True] * sum(len(c.senses) for c in corpora), blocks, **HOW)
    instances, first = [], 0
    for corpus in corpora:
        senses = range(first, first := first + len(corpus.senses))
        aligned = tagger.encoder.align(corpus)[:40]
        golds = corpus.gold[:40].tolist()
        instances += [Instance(a, senses, senses[g]) for a, g in zip(aligned, golds, strict=True)]
    return tagger, instances


def plain(tagger: Tagger) -> None:
    """Compute the model as transformers does, with dense gradients."""
    for module in tagger.model.modules():
        if isinstance(module, torch.nn.Embedding):
            module.sparse = False


def weights(tagger: Tagger) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in tagger.trained.items()}


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def trained(folder: Path, path: Path, setting: Setting = ONE, **how: Any) -> Tagger:
    tagger, instances = made(folder, setting.blocks)
    how = {"threads": 1, "guessing": 1.0, "about": {}, **how}
    train(tagger, instances, setting, 1, path=path / "one.safetensors", **how)
    return tagger


# What a step is


def test_the_rate_rises_and_falls_in_a_line() -> None:
    rates = [rate_at(step, 40, 1.0) for step in range(40)]
    assert np.allclose(rates[:4], [0.25, 0.5, 0.75, 1.0])
    assert np.allclose(rates[4:], np.arange(36, 0, -1) / 36)
    assert [rate_at(step, 1, 3.0) for step in range(1)] == [3.0]


def test_an_epoch_sees_every_instance_once_in_its_own_order() -> None:
    first, again, second, other = (
        np.concatenate(list(batches(70, seed, epoch)))
        for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    )
    assert sorted(first) == list(range(70)) and (first == again).all()
    assert (first != second).any() and (first != other).any()
    assert [len(entry) for entry in batches(70, 1, 0)] == [BATCH, BATCH, 70 - 2 * BATCH]
    assert number_of_steps(70, 3) == 9


def test_the_gradient_of_the_parts_is_that_of_the_batch(folder: Path) -> None:
    tagger, instances = made(folder)
    batch = instances[:20] + instances[40:60]
    with torch.no_grad():  # at first, with a layer of zeros, the encoder has no gradient
        tagger.weight.normal_(generator=torch.Generator().manual_seed(0))
    lengths = [len(entry.aligned.ids) for entry in batch]
    assert len(list(fixed(lengths, PART))) > 2
    loss = gradient(tagger, batch, threads=1)
    actual = [p.grad for p in tagger.trained.values()]
    # Two threads sum in the same order.
    assert gradient(tagger, batch, threads=2) == loss
    again = [p.grad for p in tagger.trained.values()]
    assert all(torch.equal(a, b) for a, b in zip(actual, again, strict=True) if a is not None)
    plain(tagger)
    whole = torch.nn.functional.cross_entropy(
        tagger.logits(batch), torch.tensor([instance.gold for instance in batch])
    )
    expected = torch.autograd.grad(whole, list(tagger.trained.values()))
    assert abs(loss - whole.item()) < 1e-5
    length = max(other.norm() for other in expected)
    for first, second in zip(actual, expected, strict=True):
        assert first is not None and (first - second).norm() < 1e-5 * length


def test_a_training_is_the_plain_loop(folder: Path, tmp_path: Path) -> None:
    """Compare with torch's AdamW and schedule on whole batches, with dense gradients."""
    actual = weights(trained(folder, tmp_path))
    tagger, instances = made(folder)
    plain(tagger)
    named = tagger.trained
    groups = [
        {"params": [p for p in named.values() if p.ndim > 1], "weight_decay": DECAY},
        {"params": [p for p in named.values() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    peer, step = torch.optim.AdamW(groups, lr=1.0, foreach=False, fused=False), 0
    for epoch in range(2):
        for rows in batches(len(instances), 1, epoch):
            batch = [instances[row] for row in rows]
            loss = torch.nn.functional.cross_entropy(
                tagger.logits(batch), torch.tensor([instance.gold for instance in batch])
            )
            peer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(named.values(), LONGEST)
            for group in peer.param_groups:
                group["lr"] = rate_at(step, 6, ONE.rate)
            peer.step()
            step += 1
    assert step == 6
    for name, tensor in weights(tagger).items():
        # A key's bias does not change attention: its gradient is rounding, which Adam amplifies.
        assert "key.bias" in name or (actual[name] - tensor).abs().mean() < 2e-5, name
    moved = weights(made(folder)[0])
    assert all(
        (actual[name] - moved[name]).abs().mean() > 1e-4 for name in actual if "word" in name
    )


def test_biases_and_norms_do_not_decay(folder: Path) -> None:
    tagger, _ = made(folder)
    optimizer = optimizer_of(tagger)
    decayed = {id(p) for g in optimizer.param_groups if g["weight_decay"] for p in g["params"]}
    names = {name for name, p in tagger.trained.items() if id(p) in decayed}
    assert "(head).weight" in names and "embeddings.word_embeddings.weight" in names
    assert not [name for name in names if "bias" in name or "LayerNorm" in name]


@pytest.mark.parametrize("blocks", ["all", 1, 2])
def test_only_the_upper_blocks_are_trained(folder: Path, tmp_path: Path, blocks: int | str) -> None:
    before = {k: v.clone() for k, v in made(folder)[0].encoder.model.named_parameters()}
    tagger = trained(folder, tmp_path, Setting(1e-3, 1, blocks))
    after = dict(tagger.encoder.model.named_parameters())
    moved = {name.split(".layer.")[-1][:1] for name in before if not torch.equal(before[name], after[name])}  # noqa: E501  # fmt: skip
    assert moved == {"all": {"e", "0", "1"}, 1: {"1"}, 2: {"0", "1"}}[blocks]


def test_a_word_has_its_own_senses_and_those_it_learned_from(folder: Path) -> None:
    _, instances = made(folder)
    n = instances[-1].senses.stop
    known = [True] * n
    known[instances[0].senses.start] = False
    tagger = Tagger.load(folder, known, "all", **HOW)
    chances = tagger.probabilities([instances[0], instances[-1]])
    for row, instance in enumerate((instances[0], instances[-1])):
        allowed = [sense for sense in instance.senses if known[sense]]
        assert torch.allclose(chances[row, allowed], torch.tensor(1 / len(allowed)))
        assert chances[row].count_nonzero() == len(allowed)


# Killed, and on more cores


def test_two_threads_give_the_same_weights(folder: Path, tmp_path: Path) -> None:
    one_thread = trained(folder, tmp_path / "a", threads=1)
    assert equal(weights(one_thread), weights(trained(folder, tmp_path / "b", threads=2)))


def test_a_training_that_was_killed_ends_as_if_it_was_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = Setting(1e-3, 3, "all")
    whole = weights(trained(folder, tmp_path / "whole", setting))
    calls = 0
    own = training.gradient

    def killed(*arguments: Any) -> float:
        nonlocal calls
        calls += 1
        if calls == 5:  # within the second of three epochs of three steps
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(training, "gradient", killed)
    with pytest.raises(KeyboardInterrupt):
        trained(folder, tmp_path, setting)
    calls = 10
    assert equal(weights(trained(folder, tmp_path, setting)), whole)
    assert calls == 10 + 6  # two epochs
    # Finished work is not repeated.
    assert equal(weights(trained(folder, tmp_path, setting)), whole) and calls == 16
    # Another rate uses none of it.
    trained(folder, tmp_path, setting._replace(rate=2e-3))
    assert calls == 16 + 9


@pytest.mark.parametrize("damage", ["cut", "empty", "gone"])
def test_a_damaged_checkpoint_is_not_used(folder: Path, tmp_path: Path, damage: str) -> None:
    whole = weights(trained(folder, tmp_path))
    path = tmp_path / "one.safetensors"
    data = path.read_bytes()
    path.unlink() if damage == "gone" else path.write_bytes(data[: 1000 * (damage == "cut")])
    assert equal(weights(trained(folder, tmp_path)), whole)


# Divergence


@pytest.mark.parametrize("rate", [1.0, 1e30])
def test_a_diverging_training_is_an_error_with_a_fix(
    folder: Path, tmp_path: Path, rate: float
) -> None:
    with pytest.raises(ModelError) as actual:
        trained(folder, tmp_path, ONE._replace(rate=rate))
    output = f"{actual.value.problem} {actual.value.where} {actual.value.fix}"
    for text in (f"rate {rate:g}", "epoch 1", "step", "finetune.rate", "loss of"):
        assert text in output
    assert not list(tmp_path.iterdir())


# A GPU without memory


def test_parts_that_do_not_fit_are_halved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tagger, instances = made(folder)
    batch = instances[:20] + instances[40:60]
    with torch.no_grad():
        tagger.weight.normal_(generator=torch.Generator().manual_seed(0))
    loss = gradient(tagger, batch, threads=1)
    expected = [p.grad for p in tagger.trained.values()]
    sizes: list[int] = []
    own = Tagger.gradients

    def counted(self: Tagger, part: list[Instance]) -> Any:
        sizes.append(len(part))
        return own(self, part)

    limited = simulated_gpu.holding(9, counted, lambda self, part: len(part))
    monkeypatch.setattr(Tagger, "gradients", limited)
    monkeypatch.setattr(training, "run_all", simulated_gpu.run_all)
    assert gradient(tagger, batch, threads=1) == pytest.approx(loss, rel=1e-6)
    assert sum(sizes) == 40 and max(sizes) <= 9
    length = max(other.norm() for other in expected if other is not None)
    for parameter, other in zip(tagger.trained.values(), expected, strict=True):
        assert parameter.grad is not None and other is not None
        assert (parameter.grad - other).norm() < 1e-5 * length


def test_no_memory_for_the_moments_is_not_a_bug(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def step(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    assert finetune(place, tmp_path) == ModelError.exit_code
    message = capsys.readouterr().err
    assert "no room" in message and "finetune.blocks" in message and "device: cpu" in message


@pytest.mark.slow
def test_work_before_memory_ran_out_is_kept(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    own = Tagger.gradients

    def gradients(self: Tagger, part: list[Instance]) -> Any:
        nonlocal calls
        calls += 1
        if calls == most:
            raise ModelError("the GPU has no room for one sentence of 40 pieces")
        return own(self, part)

    monkeypatch.setattr(Tagger, "gradients", gradients)
    most, one_rate = 0, {**GRID, "rate": [1e-3]}
    assert finetune(place, tmp_path / "whole", grid=one_rate) == 0
    all_calls, calls = calls, 0
    most = all_calls - 2  # within the second seed
    assert finetune(place, tmp_path / "out", grid=one_rate) == ModelError.exit_code
    assert [path.name for path in (tmp_path / "out").rglob("*.*")] == [UNFINISHED, "seed-1.safetensors"]  # noqa: E501  # fmt: skip
    most, calls = 0, 0
    assert finetune(place, tmp_path / "out", grid=one_rate) == 0 and calls < 0.6 * all_calls
    for name in ("finetuned-1.parquet", "finetuned-2.parquet", "model/model.safetensors"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


# The command


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three words and a model. Of one the first sense has one training instance, of another none,
    so that one sense is left.
    """
    place = tmp_path_factory.mktemp("place")
    for word, left in LEFT.items():
        corpus = of_quickstart(word)
        rare = np.flatnonzero((corpus.split == "train") & (corpus.gold == 0))
        keep = np.ones(len(corpus), dtype=bool)
        keep[rare[left:]] = False
        write(place / f"corpus/{word}.parquet", corpus.take(keep))
    tiny_bert(place / "tiny")
    command(place, "model", "--name", "tiny", "--path", str(place / "tiny"), "--blocks", "2",
            "--width", "32", "--out", str(place / "tiny.json"))  # fmt: skip
    folds_of(place)
    return place


def folds_of(place: Path) -> None:
    command(place, "folds", *corpus_of(place), "--out", str(place / "folds.parquet"))


def corpus_of(place: Path) -> list[str]:
    return ["--corpus", str(place / "corpus"), "--words", *LEFT]


def command(place: Path, *args: str) -> int:
    return main([*args])


LEFT = {"apple": 42, "crane": 1, "bank": 0}
GRID = {"rate": [1e-3, 1e-4], "epochs": [1], "blocks": ["all"]}


def finetune(place: Path, out: Path, *further: str, grid: dict[str, Any] | None = None) -> int:
    return command(
        place, "finetune", "--model", str(place / "tiny.json"), *corpus_of(place), "--folds",
        str(place / "folds.parquet"), "--grid", json.dumps(grid or GRID), "--seeds", "1", "2",
        *further, "--out", str(out),
    )  # fmt: skip


@pytest.fixture(scope="module")
def out(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "out"
    assert finetune(place, out) == 0
    return out


def test_the_outputs_of_the_step(place: Path, out: Path) -> None:
    assert not (out / UNFINISHED).exists()
    trials, costs = read_csv(out / "trials.csv"), read_csv(out / "costs.csv")
    assert trials["rate"].tolist() == [1e-3, 1e-4] and trials["fold"].tolist() == [0, 0]
    chosen = trials[trials["chosen"]]
    assert chosen["objective"].item() == trials["objective"].max()
    assert costs["trial"].dropna().tolist() == [1, 2] and costs["seed"].dropna().tolist() == [1, 2]
    assert (costs["wall_seconds"] > 0).all() and (costs["processor_seconds"] >= 0).all()
    corpora = read_corpora(place / "corpus", [*LEFT])
    for seed in (1, 2):
        words, about = read_predictions(out / f"finetuned-{seed}.parquet")
        assert (about["layers"], about["classifier"]) == ("finetuned", f"finetuned-{seed}")
        assert about["parameters"]["rate"] == chosen["rate"].item()
        for prediction in words:
            corpus = corpora[prediction.word]
            learned = np.isin(
                np.arange(len(prediction.senses)), corpus.gold[corpus.split == "train"]
            )
            assert learned[0] == (prediction.word != "bank")
            assert (np.isnan(prediction.scores) == ~learned).all() and learned[
                prediction.predicted
            ].all()
            assert np.allclose(np.nansum(prediction.scores, axis=1), 1, atol=1e-5)
            assert (prediction.gold == corpus.gold[corpus.split == "test"]).all()


@pytest.mark.slow
def test_the_first_seeds_encoder_is_kept_regardless_of_test_scores(
    place: Path, tmp_path: Path
) -> None:
    grid, kept = {"rate": [5e-3], "epochs": [3], "blocks": ["all"]}, []
    for seeds in (["1", "2"], ["2", "1"]):
        folder = tmp_path / seeds[0]
        assert finetune(place, folder, "--seeds", *seeds, grid=grid) == 0
        kept.append(load_file(folder / "model/model.safetensors"))
    scores = [
        mean_objective(read_predictions(folder / f"finetuned-{seed}.parquet")[0], "mean_macro_f1")
        for seed in (1, 2)
    ]
    assert scores[0] != scores[1]
    assert kept[0].keys() == kept[1].keys() and not equal(*kept)


def test_the_first_seeds_encoder_is_a_model_to_load(place: Path, out: Path, tmp_path: Path) -> None:
    actual, before = (
        load_file(entry / "model.safetensors") for entry in (out / "model", place / "tiny")
    )
    assert {name: value.shape for name, value in actual.items()} == {
        name: value.shape for name, value in before.items()
    }
    args = ["model", "--name", "tuned", "--path", str(out / "model"), "--blocks", "2"]
    assert main([*args, "--width", "32", "--out", str(tmp_path / "m.json")]) == 0
    # Every file of the encoder can be verified.
    kept = shutil.copytree(out, tmp_path / "finetune/full")
    listing = kept / "model.json"
    list_folders([listing])
    assert {*read_listing(listing)} >= {"model/model.safetensors", "model/config.json"}
    assert not list(verify_checksums.damaged_files(listing))
    weights = kept / "model/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert [path for path, _ in verify_checksums.damaged_files(listing)] == [weights]


def test_the_command_gives_the_same_on_two_threads(place: Path, out: Path, tmp_path: Path) -> None:
    assert finetune(place, tmp_path, "--threads", "2") == 0
    for name in OUTPUTS:
        assert (tmp_path / name).read_bytes() == (out / name).read_bytes(), name


def other_tests(corpus: Corpus, changed: str) -> Corpus:
    test = corpus.split == "test"
    if changed == "labels":
        other = (corpus.gold + 1) % len(corpus.senses)
        return dataclasses.replace(corpus, gold=np.where(test, other, corpus.gold).astype(np.int32))
    tokens = [
        (*words, "indeed") if held else words
        for words, held in zip(corpus.tokens, test, strict=True)
    ]
    return dataclasses.replace(corpus, tokens=tuple(tokens))


@pytest.mark.parametrize("changed", ["labels", "sentences"])
def test_no_test_instance_comes_into_it(
    place: Path, out: Path, tmp_path: Path, changed: str
) -> None:
    """Neither into the weights nor into what setting is chosen; and every seed stays."""
    there = tmp_path / "place"
    shutil.copytree(place, there)
    for word, corpus in read_corpora(place / "corpus", [*LEFT]).items():
        write(there / f"corpus/{word}.parquet", other_tests(corpus, changed))
    folds_of(there)
    assert finetune(there, tmp_path / "out") == 0
    for name in ("trials.csv", "model/model.safetensors"):
        assert (tmp_path / "out" / name).read_bytes() == (out / name).read_bytes()
    for seed in (1, 2):
        was, now = (
            read_predictions(path / f"finetuned-{seed}.parquet")[0]
            for path in (out, tmp_path / "out")
        )
        for before, after in zip(was, now, strict=True):
            same = np.array_equal(before.scores, after.scores, equal_nan=True)
            assert same == (changed == "labels" or before.word == "bank")
            assert np.array_equal(before.gold, after.gold) == (changed == "sentences")


def test_held_out_instances_are_not_learned_in_a_trial(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wsd.artifacts import fold_table as folding
    from wsd.studies.finetuning.trials import Finetuning

    seen: list[tuple[str, dict[str, Any]]] = []
    own = Finetuning.fit

    def fit(self: Finetuning, rows: Any, setting: Setting, seed: int, name: str) -> Any:
        seen.append((name, rows))
        return own(self, rows, setting, seed, name)

    monkeypatch.setattr(Finetuning, "fit", fit)
    assert finetune(place, tmp_path / "out", "--tried", "2") == 0
    corpora = read_corpora(place / "corpus", [*LEFT])
    folds = folding.read_for_words(place / "folds.parquet", corpora)
    names = [name for name, _ in seen]
    assert names[:4] == ["trial-1-0", "trial-1-1", "trial-2-0", "trial-2-1"]
    assert names[4:] == ["seed-1", "seed-2", "seed-1"]
    for name, rows in seen:
        for word, value in rows.items():
            every, held = folds.rows(corpora[word]), folds.words[word].held
            # Those with a sense of one instance, or with one sense, have no folds: learned whole.
            assert (held is None) == (word != "apple")
            out = held is not None and name.startswith("trial")
            expected = every[held[0] != int(name[-1])] if out and held is not None else every
            assert np.array_equal(value, expected)


def test_of_equal_settings_the_first_is_chosen() -> None:
    settings = read_settings(json.dumps(GRID), "--grid")
    lines = [{"trial": t, "objective": x} for t, x in ((1, 0.5), (1, 0.7), (2, 0.6), (2, 0.6))]
    assert best(lines, settings) == 0 and best(lines[1:], settings) == 0
    assert best([{**lines[0], "objective": 0.4}, *lines[1:]], settings) == 1
    assert best([], settings) == 0


def test_one_setting_is_not_tried(place: Path, tmp_path: Path) -> None:
    assert finetune(place, tmp_path, grid={**GRID, "rate": [1e-3]}) == 0
    assert read_csv(tmp_path / "trials.csv").empty
    assert read_csv(tmp_path / "costs.csv")["trial"].isna().all()


def test_divergence_leaves_only_earlier_trials(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert finetune(place, out, grid={**GRID, "rate": [1e-3, 5.0]}) != 0
    assert "rate 5," in capsys.readouterr().err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [out / UNFINISHED / "trial-1-0.safetensors"]


@pytest.mark.slow
def test_a_small_training_set_has_as_many_epochs_as_its_steps_take(
    place: Path, tmp_path: Path
) -> None:
    """A batch has 32 instances, so an epoch of these three words has six steps."""
    corpora = read_corpora(place / "corpus", [*LEFT])
    rows = sum((corpus.split == "train").sum() for corpus in corpora.values())
    assert number_of_steps(rows, 1) == 6
    grid = {"rate": [1e-3], "epochs": [1, 3, 4], "blocks": ["all"]}
    assert finetune(place, tmp_path, "--steps", "13", grid=grid) == 0
    assert read_csv(tmp_path / "trials.csv")["epochs"].tolist() == [3, 4]
    _, about = read_predictions(tmp_path / "finetuned-1.parquet")
    assert about["parameters"]["epochs"] >= 3
    # What was asked for is the same of every training set: tables that have several say it once.
    assert [entry["epochs"] for entry in about["space"]["settings"]] == [1, 3, 4]
    assert about["space"]["steps"] == 13


def test_costs_include_predictions(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock advances only in predictions."""
    now = 0.0
    own = Finetuning.predict

    def predict(*args: Any) -> Any:
        nonlocal now
        now += 7
        return own(*args)

    monkeypatch.setattr(Finetuning, "predict", predict)
    for clock in ("monotonic", "process_time"):
        monkeypatch.setattr(training.time, clock, lambda: now)
    assert finetune(place, tmp_path) == 0
    costs = read_csv(tmp_path / "costs.csv")
    assert len(costs) == 4
    assert (costs[["processor_seconds", "wall_seconds"]] == 7).all(axis=None)


@pytest.mark.parametrize(
    "grid", ["{}", "[]", "x", '{"rate": [0], "epochs": [1], "blocks": [1]}',
             '{"rate": [1e-3], "epochs": [1.5], "blocks": [1]}',
             '{"rate": [1e-3], "epochs": ["all"], "blocks": [1]}',
             '{"rate": [1e-3], "epochs": [1], "blocks": [0.5]}',
             '{"rate": [1e-3], "epochs": [1], "blocks": ["most"]}',
             '{"rate": [], "epochs": [1], "blocks": [1]}']
)  # fmt: skip
def test_invalid_grids_are_refused(grid: str) -> None:
    with pytest.raises(ConfigError, match="not a grid"):
        read_settings(grid, "--grid")


def test_more_blocks_than_there_are_are_refused(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert finetune(place, tmp_path, grid={**GRID, "blocks": [3]}) != 0
    assert "tiny has 2" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", list(zoo.KINDS))
def test_every_architecture_can_be_trained(
    built: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    # MobileBERT has no norms, so untrained weights give states with ten digits.
    rate = 1e-16 if name == "mobilebert" else 1e-4
    tagger = trained(built(name), tmp_path, Setting(rate, 1, "all"), guessing=100.0)
    assert len(tagger.trained) > 10
    tagger.save(tmp_path / "saved")
    for file in built(name).iterdir():
        if file.suffix != ".safetensors":
            shutil.copy(file, tmp_path / "saved")
    again = Tagger.load(tmp_path / "saved", [True], "all", **HOW)
    names = [key for key in tagger.trained if "(head)" not in key]
    assert equal(*({key: entry.trained[key] for key in names} for entry in (tagger, again)))
