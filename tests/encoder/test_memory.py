"""Peak memory of an extraction does not grow with the corpus."""

import subprocess
import sys
from pathlib import Path

import pytest

# Hidden states of BERT-large's shape that cost next to nothing. The rest, from tokens to files, is
# what `wsd embed` runs.
CODE = """
import resource, sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
out, instances = Path(sys.argv[2]), int(sys.argv[3])
import torch
from tiny import corpus_of, tiny_tokenizer
from wsd.encoder import embed, model_files
from wsd.encoder.encoder import Encoder

class Cheap:
    config = SimpleNamespace(model_type="cheap", num_hidden_layers=24, hidden_size=1024)

    def __call__(self, input_ids, **_):
        return SimpleNamespace(hidden_states=[torch.ones(*input_ids.shape, 1024)] * 25)

def load(folder, **_):
    encoder = Encoder(tiny_tokenizer(512), Cheap(), device=torch.device("cpu"))
    encoder.__dict__["architecture"] = SimpleNamespace(_asdict=dict)
    return encoder

Encoder.load, model_files.verify = load, lambda record: "nowhere"
sizes = [(3 + 7 * i % 57, i % 7) for i in range(instances)]
corpus = corpus_of(*((("the " * n) + "crane" + " of" * m, n) for n, m in sizes))
record = {"name": "cheap", "blocks": 24, "width": 1024}
word = embed.Word(corpus, out, {"focal": "focal.safetensors"})
embed.embed([word], record, embed.Options(device="cpu"), threads=2)
size = (out / "focal.safetensors").stat().st_size
print(size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
def test_memory_at_the_shape_of_bert_large_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    """Memory holds the sentences, but nothing that grows with the vectors: 0.6 GB more of them."""
    measured = []
    for instances in (1000, 7000):
        out = tmp_path / str(instances)
        out.mkdir()
        command = [sys.executable, "-c", CODE, Path(__file__).parents[1] / "helpers", out]
        run = subprocess.run([*command, str(instances)], capture_output=True, text=True, check=True)
        measured.append([int(number) for number in run.stdout.split()])
    (small, peak_of_few), (large, peak) = measured
    assert large - small > 0.6e9
    assert peak < 4e9 and peak - peak_of_few < 0.2e9
