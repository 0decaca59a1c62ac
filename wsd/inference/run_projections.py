"""Read a word's instances in the plane of a layer choice, as the report's page shows them."""

from contextlib import suppress
from pathlib import PurePath
from typing import NamedTuple

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.feature_set import ordered_features, parse_features
from wsd.artifacts.predictions import TEST
from wsd.artifacts.projection import align_signs, read_projections
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, ResultError, unknown_choice, wrong_file
from wsd.fitted.selected_results import Results
from wsd.inference.run_choices import blocks_of_model, choose_stored
from wsd.inference.run_frames import prediction_table


class Placed(NamedTuple):
    """A word's instances in a plane.

    Attributes
    ----------
    points : DataFrame
        The columns x, y, split, index, sense and sentence; instances without a point are left out.
    senses : tuple of str
    view, layers : str
        The standard name of the layer choice.
    explained : pair of floats, or None
        The share of variance of each axis.
    """

    points: pd.DataFrame
    senses: tuple[str, ...]
    view: str
    layers: str
    explained: tuple[float, float] | None

    def with_predictions(
        self, results: Results, word: str, model: str, classifier: str | None
    ) -> pd.DataFrame:
        """Return the points with a column ``predicted``, which only test instances have.

        It is empty if no classifier is named, and none was evaluated on this layer choice.

        Raises
        ------
        ConfigError
            If the named classifier was not.
        """
        names = {"model": model, "view": self.view, "layers": self.layers}
        try:
            chosen = choose_stored(results, {**names, "classifier": classifier})
        except ConfigError:
            if classifier is not None:
                raise
            return self.points.assign(predicted=None)
        predicted = prediction_table(results, chosen, FULL, TEST, word)
        place = ["split", "index"]
        return self.points.join(predicted.set_index(place)["predicted"], on=place)


def placed_points(
    results: Results, word: str, model: str, view: str | None, layers: str, method: str
) -> Placed:
    """Read a word's projection, with the signs of the axes as on the report's page.

    Raises
    ------
    ConfigError
        If the run has no such projection. The error lists the existing ones.
    ResultError
        If a file is damaged, or of another corpus, or the word has no projection.
    """
    start = f"{model}/projections/"
    paths = [PurePath(name) for name in results.map.files if name.startswith(start)]
    stored: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        _, _, of_method, of_view = path.parent.parts
        stored.setdefault(of_method, {}).setdefault(of_view, []).append(path.stem)
    if method not in stored:
        raise unknown_choice(f"this run has no projection by {method!r}", stored, "method")
    views = stored[method]
    view = view or next(iter(views))
    if view not in views:
        raise unknown_choice(f"no projection of the view {view!r}", views, "view")
    blocks = blocks_of_model(results.map, model)
    if layers not in views[view]:
        with suppress(ConfigError):
            layers = parse_features(view, layers, blocks).layers
    order = [name for _, name in ordered_features([(view, n) for n in views[view]], blocks)]
    if layers not in order:
        raise unknown_choice(f"no projection of the layers {layers!r}", order, "layers")
    corpus, shown = results.corpus(word), []
    for name in order if method != "tsne" else [layers]:
        file = results.map.file(f"{model}/projections/{method}/{view}/{name}.parquet")
        projections, source = read_projections(file)
        if source["corpus"].get(word) != corpus.digest or word not in projections:
            raise wrong_file(f"the table has other instances of {word!r} than the corpus", file)
        shown.append(projections[word])
        if name == layers:
            break
    if missing := max(projection.missing for projection in shown):
        raise ResultError(f"{word!r} has no projection by {method}: {missing}")
    # The page steps through the layers in this order, without sentences from out of domain.
    kept = corpus.split != OUT_OF_DOMAIN
    corpus = corpus.take(kept)
    points = align_signs([projection.points[kept] for projection in shown])[-1]
    table = pd.DataFrame(
        {
            "x": points[:, 0],
            "y": points[:, 1],
            "split": corpus.split,
            "index": corpus.index,
            "sense": np.array(corpus.senses, dtype=object)[corpus.gold],
            "sentence": [" ".join(tokens) for tokens in corpus.tokens],
        }
    )
    return Placed(table.dropna(), corpus.senses, view, layers, shown[-1].explained)
