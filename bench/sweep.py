"""How long does a whole sweep take, and where does the processor's time go?

    python bench/sweep.py --configfile config/minilm.yaml

Runs `snakemake` in the checkout that it lies in, which must have no results of that dataset yet,
and prints, per step, the processor time of its processes: in the forward pass, in fitting
classifiers, in imports, and in the rest; then Snakemake's own. What stands after `--` is given to
Snakemake.
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
    parser.add_argument("further", nargs="*", help="for Snakemake, after --")
    args = parser.parse_args()
    sweep(ROOT, ["--cores", args.cores, "--configfile", *args.configfile, *args.further])


def sweep(root: Path, arguments: list[str]) -> None:
    """Run ``snakemake`` in a checkout that has no results, and print what it cost."""
    left = [path for path in root.glob("results/[!.]*") if path.name != "README.md"]
    if left:
        raise SystemExit(f"{left[0]} is there already: a cold sweep wants a fresh clone")
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
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = [json.loads(line) for line in trace.read_text().splitlines()]
    if code:
        raise SystemExit(code)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    report(lines, cpu, wall)


def report(lines: list[dict], cpu: float, wall: float) -> None:
    """Print a row per step, the most expensive first, and the shares of the whole."""
    steps: dict[str, Counter] = defaultdict(Counter)
    for line in lines:
        steps[line["step"]].update({k: v for k, v in line.items() if k != "step"}, processes=1)
    steps["snakemake and shells"]["all"] = cpu - sum(of["all"] for of in steps.values())
    total: Counter = Counter()
    print(f"{'':24}{'processes':>10}{'CPU s':>9}" + "".join(f"{k:>9}" for k in KINDS) + "     rest")
    for step, of in sorted(steps.items(), key=lambda item: -item[1]["all"]):
        rest = of["all"] - sum(of[kind] for kind in KINDS)
        times = "".join(f"{of[kind]:9.1f}" for kind in KINDS)
        print(f"{step:24}{of['processes']:10}{of['all']:9.1f}{times}{rest:9.1f}")
        total.update(of)
    useful = total["forward"] + total["fit"]
    print(f"{wall:.0f} s, {cpu:.0f} s of processor time: ", end="")
    print(f"{useful / cpu:.1%} in the forward pass and in fitting, ", end="")
    print(f"{total['import'] / cpu:.1%} in imports, ", end="")
    print(f"{steps['snakemake and shells']['all'] / cpu:.1%} in Snakemake")


if __name__ == "__main__":
    main()
