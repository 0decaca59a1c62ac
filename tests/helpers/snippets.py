"""Run the snippets of a documentation page in order, and compare their output with the page.

All ``python`` fences share a namespace; in an ``sh`` fence every line is a ``wsd`` command. A
``text`` fence directly after a snippet shows its output. Numbers may differ in their last digits,
because they depend on the processor. `python tests/helpers/snippets.py FILE` writes the outputs
into the page.
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
    """Return the snippets of a page, in order."""
    return [
        Snippet(text.count("\n", 0, m.start()) + 1, *m.group(1, 2, "output"), m.span("output"))
        for m in _FENCE.finditer(text)
    ]


def run(page: Path) -> Iterator[tuple[Snippet, str]]:
    """Run every snippet and yield it with its output."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for snippet in snippets(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if snippet.kind == "python":
                # Leading blank lines give tracebacks the line numbers of the page.
                exec(compile("\n" * snippet.line + snippet.code, str(page), "exec"), namespace)
            else:
                from wsd.cli import main

                for line in snippet.code.splitlines():
                    program, *arguments = shlex.split(line)
                    assert program == "wsd", line
                    assert main(arguments) == 0, line
        yield snippet, printed.getvalue()


def same(shown: str, came: str) -> bool:
    """Return whether two outputs have the same words, and nearly the same numbers."""
    left, right = shown.split(), came.split()
    return len(left) == len(right) and all(map(_alike, left, right))


def _alike(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a.strip("(),[]")), float(b.strip("(),[]"))
    except ValueError:
        return False
    # Whole numbers are counts or ids, which must be equal.
    return "." in a and "." in b and abs(x - y) <= ATOL + RTOL * abs(x)


def write(page: Path) -> None:
    """Replace the outputs on the page by the current ones."""
    text = page.read_text(encoding="utf-8")
    for snippet, came in reversed(list(run(page))):
        if snippet.shown is not None:
            text = text[: snippet.span[0]] + came + text[snippet.span[1] :]
        elif came:
            raise SystemExit(f"{page}:{snippet.line}: prints something, but no text fence follows")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
