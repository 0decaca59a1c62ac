"""What is fuzzed: every reader of foreign files, each as bytes in, a valid result or one error out.

The readers of a study are in ``fuzz_*.py`` beside its tests.
"""

import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import import_targets
import numpy as np
from fuzz_target import JSON_TOKENS, Target, of_studies, small_corpus
from mutate import SEPARATOR

from wsd.artifacts import corpus_table, feature_set
from wsd.artifacts import senses as sense_names
from wsd.classification.estimators.registry import make_estimator
from wsd.corpora import text_format
from wsd.corpora.find_word import Finder
from wsd.fitted import wsd_file
from wsd.fitted.word_classifier import FittedWord
from wsd.metrics import nearest

TEXT_FILES = (*import_targets.TEXT, "outofdomain.tsv")


def corpus_seeds() -> list[bytes]:
    classes = b'{"0": "crane_bird", "1": "crane_machine"}\n'
    data, gold = b"1\tthe crane flew\n0\tcrane  of steel\n", b"0\n1\n"
    further = b"crane\tcrane_bird\t1\tA crane .\nbank\tbank_river\t0\tbank\n"
    return [
        SEPARATOR.join([classes, data, gold, data, gold, further]),
        SEPARATOR.join([b'{"1":"b","0":"a","2":"c"}', data, gold, b"0\tx", b"2"]),
        # A position past the end, and a class that is no text.
        SEPARATOR.join([classes, b"3\tthe crane flew", b"0", data, gold]),
        SEPARATOR.join([b'{"0": 5, "1": "b"}', data, gold, data, gold]),
        SEPARATOR.join(['{"0": "銀行"}'.encode(), "0\te\u0301 x\n".encode(), b"0", data, b"0\n0"]),
    ]


def run_corpus(data: bytes, folder: Path) -> None:
    parts = data.split(SEPARATOR)
    for name, part in zip(TEXT_FILES, [*parts, *[None] * 6], strict=False):
        (folder / name).unlink(missing_ok=True)
        if part is not None:
            (folder / name).write_bytes(part)
    further = folder / TEXT_FILES[-1]
    result = text_format.read_text(folder, "crane", further if further.exists() else None)
    classes = sorted(json.loads(parts[0]).items(), key=lambda pair: int(pair[0]))
    assert result.senses == tuple(sense for _, sense in classes)
    for split, data, gold in (("train", *parts[1:3]), ("test", *parts[3:5])):
        rows = result.take(result.split == split)
        golds, lines = (text.decode().removesuffix("\n").split("\n") for text in (gold, data))
        assert [result.senses[i] for i in rows.gold] == [dict(classes)[name] for name in golds]
        sentences = [tuple(line.partition("\t")[2].split()) for line in lines]
        assert [tuple(" ".join(tokens).split()) for tokens in rows.tokens] == sentences
    for position, tokens in zip(result.position, result.tokens, strict=True):
        import_targets.check_focal(position, tokens)
    corpus_table.write(folder / "crane.parquet", result)
    assert corpus_table.read_corpora(folder, ["crane"])["crane"].digest == result.digest


@cache
def fitted_word(estimator: str) -> FittedWord:
    corpus = small_corpus()
    vectors = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
    parameters = {"transform": "whiten"} if estimator == "nearest_centroid" else {}
    classifier = make_estimator(estimator, parameters).fit(vectors, corpus.gold[:6])
    return FittedWord(
        word="crane",
        senses=corpus.senses,
        called=sense_names.sense_texts("crane", corpus.senses),
        estimator=estimator,
        parameters=classifier.get_params(),
        classifier=classifier,
        temperature=1.5,
        threshold=0.25,
        train=nearest.half_units(vectors).astype(np.float32),
        gold=corpus.gold[:6],
        lines=corpus.index[:6],
        corpus=corpus.digest,
        forms=("crane", "cranes"),
    )


