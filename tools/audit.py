"""Ask an advisory source for known vulnerabilities of the locked packages (`make audit`).

Exit codes: 0, all were audited and none is known; 1, some are known; 3, not audited. Where the
source cannot be asked, the output says so and nothing else: silence is no all-clear. That the
source answers is shown by a package that is known to be vulnerable, since a proxy that says
"nothing found" to everything looks like good news.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import requests

OSV = "https://api.osv.dev/v1/query"
# CVE-2014-1402 and others.
KNOWN = {"package": {"name": "jinja2", "ecosystem": "PyPI"}, "version": "2.4.1"}
SECONDS = 15
CLEAN, VULNERABLE, NOT_AUDITED = 0, 1, 3


def unreachable(url: str) -> str | None:
    """Why the advisory source cannot be asked; None if it can."""
    try:
        answer = requests.post(url, json=KNOWN, timeout=SECONDS)
        answer.raise_for_status()
        if answer.json()["vulns"]:
            return None
    except (requests.RequestException, KeyError, TypeError, ValueError) as error:
        return f"{url} cannot be asked: {type(error).__name__} {error}"
    return f"{url} does not know a vulnerability that everybody knows"


def verdict(report: str, packages: int) -> tuple[int, str]:
    """Exit code and text for what pip-audit says in JSON of so many packages."""
    try:
        found = json.loads(report)["dependencies"]
        skipped = [f"{of['name']}: {of['skip_reason']}" for of in found if "skip_reason" in of]
        known = [
            f"{of['name']} {of['version']}: {one['id']}, mended in "
            f"{', '.join(one['fix_versions']) or 'no version yet'}"
            for of in found
            for one in of.get("vulns", ())
        ]
    except (KeyError, TypeError, ValueError) as error:
        return NOT_AUDITED, f"not audited: pip-audit gave no report: {error}"
    if known:
        return VULNERABLE, "\n".join(["known vulnerabilities:", *known, *skipped])
    if skipped or len(found) != packages:
        missing = skipped or [f"{len(found)} of {packages} packages are in the report"]
        return NOT_AUDITED, "\n".join(["not audited, or not all:", *missing])
    return CLEAN, f"{packages} packages audited: no known vulnerabilities"


def audit(lock: Path, url: str) -> tuple[int, str]:
    """Exit code and text for the packages of a lock file."""
    if reason := unreachable(url):
        return NOT_AUDITED, f"not audited: {reason}"
    options = ["--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off"]
    done = subprocess.run(  # noqa: S603 - no shell, and the arguments are ours
        [sys.executable, "-m", "pip_audit", f"--requirement={lock}", *options,
         "--vulnerability-service=osv", f"--osv-url={url}", f"--timeout={SECONDS}"],
        capture_output=True, text=True,
    )  # fmt: skip
    if not done.stdout.strip():
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return NOT_AUDITED, f"not audited: pip-audit failed: {said[-1]}"
    lines = [line.strip() for line in lock.read_text(encoding="utf-8").splitlines()]
    return verdict(done.stdout, sum(bool(line) and line[0] not in "#-" for line in lines))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the verdict and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lock", type=Path, default=Path("requirements.lock"))
    parser.add_argument("--url", default=OSV, help="the query address of an OSV service")
    args = parser.parse_args(argv)
    code, text = audit(args.lock, args.url)
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main())
