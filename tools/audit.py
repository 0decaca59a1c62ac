"""Ask an advisory source for known vulnerabilities of the locked packages (`make audit`).

Exit codes: 0, no package has a known vulnerability; 1, at least one has; 3, not audited. If the
source does not answer, the script reports only that. It first asks for a package that is known to
be vulnerable, because a proxy may answer every query with "nothing found".
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import requests

OSV = "https://api.osv.dev/v1/query"
# A version with known vulnerabilities (CVE-2014-1402 and others).
VULNERABLE_PACKAGE = {"package": {"name": "jinja2", "ecosystem": "PyPI"}, "version": "2.4.1"}
SECONDS = 15
CLEAN, VULNERABLE, NOT_AUDITED = 0, 1, 3


def unreachable(url: str) -> str | None:
    """Return why the advisory source does not answer, or None if it does."""
    try:
        answer = requests.post(url, json=VULNERABLE_PACKAGE, timeout=SECONDS)
        answer.raise_for_status()
        if answer.json()["vulns"]:
            return None
    except (requests.RequestException, KeyError, TypeError, ValueError) as error:
        return f"{url} does not answer: {type(error).__name__} {error}"
    return f"{url} does not report a vulnerability that is well known"


def verdict(report: str, packages: int) -> tuple[int, str]:
    """Return the exit code and text for pip-audit's JSON report on this number of packages."""
    try:
        dependencies = json.loads(report)["dependencies"]
        skipped = [
            f"{package['name']}: {package['skip_reason']}"
            for package in dependencies
            if "skip_reason" in package
        ]
        vulnerabilities = [
            f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in "
            f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
            for package in dependencies
            for vulnerability in package.get("vulns", ())
        ]
    except (KeyError, TypeError, ValueError) as error:
        return NOT_AUDITED, f"not audited: pip-audit wrote no report: {error}"
    if vulnerabilities:
        return VULNERABLE, "\n".join(["known vulnerabilities:", *vulnerabilities, *skipped])
    if skipped or len(dependencies) != packages:
        missing = skipped or [f"{len(dependencies)} of {packages} packages are in the report"]
        return NOT_AUDITED, "\n".join(["not audited, or not all:", *missing])
    return CLEAN, f"{packages} packages audited: no known vulnerabilities"


def audit(lock: Path, url: str) -> tuple[int, str]:
    """Audit the packages of a lock file; return the exit code and text."""
    if reason := unreachable(url):
        return NOT_AUDITED, f"not audited: {reason}"
    options = ["--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off"]
    process = subprocess.run(  # noqa: S603 - no shell, and the arguments are ours
        [sys.executable, "-m", "pip_audit", f"--requirement={lock}", *options,
         "--vulnerability-service=osv", f"--osv-url={url}", f"--timeout={SECONDS}"],
        capture_output=True, text=True,
    )  # fmt: skip
    if not process.stdout.strip():
        errors = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        return NOT_AUDITED, f"not audited: pip-audit failed: {errors[-1]}"
    lines = [line.strip() for line in lock.read_text(encoding="utf-8").splitlines()]
    return verdict(process.stdout, sum(bool(line) and line[0] not in "#-" for line in lines))


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