def model_file_seeds() -> list[bytes]:
    """The manifest and the word's arrays of a model file of each estimator."""
    encoder = {
        "model": {"name": "tiny", "source": {"path": "tiny"},
                  "files": {"config.json": "0", "model.safetensors": "0"},
                  "model_type": "bert", "blocks": 2, "width": 3},
        "pooling": "mean", "input": "plain", "precision": "float32",
    }  # fmt: skip
    configuration = {"model": "tiny", "view": "focal", "layers": "1", "classifier": "logistic"}
    manifest = {"encoder": encoder, "versions": {"wsd": "0"}, "predictions": {}, "language": "en",
                "configuration": configuration}  # fmt: skip
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for estimator in ("nearest_centroid", "logistic", "lda", "knn"):
            path = Path(folder) / "a.wsd"
            words = [fitted_word(estimator)]
            wsd_file.write_wsd_file(path, words, manifest, lambda manifest: "card", {})
            with zipfile.ZipFile(path) as made:
                output, arrays = (made.read(n) for n in (wsd_file.MANIFEST, "words/0.safetensors"))
            # As many training sentences as fitted_word has vectors.
            texts = json.dumps({"crane": ["a crane"] * 6}).encode()
            changed = output.replace(b'"temperature": 1.5', b'"temperature": null')
            members = ([output, arrays], [output, arrays, texts], [changed, arrays])
            results += [SEPARATOR.join(entry) for entry in members]
        results.append(b"\0" + path.read_bytes())
    return results


def run_model_file(data: bytes, folder: Path) -> None:
    """The members in a valid archive, or after a zero byte the archive itself."""
    path = folder / "a.wsd"
    if data[:1] == b"\0":
        path.write_bytes(data[1:])
    else:
        manifest, *others = data.split(SEPARATOR, 2)
        names = ("words/0.safetensors", wsd_file.SENTENCES)
        members = {wsd_file.MANIFEST: manifest, wsd_file.CARD: b"card"}
        with zipfile.ZipFile(path, "w") as made:
            for name, content in {**members, **dict(zip(names, others, strict=False))}.items():
                made.writestr(name, content)
    opened = wsd_file.WsdFile(path)
    for word in opened.words:
        fitted = opened.word(word)
        Finder([word], opened.forms).find(f"a {word} .")
        assert len(opened.sentences(word) or fitted.gold) == len(fitted.gold)
        answers = fitted.answer(np.ones((2, fitted.train.shape[1]), dtype=np.float32))
        assert answers.scores.shape == (2, len(fitted.senses))
        assert len({text.name for text in fitted.called}) == len(fitted.senses)
        assert ((answers.predicted >= 0) & (answers.predicted < len(fitted.senses))).all()
        assert not np.isinf(answers.probabilities).any()
        assert (answers.neighbours < len(fitted.gold)).all()
        assert fitted.is_ood(answers.distance).dtype == bool


def run_layers(data: bytes, folder: Path) -> None:
    blocks = 1 + data[0] % 40 if data else 12
    text = data[1:].decode("utf-8", "surrogateescape")
    # YAML does not read `true` as text.
    chosen_all = [True if chosen == "true" else chosen for chosen in text.split(",")]
    for result in feature_set.expand_layers(chosen_all, blocks, where="layers"):
        assert feature_set.parse_layers(result.name, blocks) == result
        assert list(result.layers) == sorted(set(result.layers))
        assert result.layers[0] >= 0 and result.layers[-1] <= blocks
        states = {layer: np.full((1, 1), layer, np.float32) for layer in result.layers}
        width = len(result.layers) if result.operation in ("concat", "mix") else 1
        assert result.combine(states).shape == (1, width)


LAYER_TOKENS = (
    b"all", b"mean", b"sum", b"concat", b"mix", b"-", b"last", b"-last-", b"-all", b"0", b"1",
    b"12", b"-1", b"01", b",", b"-0", b"99999", "\u0661".encode(), b"+", b"focal", b"cls", b"|",
)  # fmt: skip
TARGETS = {
    target.name: target
    for target in (
        Target("corpus", corpus_seeds, run_corpus,
               (b"\t", b"\n", b"crane", b"0", b"crane_bird", *JSON_TOKENS), 1.5),
        Target("model-file", model_file_seeds, run_model_file,
               (b"F16", b"F64", b"I32", b"learned.coef", b"words", *JSON_TOKENS), 0.8),
        Target("layers", lambda: [b"\x0ball,mean-last-4,concat-all,sum-1-2-11,-1,mix-all,0",
                                  b"\x05true", b"\x05mean-last-0", b"\x05-0", b"\x05mean-6-7"],
               run_layers, LAYER_TOKENS, 12.0),
        Target("import-table", import_targets.table_seeds, import_targets.run_table,
               (b",", b"\t", b"\n", b'"', b"*", b"[[", b"]]", b"sentence", b"position", b"start",
                b"split", b"test", *JSON_TOKENS), 1.5),
        Target("import-xml", import_targets.xml_seeds, import_targets.run_xml,
               (b"<instance ", b"</", b"/>", b"&amp;", b"&#0;", b"<!DOCTYPE", b'lemma="', b" ",
                b"<wf>", b"\n"), 1.0),
        *(target for module in of_studies() for target in module.TARGETS),
    )
}  # fmt: skip
