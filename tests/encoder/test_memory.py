"""Peak memory of an extraction does not grow with the corpus."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# A model whose hidden states have BERT-large's shape and cost next to nothing: 24 times a shift of
# a few numbers. The rest, from tokens to files, is what `wsd embed` runs.
CODE = """
import resource, sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
out, instances = Path(sys.argv[2]), int(sys.argv[3])
import numpy as np, torch
from tiny import tiny_tokenizer
from wsd.artifacts.corpus_table import Corpus
from wsd.encoder import embed
from wsd.encoder import model_files
from wsd.encoder.encoder import Encoder

class Block(torch.nn.Module):
    def forward(self, hidden_states):
        return hidden_states + 1

class Cheap(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(model_type="cheap", num_hidden_layers=24, hidden_size=1024)
        self.words = torch.nn.Embedding(200, 1024)
        self.blocks = torch.nn.ModuleList([Block() for _ in range(24)])

    def get_input_embeddings(self):
        return self.words

    def forward(self, input_ids, attention_mask, output_hidden_states=False):
        state = self.words(input_ids)
        # The trial of an encoder checks that a piece sees the others.
        state = state + (state * attention_mask[..., None]).mean(1, keepdim=True)
        states = [state]
        for block in self.blocks:
            state = block(state)
            if output_hidden_states:
                states.append(state)
        return SimpleNamespace(last_hidden_state=state, hidden_states=states)

def load(folder, **_):
    encoder = Encoder(tiny_tokenizer(512), Cheap().eval(), device=torch.device("cpu"))
    encoder.__dict__["architecture"] = SimpleNamespace(_asdict=dict)
    return encoder

Encoder.load = load
model_files.verify = lambda record: "nowhere"
draw = np.random.default_rng(1).integers(3, 60, instances)
tokens = tuple(("the",) * int(n) + ("crane",) + ("lifted",) * int(n % 7) for n in draw)
corpus = Corpus("crane", ("a", "b"), np.array(["train"] * instances), np.arange(instances), tokens,
                draw, np.zeros(instances, dtype=int))
record = {"name": "cheap", "blocks": 24, "width": 1024}
embed.embed([embed.Word(corpus, out, {"focal": "focal.safetensors"})], record,
            embed.Options(device="cpu"), threads=2)
size = (out / "focal.safetensors").stat().st_size
print(size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def measured(out: Path, instances: int) -> tuple[int, int]:
    """Return the bytes of the file and the peak memory."""
    out.mkdir()
    run = subprocess.run(
        [sys.executable, "-c", CODE, Path(__file__).parents[1] / "helpers", out, str(instances)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    size, peak = map(int, run.stdout.split())
    (out / "focal.safetensors").unlink()
    return size, peak


@pytest.mark.slow
def test_the_whole_corpus_at_the_shape_of_bert_large_within_four_gigabytes(tmp_path: Path) -> None:
    _, peak_of_few = measured(tmp_path / "few", 2000)
    size, peak = measured(tmp_path / "all", 33_566)
    assert size > 33_566 * 25 * 1024 * 4 > 3.4e9
    assert peak < 4e9
    # Memory holds the sentences, but nothing that grows with the vectors: 31,566 more
    # instances are 3.2 GB of them.
    assert peak - peak_of_few < 0.4e9, (peak_of_few, peak)
