"""The snippets of a page of the documentation: run in their order, compared with what is shown.

A ``python`` fence is run in one namespace with those before it; in an ``sh`` fence every line is a
``wsd`` command. A ``text`` fence directly after one is what it prints. Figures may differ in their
last digits, as they do from one processor to another. `python tests/helpers/snippets.py FILE`
writes what is printed into the page.
"""

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RTOL, ATOL = 0.01, 0.002
_FENCE = re.compile(
    r"^```(?P<kind>python|sh)\n(?P<code>.*?)^```\n(?P<shown>\n?```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Snippet:
    """A fence, the line it starts on, and the output under it, if any."""

    line: int
    kind: str
    code: str
    shown: str | None
    span: tuple[int, int]


def snippets(text: str) -> list[Snippet]:
    """Those of a page, in their order."""
    return [
        Snippet(
            text.count("\n", 0, found.start()) + 1,
            found["kind"],
            found["code"],
            found["output"],
            found.span("output"),
        )
        for found in _FENCE.finditer(text)
    ]


def run(page: Path) -> Iterator[tuple[Snippet, str]]:
    """Every snippet with what it prints."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for one in snippets(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if one.kind == "python":
                # Blank lines in front, so that a traceback has the page's line numbers.
                exec(compile("\n" * one.line + one.code, str(page), "exec"), namespace)
            else:
                from wsd.cli import main

                for line in one.code.splitlines():
                    program, *arguments = shlex.split(line)
                    assert program == "wsd", line
                    assert main(arguments) == 0, line
        yield one, printed.getvalue()


def same(shown: str, came: str) -> bool:
    """Whether two outputs agree word by word, numbers nearly."""
    left, right = shown.split(), came.split()
    return len(left) == len(right) and all(map(_alike, left, right))


def _alike(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a.strip("(),[]")), float(b.strip("(),[]"))
    except ValueError:
        return False
    # Counts and ids are whole, and are the same or not.
    return "." in a and "." in b and abs(x - y) <= ATOL + RTOL * abs(x)


def write(page: Path) -> None:
    """Put what is printed in the place of what is shown."""
    text = page.read_text(encoding="utf-8")
    for one, came in reversed(list(run(page))):
        if one.shown is not None:
            text = text[: one.span[0]] + came + text[one.span[1] :]
        elif came:
            raise SystemExit(f"{page}:{one.line}: prints something, but no text fence follows")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
