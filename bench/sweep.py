"""Measure how long a whole sweep takes, and in which steps the processor time is spent.

    python bench/sweep.py --configfile config/minilm.yaml

Run `snakemake` in this checkout, which must not contain results yet. For each step the script
prints the processor time of its processes: forward pass, fitting of classifiers, imports and the
rest, and the peak memory of the largest process. The last row is Snakemake's own time. Arguments
after `--` go to Snakemake.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("forward", "fit", "import")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configfile", nargs="+", default=["config/minilm.yaml"])
    parser.add_argument("--cores", default="2")
    parser.add_argument("further", nargs="*", help="arguments for Snakemake, after --")
    args = parser.parse_args()
    sweep(ROOT, ["--cores", args.cores, "--configfile", *args.configfile, *args.further])


def sweep(root: Path, arguments: list[str]) -> None:
    """Run ``snakemake`` in a checkout without results, and print its cost."""
    leftovers = [path for path in root.glob("results/[!.]*") if path.name != "README.md"]
    if leftovers:
        raise SystemExit(f"{leftovers[0]} already exists; run this benchmark in a fresh clone")
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.jsonl"
        paths = [str(root / "bench/trace"), str(root)]
        env = {
            **os.environ,
            "WSD_TRACE": str(trace),
            "PYTHONPATH": os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])]),
        }
        command = [str(Path(sys.executable).with_name("snakemake")), *arguments]
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        code = subprocess.run(command, cwd=root, env=env).returncode
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = [json.loads(line) for line in trace.read_text().splitlines()]
    if code:
        raise SystemExit(code)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report(lines, cpu, wall)


def report(lines: list[dict], cpu: float, wall: float) -> None:
    """Print a row per step, the most expensive first, and shares of the total."""
    steps: dict[str, Counter] = defaultdict(Counter)
    peaks: dict[str, float] = defaultdict(float)
    for line in lines:
        step = line.pop("step")
        peaks[step] = max(peaks[step], line.pop("peak"))
        steps[step].update(line, processes=1)
    steps["snakemake and shells"]["all"] = cpu - sum(seconds["all"] for seconds in steps.values())
    total: Counter = Counter()
    kinds = "".join(f"{kind:>9}" for kind in (*KINDS, "rest", "peak MB"))
    print(f"{'':24}{'processes':>10}{'CPU s':>9}{kinds}")
    for step, seconds in sorted(steps.items(), key=lambda item: -item[1]["all"]):
        rest = seconds["all"] - sum(seconds[kind] for kind in KINDS)
        times = "".join(f"{seconds[kind]:9.1f}" for kind in KINDS)
        times += f"{rest:9.1f}{peaks[step]:9.0f}"
        print(f"{step:24}{seconds['processes']:10}{seconds['all']:9.1f}{times}")
        total.update(seconds)
    useful = total["forward"] + total["fit"]
    print(f"{wall:.0f} s, {cpu:.0f} s of processor time: ", end="")
    print(f"{useful / cpu:.1%} in the forward pass and in fitting, ", end="")
    print(f"{total['import'] / cpu:.1%} in imports, ", end="")
    print(f"{steps['snakemake and shells']['all'] / cpu:.1%} in Snakemake")


if __name__ == "__main__":
    main()
