"""Extract vectors of focal words with one method: the worker process of bench/extraction.py.

    python bench/extraction_methods.py METHOD MODEL_FOLDER SAMPLE.json THREADS VECTORS.npy DEVICE

The worker loads the model, warms up and prints `ready`. It then runs once for each line on standard
input and prints the seconds. At the end of the input it writes its vectors and prints its peak
memory (the GPU's, with `cuda`). Each method follows its published description, or calls its
package as users do. Flair runs in another environment, so the module level imports only numpy,
torch and transformers.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

# Vectors, and their layer choice.
Result = tuple[np.ndarray, str]
Method = Callable[[], Result]
DEVICE = torch.device("cpu")  # `main` sets it from the command line


def load(folder: str) -> tuple[Any, Any]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder)
    return tokenizer, model.float().eval().to(DEVICE)


def wsd(folder: str, sample: dict[str, Any], threads: int, precision: str, views: Any) -> Method:
    from wsd.artifacts.corpus_table import Corpus
    from wsd.encoder.encoder import Encoder

    n = len(sample["tokens"])
    corpus = Corpus(
        word="sample",
        senses=("any",),
        split=np.array(["train"] * n),
        index=np.arange(n),
        tokens=tuple(map(tuple, sample["tokens"])),
        position=np.array(sample["position"]),
        gold=np.zeros(n, dtype=int),
    )
    encoder = Encoder.load(folder, device=DEVICE.type, precision=precision)

    def run() -> Result:
        states = np.empty((encoder.blocks + 1, n, encoder.width), dtype=np.float32)
        aligned = encoder.align(corpus)
        batches = encoder.encode(corpus, aligned, views=views, threads=threads)
        for rows, vectors in batches:
            states[:, rows] = vectors[0]
        return states, "all"

    return run


def notebook(folder: str, sample: dict[str, Any], _: int) -> Method:
    """Take one sentence at a time, with gradients; stack all states, average the last four."""
    tokenizer, model = load(folder)

    def run() -> Result:
        vectors = []
        for tokens, pieces in zip(sample["tokens"], sample["pieces"], strict=True):
            words = tokenizer.tokenize("[CLS] " + " ".join(tokens) + " [SEP]")
            ids = torch.tensor([tokenizer.convert_tokens_to_ids(words)], device=DEVICE)
            # The notebook has 1 here; with 0 the vectors equal the other methods'.
            segments = torch.tensor([[0] * len(words)], device=DEVICE)
            output = model(ids, token_type_ids=segments, output_hidden_states=True)
            states = torch.stack(output.hidden_states, dim=0).squeeze(1).permute(1, 0, 2)
            vectors.append(states[pieces, -4:].mean(dim=(0, 1)).detach().cpu().numpy())
        return np.stack(vectors), "mean-last-4"

    return run


def authors(folder: str, sample: dict[str, Any], _: int) -> Method:
    """Take one sentence at a time; tokenize and pool it token by token."""
    tokenizer, model = load(folder)
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id

    def run() -> Result:
        focal_vectors = []
        for tokens, position in zip(sample["tokens"], sample["position"], strict=True):
            token_pieces = [tokenizer.encode(token, add_special_tokens=False) for token in tokens]
            all_pieces = [first, *(piece for token in token_pieces for piece in token), last]
            ids = torch.tensor([all_pieces], device=DEVICE)
            with torch.no_grad():
                states = model(
                    ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
                ).hidden_states
            summed = torch.stack([states[-k] for k in (1, 2, 3, 4)]).sum(dim=0)[0].cpu()
            vectors, place = [], 1
            for token in token_pieces:
                vector = torch.zeros(summed.shape[-1])
                for _ in token:
                    vector += summed[place]
                    place += 1
                vectors.append((vector / max(1, len(token))).numpy())
            focal_vectors.append(vectors[position])
        return np.stack(focal_vectors), "sum-last-4"

    return run


def batched(folder: str, sample: dict[str, Any], _: int) -> Method:
    """Take batches of 32 in the order of the file, padded to the longest, as most scripts do."""
    tokenizer, model = load(folder)

    def run() -> Result:
        vectors = []
        for start in range(0, len(sample["tokens"]), 32):
            tokens = sample["tokens"][start : start + 32]
            encoded = tokenizer(tokens, is_split_into_words=True, padding=True, return_tensors="pt")
            with torch.no_grad():
                output = model(**encoded.to(DEVICE), output_hidden_states=True)
                states = torch.stack(output.hidden_states)
            for i, pieces in enumerate(sample["pieces"][start : start + 32]):
                vectors.append(states[:, i, pieces].mean(dim=1).cpu().numpy())
        return np.stack(vectors, axis=1), "all"

    return run


def sentence_transformers(folder: str, sample: dict[str, Any], _: int) -> Method:
    """Let the package encode tokens at the last layer; it sorts by length and batches by 32."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device=DEVICE.type)
    texts = [" ".join(tokens) for tokens in sample["tokens"]]

    def run() -> Result:
        vectors = model.encode(texts, output_value="token_embeddings", show_progress_bar=False)
        pairs = zip(vectors, sample["pieces"], strict=True)
        return np.stack([v[pieces].mean(dim=0).cpu().numpy() for v, pieces in pairs]), "last"

    return run


