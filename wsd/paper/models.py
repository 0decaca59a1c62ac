"""The single layers of several models in one figure: a panel per classifier and view.

A line per model with its band, the 95% interval. Layers stand at their numbers where all models
have as many blocks, else at their relative depth: 0 is the embedding layer, 1 the last block.
"""

import pandas as pd
from matplotlib.figure import Figure

from wsd.paper.layers import curve
from wsd.paper.style import (
    MEASURES,
    RINGED,
    TWO_COLUMNS,
    by_depth,
    canvas,
    key,
    looks,
    panels,
    shown,
    single,
)

HEIGHT = 80.0  # mm


def draw_models(layers: pd.DataFrame) -> Figure | None:
    """Draw layers.csv; None of one model alone."""
    # A static view has no layers, and so no line.
    rows = single(layers)
    rows = rows[rows["relative_depth"].notna()]
    names = rows["model"].drop_duplicates()
    found = panels(layers.loc[sorted(rows.index)], ("classifier", "view"))
    if len(names) < 2:
        return None
    depth = by_depth(rows)
    of_models = looks([name for name in layers["model"].unique() if name in set(names)])
    figure, axes = canvas(len(found), HEIGHT, width=TWO_COLUMNS, sharex=True, sharey=True)
    for ax, (caption, table) in zip(axes, found, strict=True):
        for model, of_model in table.groupby("model", sort=False):
            line = single(of_model)
            at = line["relative_depth"] if depth else line["layers"].astype(float)
            places = dict(zip(line["layers"], at, strict=True))
            curve(ax, line, places, of_models[str(model)])
            chosen = line[line["chosen_on_folds"]]
            ax.plot(chosen["layers"].map(places), 100 * chosen["value"], **RINGED)
        ax.set_title(caption)
        ax.set_xlabel("Relative depth (layer / number of blocks)" if depth else "Layer")
        if not depth:
            ax.set_xticks(sorted(set(table["layers"].astype(int))))
        ax.tick_params(labelbottom=True)
    label = MEASURES[str(layers["figure"].iloc[0])]
    figure.supylabel(f"{label[0].upper()}{label[1:]} (%)", fontsize=8)
    handles = [key(shown(name), **look.line) for name, look in of_models.items()]
    handles.append(key("chosen on folds", **RINGED))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 4))
    return figure
