// The plot of a word: points, centroids, rings around errors and the pinned point; tooltip, axes and
// zoom.
"use strict";

wsd.wordPlot = (plot, data, state, colours, text, { pin, hover, remember }) => {
  const { byId, percent } = wsd;
  const { view, part } = plot;
  const [points, errors, centroids, pinned, hovered, shown] =
    ["points", "errors", "centroids", "pinned", "hovered", "shown"].map(part);
  const axes = ["x-axis", "y-axis"].map(part);
  const { x_range: xRange, y_range: yRange } = view.model;
  const TAP = 14; // the largest distance from a tap to its point, in pixels
  plot.filename = () => `${data.word}-${state.layers.name}`;
  plot.describe = () => {
    const score = percent(state.layers.scores[state.classifier].macro_f1);
    const colour = byId("colour").selectedOptions[0].text, [, ...page] = document.title.split(" · ");
    return {
      title: `${data.word}: ${byId("layers").options[state.choice].text}`,
      details: [`${state.classifierName}, macro\u2011F1 ${score}`, `colour: ${colour}`, ...page].join(" · "),
      legends: document.querySelectorAll(".senses, #tones:not([hidden])"),
      shows: () => true,
    };
  };

  // ---- Drawing ----

  const column = (ofTrain, ofTest) => data.rows.map((row) => (data.isTrain(row) ? ofTrain : ofTest));
  const size = column(data.pixels - 1, data.pixels), fill = column(0, 0.85), edge = column(0.8, 0);

  function draw() {
    points.data = {
      ...data.places(state.choice, state.method), sense: colours.golds, tone: colours.tones(), size, fill, edge,
    };
    const { explained } = state.layers.projections[state.method];
    axes.forEach((axis, i) => {
      const share = explained && percent(explained[i], 1);
      axis.axis_label = {
        pca: `PC ${i + 1} (${share}% of variance)`,
        // With two senses there is one axis, so its share of the variance is always 100%.
        discriminant: explained?.[1] ? `LDA axis ${i + 1} (${share}% of the variance between senses)`
          : i ? "First principal component of the residuals" : "LDA axis 1",
        tsne: `t-SNE ${i + 1}`,
      }[state.method];
    });
    drawCentroids();
    drawPin();
    drawHovered();
    drawErrors();
  }

  function recolour() {
    points.data = { ...points.data, tone: colours.tones() };
  }

  // The mean of each sense's training instances.
  function drawCentroids() {
    const { x, y } = points.data;
    const sums = data.senses.map(() => [0, 0, 0]);
    for (const row of data.rows) {
      if (!data.isTrain(row)) continue;
      const sum = sums[data.gold[row]];
      sum[0] += x[row]; sum[1] += y[row]; sum[2] += 1;
    }
    const senses = state.centroids
      ? sums.flatMap((sum, i) => (sum[2] && !state.hiddenSenses.has(i) ? [i] : [])) : [];
    centroids.data = {
      x: senses.map((i) => sums[i][0] / sums[i][2]), y: senses.map((i) => sums[i][1] / sums[i][2]),
      sense: senses.map(String),
    };
  }

  function place(row) {
    const { x, y } = points.data;
    return row < 0 ? { x: [], y: [] } : { x: [x[row]], y: [y[row]] };
  }
  const drawPin = () => { pinned.data = place(state.pin); };
  const drawHovered = () => { hovered.data = place(state.others.length ? state.hovered : -1); };

  function drawErrors() {
    const { x, y } = points.data;
    const ringed = state.rings ? state.wrongShown() : [];
    errors.data = { x: ringed.map((i) => x[i]), y: ringed.map((i) => y[i]), row: ringed };
  }

  function showVisible() {
    shown.booleans = state.visible;
  }

  // ---- The pointer ----

  // Whether a point is the nearest to the pointer, and the topmost of equally near points.
  function isNearest(vars, subset) {
    const { sx, sy } = vars.glyph_view;
    let best = -1, least = Infinity;
    for (const i of vars.indices) {
      const distance = (sx[i] - vars.sx) ** 2 + (sy[i] - vars.sy) ** 2;
      if (distance <= least) [best, least] = [i, distance];
    }
    return best === subset;
  }

  function tip(source, vars) {
    const subset = [...vars.indices].find(
      (i) => vars.glyph_view.parent.model.view.convert_indices_from_subset([i])[0] === vars.index);
    if (!isNearest(vars, subset)) return null;
    const row = vars.index, box = wsd.plots.tip(), near = vars.indices.length - 1;
    hover(row);
    box.append(text.sentence(row), text.verdict(row), text.glosses(row),
      text.numbers(row, near > 0 ? ` · ${near} more here: zoom in` : ""));
    return box;
  }

  view.model.on_event("tap", (event) => {
    const { x, y } = points.data, { x_scale: xs, y_scale: ys } = view.frame;
    let best = -1, least = TAP ** 2;
    for (const row of data.rows) {
      if (!state.visible[row]) continue;
      const dx = xs.compute(x[row]) - event.sx, dy = ys.compute(y[row]) - event.sy;
      if (dx * dx + dy * dy <= least) [best, least] = [row, dx * dx + dy * dy];
    }
    if (best >= 0) pin(best);
  });

  points.inspect.connect(() => { if (points.inspected.is_empty()) hover(-1); });

  const selection = {
    rows: () => new Set(points.selected.indices),
    set: (rows) => { points.selected.indices = rows; },
    clear: () => selection.set([]),
    onChange: (act) => points.selected.properties.indices.change.connect(act),
  };

  // ---- Zoom ----

  function showBox() {
    if (!state.box) { view.reset_range(); return; }
    [[xRange, 0], [yRange, 2]].forEach(([range, i]) => {
      range.have_updated_interactively = true;
      range.setv({ start: state.box[i], end: state.box[i + 1] });
    });
  }

  let waiting = 0;
  function rangeMoved() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const box = xRange.have_updated_interactively || yRange.have_updated_interactively
        ? [xRange.start, xRange.end, yRange.start, yRange.end] : null;
      if (String(box) === String(state.box)) return;
      state.box = box;
      remember();
    }, 200);
  }
  for (const range of [xRange, yRange]) range.change.connect(rangeMoved);

  return {
    draw, recolour, drawCentroids, drawPin, drawHovered, drawErrors, showVisible, showBox, selection,
    startTips: () => { part("hover").tooltips = tip; },
  };
};
