"""Fit the words of a run again, or read them from the run's model file."""

from collections.abc import Sequence
from pathlib import Path

from wsd.arguments import processors
from wsd.corpora.word_forms import matching_words
from wsd.errors import ConfigError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.train_selected import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.encoders import fitted_encoder
from wsd.inference.predictor import Predictor
from wsd.logs import log

KEPT = "selected.wsd"  # the model file that `snakemake fit` writes for a run


def fitted_words(results: Results, chosen: Configuration) -> Fitting | WsdFile:
    """Return the words of a configuration.

    Results have a model file of their selected configuration, if the user ran `snakemake fit`.
    Another configuration is fitted again.
    """
    if results.map.has(KEPT):
        file = WsdFile(results.map.file(KEPT), results)
        if file.manifest["predictions"] == Fitting(results, chosen).source:
            return file
    log.info("fitting: %s (`wsd fit` saves it)", chosen)
    return Fitting(results, chosen)


def resolve_word(name: str, words: Sequence[str]) -> str:
    """Return the word that a name stands for, such as ``serve`` for ``serve.v``.

    Raises
    ------
    ConfigError
        If it stands for none of the words, or for several.
    """
    candidates = matching_words(name, words)
    if len(candidates) > 1:
        problem = f"{name!r} may be {' or '.join(candidates)}"
        raise ConfigError(problem, where="word", fix="name one of them")
    if not candidates:
        raise unknown_choice(f"no word {name!r} is known here", words, "word")
    return candidates[0]


def load_predictor(
    results: Results, chosen: Configuration, folder: Path | None = None, device: str = "auto"
) -> Predictor:
    """Return the words of a configuration with their encoder.

    Parameters and errors are as in :func:`wsd.inference.encoders.fitted_encoder`.
    """
    words = fitted_words(results, chosen)
    encoder = fitted_encoder(words.encoder, folder, device=device)
    return Predictor(words, encoder, threads=processors())
