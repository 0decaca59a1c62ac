"""Measure the speed of `wsd predict` and whether its memory grows with the number of lines.

    python bench/predict.py results/quickstart/selected.wsd
    python bench/predict.py FILE.wsd --lines 1000 10000

The lines repeat the sentences of the built-in corpus; a number before each makes it unique. Each
run is its own process, so that the system reports its peak memory. Next to `wsd predict` the script
runs the encoder alone on the same sentences. The difference is the cost of finding the words,
classifying, searching neighbours and writing.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wsd.arguments import processors
from wsd.corpora import text_format
from wsd.corpora.word_forms import Finder
from wsd.fitted.wsd_file import WsdFile
from wsd.inference import find_focal_word
from wsd.inference.encoders import fitted_encoder

QUICKSTART = Path(__file__).parents[1] / "wsd/data/quickstart"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_file", type=Path)
    parser.add_argument("--lines", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--extract", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.extract:
        extract(args.model_file, args.extract, args.threads)
        return
    words = [word for word in WsdFile(args.model_file).words if (QUICKSTART / word).is_dir()]
    sentences = [
        " ".join(tokens)
        for word in words
        for tokens in text_format.read_text(QUICKSTART / word, word).tokens
    ]
    print(f"{args.threads} threads")
    with tempfile.TemporaryDirectory() as folder:
        for n in args.lines:
            file = Path(folder) / f"{n}.txt"
            lines = zip(range(n), itertools.cycle(sentences), strict=False)
            file.write_text("".join(f"{i} {sentence}\n" for i, sentence in lines))
            threads = ["--threads", str(args.threads)]
            predict = ["-m", "wsd.cli", "predict", "--file", str(file), "--format", "jsonl"]
            predict += ["--model-file", str(args.model_file), "--out", f"{folder}/out", *threads]
            bare = [__file__, str(args.model_file), "--extract", str(file), *threads]
            for name, command in (("wsd predict", predict), ("encoder alone", bare)):
                seconds, of_cores, megabytes = measured(command)
                print(
                    f"{name:14} {n:7,} lines {seconds:7.1f} s {n / seconds:7.1f} lines/s "
                    f"{of_cores:7.1f} s of cores {megabytes:6.0f} MB at most",
                    flush=True,
                )


def measured(command: list[str]) -> tuple[float, float, float]:
    """Return a process's seconds, processor seconds and peak megabytes, imports included."""
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    seconds = time.perf_counter() - start
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def extract(model_file: Path, file: Path, threads: int) -> None:
    """Extract the focal word's vectors of all lines as one table; do nothing else."""
    opened = WsdFile(model_file)
    encoder = fitted_encoder(opened.encoder, device="cpu")
    finder = Finder(opened.words, opened.forms)
    occurrences = [finder.find(line)[0] for line in file.read_text().splitlines()]
    table = find_focal_word.as_corpus(
        [
            find_focal_word.Focus(occurrence.tokens, occurrence.position)
            for occurrence in occurrences
        ]
    )
    aligned = encoder.align(table)
    for _ in encoder.encode(table, aligned, views=["focal"], threads=threads):
        pass


if __name__ == "__main__":
    main()
