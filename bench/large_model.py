"""Measure how an encoder of billions of parameters loads and runs: time, and peak memory.

    python bench/large_model.py
    python bench/large_model.py --device cuda --billions 7
    python bench/large_model.py --device cuda --billions 7 --device-map auto

The model has Llama's shape and random weights. They are written tensor by tensor as a sharded
folder in bfloat16, and removed at the end, unless `--folder` names a place to keep them. Another
process then loads the folder with `wsd`'s encoder and embeds the built-in corpus `quickstart`, so
that its peak memory is its own. The output is one JSON object. `--sentences` shortens the corpus.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import safetensors.torch
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, processors, trainers

from wsd.artifacts.corpus_table import Corpus
from wsd.corpora.text_format import read_text
from wsd.encoder.encoder import Encoder
from wsd.encoder.view_weights import Sentences

QUICKSTART = Path(__file__).parents[1] / "wsd/data/quickstart"
# The pieces that the tokenizer learns, and those of Llama 3, which decide the size of the weights.
LEARNED, PIECES = 4000, 128_256
GB = 1e9


def shape(billions: float) -> dict[str, int]:
    """Return a shape of Llama 3, whose blocks have about so many billion parameters."""
    small = billions < 3
    width, inner, heads = (2048, 8192, 32) if small else (4096, 14336, 32)
    size = {
        "hidden_size": width, "intermediate_size": inner, "num_attention_heads": heads,
        "num_key_value_heads": 8,
    }  # fmt: skip
    block = sum(math.prod(dims) for _, dims in block_tensors(size))
    return {**size, "num_hidden_layers": max(1, round(billions * 1e9 / block))}


def block_tensors(size: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """Return names and shapes of a block's tensors."""
    width, inner = size["hidden_size"], size["intermediate_size"]
    keys = width // size["num_attention_heads"] * size["num_key_value_heads"]
    shapes: list[tuple[str, tuple[int, ...]]] = [
        ("input_layernorm", (width,)), ("post_attention_layernorm", (width,)),
        ("self_attn.q_proj", (width, width)), ("self_attn.k_proj", (keys, width)),
        ("self_attn.v_proj", (keys, width)), ("self_attn.o_proj", (width, width)),
        ("mlp.gate_proj", (inner, width)), ("mlp.up_proj", (inner, width)),
        ("mlp.down_proj", (width, inner)),
    ]  # fmt: skip
    return shapes


def write_folder(folder: Path, billions: float, device: str) -> None:
    """Write config, tokenizer and weights; a shard has one block, so little memory is needed."""
    folder.mkdir(parents=True, exist_ok=True)
    size = shape(billions)
    tokenizer = trained_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    stated = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "dtype": "bfloat16",
        "vocab_size": PIECES, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
        "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 0, **size,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    blocks, width = size["num_hidden_layers"], size["hidden_size"]
    shards = [[("model.embed_tokens", (PIECES, width)), ("model.norm", (width,))]]
    for i in range(blocks):
        shards.append([(f"model.layers.{i}.{name}", dims) for name, dims in block_tensors(size)])
    torch.manual_seed(1)
    places: dict[str, str] = {}
    for number, shard in enumerate(shards, start=1):
        file = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        tensors = {f"{name}.weight": drawn(dims, device) for name, dims in shard}
        safetensors.torch.save_file(tensors, folder / file, metadata={"format": "pt"})
        places |= dict.fromkeys(tensors, file)
    total = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def drawn(dims: tuple[int, ...], device: str) -> torch.Tensor:
    """Return random weights, drawn on the device; a norm's are 1."""
    if len(dims) == 1:
        return torch.ones(dims, dtype=torch.bfloat16)
    return torch.empty(dims, dtype=torch.bfloat16, device=device).normal_(0, 0.02).cpu()


def trained_tokenizer() -> tokenizers.Tokenizer:
    """Return a byte-level BPE with few pieces, trained on the corpus."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=LEARNED,
        special_tokens=["<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((" ".join(t) for c in corpora() for t in c.tokens), trainer)
    start = [("<s>", tokenizer.token_to_id("<s>"))]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=start)
    return tokenizer


def corpora() -> Iterator[Corpus]:
    """Yield the words of the corpus."""
    for folder in sorted(path for path in QUICKSTART.iterdir() if path.is_dir()):
        yield read_text(folder, folder.name)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Load the folder and embed the corpus."""
    on_gpu = args.device == "cuda"
    start = time.perf_counter()
    further = {"device_map": args.device_map} if args.device_map else {}
    encoder = Encoder.load(
        str(args.folder), device=args.device, precision=args.precision, **further
    )
    loaded = time.perf_counter()
    rss_loaded, gpu_loaded = peak_rss(), peak_gpu() if on_gpu else None
    words, left = [], args.sentences
    for corpus in corpora():
        rows = corpus.take(torch.arange(len(corpus)).numpy() < left)
        left -= len(rows)
        if len(rows):
            words.append(Sentences(rows, encoder.align(rows), ["focal"]))
    aligned = time.perf_counter()
    sentences, most = 0, 0.0
    for _, (rows_of_batch, _) in encoder.encode_words(words, seed=1, threads=args.threads):
        sentences += len(rows_of_batch)
        # The encoder starts a new measurement with each word.
        most = max(most, peak_gpu()) if on_gpu else 0.0
    embedding = time.perf_counter() - aligned
    weights = sum(file.stat().st_size for file in args.folder.glob("*.safetensors"))
    pieces = sum(len(instance.ids) for word in words for instance in word.aligned)
    return {
        "device": torch.cuda.get_device_name() if on_gpu else f"cpu, {args.threads} threads",
        "versions": {module.__name__: module.__version__ for module in (torch, transformers)},
        "precision": args.precision,
        "device_map": args.device_map,
        "blocks": encoder.blocks,
        "width": encoder.width,
        "parameters_billion": weights / 2e9,
        "file_gb": weights / GB,
        "load_s": loaded - start,
        "rss_loaded_gb": rss_loaded,
        "gpu_loaded_gb": gpu_loaded,
        "sentences": sentences,
        "pieces": pieces,
        "embed_s": embedding,
        "sentences_per_s": sentences / embedding,
        "peak_rss_gb": peak_rss(),
        "peak_rss_of_file": peak_rss() * GB / weights,
        "peak_gpu_gb": most if on_gpu else None,
    }


def peak_rss() -> float:
    """Return the most memory that this process has had so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GB


def peak_gpu() -> float:
    """Return the most memory that tensors have had on the GPU, in GB."""
    return torch.cuda.max_memory_allocated() / GB


def main() -> None:
    """Write the folder, and measure in another process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--billions", type=float, default=1.0)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--device-map", choices=["auto"])
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--sentences", type=int, default=10**6, help="at most so many")
    parser.add_argument("--threads", type=int, default=1, help="batches at the same time on a CPU")
    parser.add_argument("--folder", type=Path, help="keep the weights in this folder")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args), indent=2))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary) / "model"
        start = time.perf_counter()
        if not (folder / "config.json").exists():
            write_folder(folder, args.billions, args.device)
        print(f"weights written in {time.perf_counter() - start:.0f} s", file=sys.stderr)
        options = [*sys.argv[1:], "--measure", "--folder", str(folder)]
        subprocess.run([sys.executable, __file__, *options], check=True)


if __name__ == "__main__":
    main()
