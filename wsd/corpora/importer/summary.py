"""What was imported, in a few lines for the terminal."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from wsd.corpora.importer.labelled import LabelledSentence


def summary(
    out: Path,
    name: str,
    words: Mapping[str, Sequence[LabelledSentence]],
    left_out: Mapping[str, int],
    given: bool,
) -> str:
    """A few lines on what was imported, and the line for the config."""
    lines = []
    for word, rows in words.items():
        count = Counter((one.sense, one.split) for one in rows)
        senses = ", ".join(
            f"{sense} {count[sense, 'train']} + {count[sense, 'test']}"
            for sense in sorted({one.sense for one in rows})
        )
        lines.append(f"{word}: {senses}")
    lines = lines[:20] + ([f"... and {len(lines) - 20} words more"] if len(lines) > 20 else [])
    how = "as given" if given else "made here, near-duplicates on one side"
    count_words = f"{len(words)} word{'s' if len(words) > 1 else ''}"
    lines.insert(0, f"{count_words}; per sense, training + test instances; splits {how}")
    lines += [f"left out: {count} instances of {reason}" for reason, count in left_out.items()]
    lines += [
        f"written to {out}; in a config:",
        f"  dataset: {{ name: {_yaml(name)}, path: {_yaml(str(out))} }}",
    ]
    return "\n".join(lines)


def _yaml(text: str) -> str:
    """A text as a value in YAML's braces, in quotes where it would not be itself without."""
    try:
        plain = yaml.safe_load(f"{{ x: {text} }}") == {"x": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