def flair_words(folder: str, sample: dict[str, Any], batch_size: int) -> Method:
    """Let flair embed the words at every layer, ``batch_size`` sentences per call."""
    import flair
    from flair.data import Sentence
    from flair.embeddings import TransformerWordEmbeddings

    flair.device = DEVICE
    embeddings = TransformerWordEmbeddings(
        folder, layers="all", layer_mean=False, subtoken_pooling="mean", fine_tune=False
    )

    def run() -> Result:
        vectors = []
        for start in range(0, len(sample["tokens"]), batch_size):
            rows = slice(start, start + batch_size)
            sentences = [Sentence(tokens) for tokens in sample["tokens"][rows]]
            embeddings.embed(sentences)
            positions = sample["position"][rows]
            for sentence, position in zip(sentences, positions, strict=True):
                vectors.append(sentence[position].embedding.cpu().numpy())
        return np.stack(vectors).reshape(len(vectors), sample["layers"], -1).transpose(
            1, 0, 2
        ), "all"

    return run


METHODS: dict[str, Callable[..., Method]] = {
    "wsd": lambda *a: wsd(*a, "float32", ["focal"]),
    "wsd, four views": lambda *a: wsd(*a, "float32", ["focal", "context", "sentence", "cls"]),
    "wsd, bfloat16": lambda *a: wsd(*a, "bfloat16", ["focal"]),
    "wsd, float16": lambda *a: wsd(*a, "float16", ["focal"]),
    "notebook": notebook,
    "authors": authors,
    # One sentence per call, as in flair's introduction; 32, as in scripts for many sentences.
    "flair": lambda folder, sample, _: flair_words(folder, sample, 1),
    "flair, 32 a call": lambda folder, sample, _: flair_words(folder, sample, 32),
    "sentence-transformers": sentence_transformers,
    "batches of 32": batched,
}


def main() -> None:
    global DEVICE
    method, folder, sample, threads, out, device = sys.argv[1:]
    DEVICE = torch.device(device)
    torch.set_num_threads(int(threads))
    transformers.logging.set_verbosity_error()
    run = METHODS[method](folder, json.loads(Path(sample).read_text()), int(threads))
    vectors, layers = run()
    print("ready", flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        seconds = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps(seconds), flush=True)
    np.save(out, vectors)
    if DEVICE.type == "cuda":
        peak = torch.cuda.max_memory_allocated() / 2**20
    else:
        # Linux reports kilobytes.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"layers": layers, "peak": peak}), flush=True)


if __name__ == "__main__":
    main()
