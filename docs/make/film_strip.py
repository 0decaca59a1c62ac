"""Write docs/film-strip.svg, README's picture: `python docs/make/film_strip.py`.

The picture is the film strip of the quickstart's first page, as an SVG that moves by itself: the
same sentences in each layer. tests/docs/test_tutorial.py draws it again and compares.
"""

import re
import sys
from html import unescape
from pathlib import Path
from typing import NamedTuple

from wsd.report.pages.curves import COLOURS, mark_of

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "results/quickstart/report/index.html"
PICTURE = ROOT / "docs/film-strip.svg"
# Seconds in which a layer rests, and in which points move to the next one; and runs of the film.
REST, MOVE, RUNS = 1.1, 0.7, 5
INK, QUIET, RULE, ACCENT = "#1c2126", "#535c66", "#d5d9db", "#0a5a96"
WIDTH, STAGE, GAP = 860, 300, 10  # pixels


class Film(NamedTuple):
    """The film strip of a report's first page.

    Attributes
    ----------
    word : str
    senses : list of str
    layers, scores : list of str
        Per frame.
    places : list of list of str
        Per frame and sense, the points as SVG writes them, from -100 to 100.
    """

    word: str
    senses: list[str]
    layers: list[str]
    scores: list[str]
    places: list[list[str]]


def read(page: Path) -> Film:
    """Read the film strip of a report's first page."""
    section = page.read_text(encoding="utf-8").split('id="film"')[1].split("</section>")[0]
    frames = re.findall(r"<li><a .*?</a></li>", section, re.DOTALL)
    legend = section.split('<ul class="lines">')[1].split("</ul>")[0]
    return Film(
        word=unescape(re.findall(r"<bdi>(.*?)</bdi>", section)[0]),
        senses=[unescape(text) for text in re.findall(r"</svg>\s*(.*?)</li>", legend, re.DOTALL)],
        layers=[re.findall(r"<span>Layer (\d+)</span>", frame)[0] for frame in frames],
        scores=[re.findall(r"<strong>(.*?)</strong>", frame)[0] for frame in frames],
        places=[re.findall(r'<polyline points="([^"]*)"', frame) for frame in frames],
    )


def draw(film: Film) -> str:
    """Return the picture: a moving frame, the senses, and all frames in a row below."""
    n = len(film.layers)
    size = (WIDTH - (n + 1) * GAP) / n
    height = STAGE + size + 2 * GAP + 52
    text = f'font-family="Helvetica, Arial, sans-serif" fill="{INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}"'
        f' width="{WIDTH}" height="{height:.0f}" role="img">',
        f"<title>The test sentences of {film.word} in each layer, coloured by sense</title>",
        f"<defs>{''.join(_marker(i) for i in range(len(film.senses)))}</defs>",
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="8" fill="#ffffff"/>',
        _frame(GAP, GAP, STAGE, _moving(film.places), 9),
        f'<g {text}><text x="{STAGE + 40}" y="62" font-size="30" font-weight="bold">{film.word}'
        f'</text><text x="{STAGE + 40}" y="92" font-size="16" fill="{QUIET}">Which layer knows its'
        " sense?</text>",
        *_scores(film),
        _curve(film),
        *(_sense(i, name) for i, name in enumerate(film.senses)),
    ]
    for i, (layer, score) in enumerate(zip(film.layers, film.scores, strict=True)):
        x, y = GAP + i * (size + GAP), STAGE + 2 * GAP
        still = [f"{_polyline(sense)} points='{p}'/>" for sense, p in enumerate(film.places[i])]
        parts += [
            _frame(x, y, size, still, 14),
            f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="{size:.1f}" rx="6" fill="none"'
            f' stroke="{ACCENT}" stroke-width="2.5" opacity="0">{_shown(i, n)}</rect>',
            f'<text x="{x + size / 2:.1f}" y="{y + size + 20:.1f}" font-size="13"'
            f' text-anchor="middle"><tspan fill="{QUIET}">layer {layer}</tspan>'
            f' <tspan font-weight="bold">{score}</tspan></text>',
        ]
    return "\n".join([*parts, "</g></svg>", ""])


def _marker(sense: int) -> str:
    colour, outline = mark_of(sense)
    return (
        f'<marker id="m{sense}" viewBox="0 0 20 20" refX="10" refY="10" markerWidth="1"'
        f' markerHeight="1"><path fill="{COLOURS[colour]}" opacity=".8" d="{outline}"/></marker>'
    )


