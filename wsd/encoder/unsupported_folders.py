"""Refuse folders and repositories without a usable model, and say why."""

from collections.abc import Collection
from pathlib import Path

from wsd.encoder.foreign_code import ADAPTER, CONFIG, MERGE, read_json
from wsd.encoder.model_files import CONVERT, SAFETENSORS, TOKENIZER, files_in, refuse_pickled
from wsd.errors import ModelError

OTHER_FORMATS = (".gguf", ".onnx", ".h5", ".msgpack")


def check_layout(folder: Path) -> None:
    """Refuse a folder with pickled weights only, or as in :func:`refuse_layout`."""
    files = files_in(folder)
    refuse_pickled(files, str(folder))
    for inner in (path for path in folder.iterdir() if path.is_dir()):
        files |= {f"{inner.name}/{name}" for name in files_in(inner)}
    adapter = read_json(folder / ADAPTER) if ADAPTER in files else {}
    refuse_layout(files, str(folder), adapter.get("base_model_name_or_path"))


def refuse_layout(files: Collection[str], where: str, adapted: object = None) -> None:
    """Refuse a list of files that is not a model's, and say what it is.

    Parameters
    ----------
    files : collection of str
        Relative paths, also of files in subfolders.
    where : str
    adapted : optional
        The name of the model that an adapter changes.

    Raises
    ------
    ModelError
        For an adapter alone, a folder with the model in a subfolder, or other formats of weights.
    """
    if CONFIG not in files:
        inner = sorted(
            file.removesuffix(f"/{CONFIG}")
            for file in files
            if file.endswith(f"/{CONFIG}")
            and any(file.replace(CONFIG, name) in files for name in TOKENIZER)
        )
        if ADAPTER in files:
            base = f" of {adapted}" if isinstance(adapted, str) else ""
            problem = f"an adapter (such as LoRA){base}, not a whole model"
            raise ModelError(problem, where=where, fix=MERGE)
        kind = "a sentence-transformers folder" if "modules.json" in files else "a folder"
        if inner:
            problem = f"{kind} with the model in a subfolder: {', '.join(inner[:5])}"
            fix = f"name {inner[0]} as the model's `path`; download a repository of the hub first"
            raise ModelError(problem, where=where, fix=fix)
        if "modules.json" in files:
            fix = "choose a model that gives hidden states: its folder has a config.json"
            raise ModelError(f"{kind} without a transformer model", where=where, fix=fix)
    other = sorted(file for file in files if file.endswith(OTHER_FORMATS))
    if other and not any(file.endswith(SAFETENSORS) for file in files):
        problem = f"the weights exist only as {other[0]}: only safetensors are read"
        raise ModelError(problem, where=where, fix=CONVERT)
