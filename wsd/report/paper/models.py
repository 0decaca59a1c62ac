"""Figure ``models``: the single layers of several models, a panel per classifier and view.

Each model has a line with its 95% CI. If models differ in depth, layers are at their relative
depth: 0 is the embedding layer, 1 the last block. Horizontal lines are baselines and other systems.
"""

import pandas as pd
from matplotlib.figure import Figure

from wsd.report.paper import style
from wsd.report.paper.horizontals import draw_horizontals
from wsd.report.paper.layers import curve, ring_selected

HEIGHT, PLOT = 80.0, 58.0  # mm, with the labels below and without them
MOST_TICKS = 14


def draw_models(layers: pd.DataFrame, comparison: pd.DataFrame) -> Figure | None:
    """Draw layers.csv with comparison.csv; return None if there is only one model."""
    # A static view has no layers, and therefore no line.
    rows = style.single(layers)
    rows = rows[rows["relative_depth"].notna()]
    names = rows["model"].drop_duplicates()
    panels = style.panels(layers.loc[sorted(rows.index)], ("classifier", "view"))
    if len(names) < 2:
        return None
    depth = style.by_depth(rows)
    looks = style.looks([name for name in layers["model"].unique() if name in set(names)])
    figure, drawn = style.canvas(panels, HEIGHT, style.TWO_COLUMNS, sharex=True, sharey=True)
    for ax, table in drawn:
        for model, model_rows in table.groupby("model", sort=False):
            line = style.single(model_rows)
            x = line["relative_depth"] if depth else line["layers"].astype(float)
            places = dict(zip(line["layers"], x, strict=True))
            curve(ax, line, places, looks[str(model)])
            ring_selected(ax, line, places)
        ax.set_xlabel("Relative depth (layer / number of blocks)" if depth else "Layer")
        if not depth:
            numbers = sorted(set(table["layers"].astype(int)))
            ax.set_xticks(numbers[:: -(-len(numbers) // MOST_TICKS)])
        ax.tick_params(labelbottom=True)
    metric = str(layers["metric"].iloc[0])
    style.label_y(figure.axes, style.percent_of(metric))
    draw_horizontals(figure.axes, comparison, metric, PLOT)
    handles = [style.key(style.shown(name), **look) for name, look in looks.items()]
    handles.append(style.key("selected by CV", **style.RINGED))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 4))
    return figure
