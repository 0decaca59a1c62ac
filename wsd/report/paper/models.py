"""The single layers of several models in one figure: a panel per classifier and view.

A line per model with its band, the 95% interval. Layers stand at their numbers where all models
have as many blocks, else at their relative depth: 0 is the embedding layer, 1 the last block.
"""

import pandas as pd
from matplotlib.figure import Figure

from wsd.report.paper import style
from wsd.report.paper.layers import curve, ring_chosen

HEIGHT = 80.0  # mm


def draw_models(layers: pd.DataFrame) -> Figure | None:
    """Draw layers.csv; None of one model alone."""
    # A static view has no layers, and so no line.
    rows = style.single(layers)
    rows = rows[rows["relative_depth"].notna()]
    names = rows["model"].drop_duplicates()
    found = style.panels(layers.loc[sorted(rows.index)], ("classifier", "view"))
    if len(names) < 2:
        return None
    depth = style.by_depth(rows)
    of_models = style.looks([name for name in layers["model"].unique() if name in set(names)])
    figure, drawn = style.canvas(found, HEIGHT, style.TWO_COLUMNS, sharex=True, sharey=True)
    for ax, table in drawn:
        for model, of_model in table.groupby("model", sort=False):
            line = style.single(of_model)
            at = line["relative_depth"] if depth else line["layers"].astype(float)
            places = dict(zip(line["layers"], at, strict=True))
            curve(ax, line, places, of_models[str(model)])
            ring_chosen(ax, line, places)
        ax.set_xlabel("Relative depth (layer / number of blocks)" if depth else "Layer")
        if not depth:
            ax.set_xticks(sorted(set(table["layers"].astype(int))))
        ax.tick_params(labelbottom=True)
    figure.supylabel(style.percent_of(str(layers["metric"].iloc[0])), fontsize=8)
    handles = [style.key(style.shown(name), **look) for name, look in of_models.items()]
    handles.append(style.key("chosen on folds", **style.RINGED))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 4))
    return figure
