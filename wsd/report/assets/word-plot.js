// The plot of a word: points, centroids, rings around errors and the pinned point; tooltip, axes and
// zoom. From layer choice to layer choice, points move.
"use strict";

wsd.wordPlot = (plot, data, state, colours, text, { pin, remember }) => {
  const { byId, percent } = wsd;
  const { view, part } = plot;
  const [points, errors, centroids, added, pinned] =
    ["points", "errors", "centroids", "added", "pinned"].map(part);
  const axes = ["x-axis", "y-axis"].map(part);
  const { x_range: xRange, y_range: yRange } = view.model;
  const TAP = 14; // the largest distance from a tap to its point, in pixels
  const DENSE = 1500, MOVING = 2500; // the instances of a word with faint, and with still points
  const DURATION = 300; // of a movement, in ms
  const LABELLED = 12; // the most senses with labels at their centroids, and new sentences with labels
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
  const size = column(data.pixels - 1, data.pixels);
  const isDense = data.n >= DENSE, fills = column(0, isDense ? 0.6 : 0.85), edges = column(isDense ? 0.35 : 0.8, 0);

  // Tone and opacity of each instance. Instances that do not pass the filters, or are not selected, are
  // grey; instances that the legend hides are transparent. All keep their places, and so the axes.
  function looks() {
    const selected = selection.rows(), own = colours.toneOf(state);
    const tone = [], fill = [], edge = [];
    for (const row of data.rows) {
      const shown = state.visible[row] && (!selected.size || selected.has(row));
      const opacity = state.isHidden(row) ? 0 : shown ? 1 : 0.35;
      tone.push(shown ? own(row) : "off");
      fill.push(fills[row] * opacity);
      edge.push(edges[row] * opacity);
    }
    return { tone, fill, edge };
  }

  function show(places) {
    points.data = { ...points.data, ...places };
    drawCentroids();
    drawAdded();
    drawPin();
    drawErrors();
  }

  let drawn, stop = () => {};
  function draw() {
    stop();
    const { method } = state, goal = data.places(state.choice, method), from = points.data;
    const moves = drawn === method && data.n <= MOVING;
    drawn = method;
    nameAxes();
    if (!moves) {
      points.data = { ...goal, sense: colours.golds, size, ...looks() };
      show({});
      return;
    }
    points.data = { ...from, ...looks() };
    stop = wsd.animate(DURATION, (share) => {
      const between = (axis) => goal[axis].map((value, row) => from[axis][row] + (value - from[axis][row]) * share);
      show(share < 1 ? { x: between("x"), y: between("y") } : goal);
    });
  }

  function nameAxes() {
    const { explained } = state.layers.projections[state.method];
    axes.forEach((axis, i) => {
      const share = explained && percent(explained[i], 1);
      axis.axis_label = {
        pca: `PC ${i + 1} (${share}% of variance)`,
        // With two senses there is one axis, so its share of the variance is always 100%.
        discriminant: explained?.[1] ? `LDA axis ${i + 1} (${share}%)` : i ? "PC 1 of the residuals" : "LDA axis",
        tsne: `t-SNE ${i + 1}`,
      }[state.method];
    });
    // The two axes of two senses differ in kind, and need not share a scale.
    view.model.match_aspect = state.method !== "discriminant" || !!explained?.[1];
  }

  function recolour() {
    points.data = { ...points.data, ...looks() };
    drawAdded();
  }

  // Stars for new sentences, in the colour of the predicted sense.
  function drawAdded() {
    const { x, y } = points.data, rows = data.added.filter((row) => !state.isHidden(row));
    added.data = {
      x: rows.map((row) => x[row]), y: rows.map((row) => y[row]), tone: rows.map((row) => String(state.predicted(row))),
      name: rows.map((row) => (rows.length > LABELLED ? "" : data.id(row))), offset: rows.map(() => -20),
    };
  }

  // The mean of each sense's training instances, with its name.
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
    const means = (axis) => senses.map((i) => sums[i][axis] / sums[i][2]);
    const counts = senses.map((i) => sums[i][2]), places = { x: means(0), y: means(1) };
    centroids.data = { ...places, sense: senses.map(String), ...labels(senses, places, counts) };
  }

  // A label above or below its centroid, where it overlaps no label of a more frequent sense; else none.
  function labels(senses, places, counts) {
    const LONGEST = 24, HEIGHT = 20, LETTER = 7.5, OFFSET = 22; // pixels, except for the first
    const { bbox } = view.frame, name = senses.map(() => ""), offset = senses.map(() => 0), taken = [];
    const pixels = (axis, length) => {
      const { reduce } = Array.prototype, values = points.data[axis];
      const low = reduce.call(values, (a, b) => Math.min(a, b), Infinity);
      const high = reduce.call(values, (a, b) => Math.max(a, b), -Infinity);
      return places[axis].map((value) => (value - low) / (high - low || 1) * length);
    };
    const x = pixels("x", bbox.width), y = pixels("y", bbox.height);
    const frequent = senses.map((_, i) => i).sort((a, b) => counts[b] - counts[a]).slice(0, LABELLED);
    for (const i of frequent) {
      const full = data.names[senses[i]], shown = full.length > LONGEST ? `${full.slice(0, LONGEST - 1)}…` : full;
      const width = shown.length * LETTER;
      const side = [OFFSET, -OFFSET].find((up) => taken.every((other) =>
        Math.abs(other.x - x[i]) > (other.width + width) / 2 || Math.abs(other.y - y[i] - up) > HEIGHT));
      if (side === undefined) continue;
      taken.push({ x: x[i], y: y[i] + side, width });
      name[i] = shown;
      offset[i] = -side; // screens count from the top
    }
    return { name, offset };
  }

  function place(row) {
    const { x, y } = points.data;
    return row < 0 ? { x: [], y: [] } : { x: [x[row]], y: [y[row]] };
  }
  const drawPin = () => { pinned.data = place(state.pin); };

  function drawErrors() {
    const { x, y } = points.data;
    const ringed = state.rings ? state.wrongShown() : [];
    errors.data = {
      x: ringed.map((i) => x[i]), y: ringed.map((i) => y[i]), row: ringed, tone: ringed.map((i) => String(state.predicted(i))),
    };
  }

  // ---- The pointer ----

  // The instance nearest to the pointer, the topmost of equally near ones. Grey ones cannot be hit.
  function nearest({ glyph_view: { sx, sy }, indices, sx: left, sy: top }) {
    let best = -1, least = Infinity;
    for (const row of indices) {
      const distance = (sx[row] - left) ** 2 + (sy[row] - top) ** 2;
      if (state.visible[row] && distance <= least) [best, least] = [row, distance];
    }
    return best;
  }

  function tip(source, vars) {
    const row = vars.index;
    if (nearest(vars) !== row) return null;
    const box = wsd.plots.tip(), near = vars.indices.filter((other) => state.visible[other]).length - 1;
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

  const selection = {
    rows: () => new Set(points.selected.indices.filter((row) => state.visible[row])),
    set: (rows) => { points.selected.indices = rows; },
    clear: () => selection.set([]),
    onChange: (act) => points.selected.properties.indices.change.connect(act),
  };
  selection.onChange(recolour);
  // Labels that fit a large plot may overlap in a small one.
  new ResizeObserver(() => requestAnimationFrame(drawCentroids)).observe(view.el);

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

  // Bokeh's name of a tone's colour, on the light or dark page as it is now.
  const colourOf = (tone) => {
    const { factors, palette } = part("colours");
    return palette[factors.indexOf(tone)];
  };

  return {
    draw, recolour, drawCentroids, drawPin, drawErrors, showBox, selection, colourOf,
    startTips: () => { part("hover").tooltips = tip; },
  };
};