def _polyline(sense: int) -> str:
    ends = " ".join(f"marker-{place}='url(#m{sense})'" for place in ("start", "mid", "end"))
    return f"<polyline fill='none' {ends}"


def _frame(x: float, y: float, size: float, lines: list[str], mark: float) -> str:
    """Return a frame; ``mark`` is the size of a point in the coordinates of the page's strip."""
    return (
        f'<svg x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"'
        f' viewBox="-110 -110 220 220"><rect x="-109" y="-109" width="218" height="218" rx="6"'
        f' fill="#fbfbf9" stroke="{RULE}"/><g stroke-width="{mark}">{"".join(lines)}</g></svg>'
    )


def _moving(places: list[list[str]]) -> list[str]:
    """Return a line per sense whose points rest in each layer and move to the next."""
    lines = []
    for sense, points in enumerate(zip(*places, strict=True)):
        values = ";".join(value for place in points for value in (place, place))
        motion = f"<animate attributeName='points' values='{values}' {_timing(len(points))}/>"
        lines.append(f"{_polyline(sense)} points='{points[-1]}'>{motion}</polyline>")
    return lines


def _timing(n: int, *, steps: bool = False) -> str:
    """Return the timing of an animation over ``n`` layers; the film ends in the last one."""
    whole = n * (REST + MOVE)
    starts = [i * (REST + MOVE) / whole for i in range(n)]
    times = starts if steps else [t for start in starts for t in (start, start + REST / whole)]
    mode = "discrete" if steps else "linear"
    if not steps:
        times[-1] = 1.0
    key_times = ";".join(f"{time:.4f}" for time in times)
    repeat = f"dur='{whole:.1f}s' repeatCount='{RUNS}' fill='freeze'"
    return f"keyTimes='{key_times}' calcMode='{mode}' {repeat}"


def _shown(layer: int, n: int) -> str:
    values = ";".join("1" if i == layer else "0" for i in range(n))
    return f"<animate attributeName='opacity' values='{values}' {_timing(n, steps=True)}/>"


def _scores(film: Film) -> list[str]:
    n = len(film.layers)
    return [
        f'<g opacity="{int(i == n - 1)}">{_shown(i, n)}<text x="{STAGE + 40}" y="136"'
        f' font-size="20">layer {layer}: macro-F1 <tspan font-weight="bold">{score}</tspan>'
        "</text></g>"
        for i, (layer, score) in enumerate(zip(film.layers, film.scores, strict=True))
    ]


def _curve(film: Film) -> str:
    """Return the curve of the scores, with a point that moves along."""
    left, right, top, bottom = 600, WIDTH - 40, 60, 250
    scores = [float(score) for score in film.scores]
    xs = [left + i * (right - left) / (len(scores) - 1) for i in range(len(scores))]
    ys = [bottom - score / 100 * (bottom - top) for score in scores]
    rules = "".join(
        f'<path stroke="{RULE}" d="M{left} {y}H{right}"/><text x="{left - 10}" y="{y + 4}"'
        f' font-size="12" text-anchor="end" fill="{QUIET}">{value}</text>'
        for value, y in ((100, top), (50, (top + bottom) / 2), (0, bottom))
    )
    layers = "".join(
        f'<text x="{x:.1f}" y="{bottom + 20}" font-size="12" text-anchor="middle" fill="{QUIET}">'
        f"{layer}</text>"
        for x, layer in zip(xs, film.layers, strict=True)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    motions = "".join(
        f"<animate attributeName='{name}' values='{';'.join(f'{v:.1f};{v:.1f}' for v in values)}'"
        f" {_timing(len(values))}/>"
        for name, values in (("cx", xs), ("cy", ys))
    )
    return (
        f'<text x="{left}" y="{top - 16}" font-size="13" fill="{QUIET}">macro-F1 by layer</text>'
        f'{rules}{layers}<polyline fill="none" stroke="{ACCENT}" stroke-width="2" points="{line}"/>'
        f'<circle cx="{xs[-1]:.1f}" cy="{ys[-1]:.1f}" r="6" fill="{ACCENT}">{motions}</circle>'
    )


def _sense(sense: int, name: str) -> str:
    colour, outline = mark_of(sense)
    y = 176 + 30 * sense
    return (
        f'<path transform="translate({STAGE + 40} {y - 14})" fill="{COLOURS[colour]}"'
        f' d="{outline}"/><text x="{STAGE + 70}" y="{y + 2}" font-size="16">{name}</text>'
    )


def main(report: Path = REPORT, out: Path = PICTURE) -> None:
    """Write the picture from a report's first page."""
    out.write_text(draw(read(report)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
