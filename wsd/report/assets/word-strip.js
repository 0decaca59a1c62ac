// The film strip: the word's curve over the layer choices, and below it a small plot of the test
// instances in each of them. It is the page's scrubber: a click shows a layer choice.
"use strict";

wsd.wordStrip = (data, state, colours, plot) => {
  const { byId, markCurrent, percent } = wsd;
  const MOST = 300; // instances in a frame, and as many grey ones
  const strip = byId("strip"), frames = [...strip.querySelectorAll("a[data-layers]")];
  const canvases = frames.map((frame) => frame.querySelector("canvas"));
  const planes = wsd.wordFrames(data);

  // At most MOST of the instances, evenly: they are in the order of their senses' frequency, so that
  // each sense keeps its share.
  const thinned = (rows) => Array.from({ length: Math.min(MOST, rows.length) },
    (_, i) => rows[Math.floor(i * Math.max(1, rows.length / MOST))]);
  let shown = [];
  function chooseRows() {
    const isHit = (row) => state.visible[row], tests = data.tests.filter((row) => !state.isHidden(row) && !data.isNew(row));
    // Hits are drawn over grey instances.
    shown = [...thinned(tests.filter((row) => !isHit(row))), ...thinned(tests.filter(isHit))];
  }

  // ---- The frames ----

  function drawFrame(choice) {
    const canvas = canvases[choice], scale = devicePixelRatio, size = canvas.clientWidth * scale;
    if (!size) return;
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d"), own = state.at(choice), tone = colours.toneOf(own);
    const { x, y } = planes(state.method)[choice], radius = size / (shown.length > 100 ? 50 : 36), half = size / 2 - 2 * radius;
    // Errors are drawn over all others.
    const wrong = shown.filter((row) => state.visible[row] && own.isWrong(row)), errors = new Set(wrong);
    for (const row of [...shown.filter((other) => !errors.has(other)), ...wrong]) {
      const isHit = state.visible[row], test = data.testAt[row];
      context.globalAlpha = isHit ? 0.85 : 0.35;
      context.fillStyle = plot.colourOf(isHit ? tone(row) : "off");
      context.beginPath();
      context.arc(size / 2 + x[test] * half, size / 2 - y[test] * half, radius, 0, 2 * Math.PI);
      context.fill();
      if (!errors.has(row)) continue;
      context.strokeStyle = plot.colourOf("wrong");
      context.lineWidth = scale;
      context.stroke();
    }
    Object.assign(context, {
      globalAlpha: 1, lineWidth: 3 * scale, lineJoin: "round", font: `${15 * scale}px sans-serif`, textAlign: "center", textBaseline: "middle",
      strokeStyle: getComputedStyle(strip).color,
    });
    for (const row of data.added.filter((other) => !state.isHidden(other))) {
      const test = data.testAt[row], place = [size / 2 + x[test] * half, size / 2 - y[test] * half];
      context.fillStyle = plot.colourOf(tone(row));
      context.strokeText("★", ...place);
      context.fillText("★", ...place);
    }
  }
  const draw = () => frames.forEach((_, choice) => drawFrame(choice));

  // All that the frames depend on.
  let drawn = [];
  function drawIfChanged() {
    const now = [state.method, state.classifier, state.colour, state.visible];
    if (now.every((value, i) => value === drawn[i])) return;
    drawn = now;
    chooseRows();
    drawCurve();
    draw();
  }

  // ---- The curve ----

  // The macro-F1 of the current classifier, with its 95% interval.
  function drawCurve() {
    const points = data.choices.map(({ scores, intervals }) => {
      const score = scores[state.classifier].macro_f1;
      return { score, ends: intervals[state.classifier] ?? [score, score] };
    });
    const values = points.flatMap(({ ends }) => ends);
    const low = Math.floor(Math.min(...values) * 10) / 10, high = Math.ceil(Math.max(...values) * 10) / 10;
    const up = (value) => (high > low ? (value - low) / (high - low) : 1) * 100;
    const at = (choice, value) => `${choice + 0.5},${(100 - up(value)).toFixed(1)}`;
    const single = data.singleLayers, line = single.map((i) => at(i, points[i].score));
    const band = [...single.map((i) => at(i, points[i].ends[0])), ...single.map((i) => at(i, points[i].ends[1])).reverse()];
    byId("strip-line").setAttribute("points", line.join(" "));
    byId("strip-band").setAttribute("points", band.join(" "));
    byId("strip-high").textContent = percent(high, 0);
    byId("strip-low").textContent = percent(low, 0);
    frames.forEach((frame, i) => {
      const [whisker, dot] = frame.querySelectorAll("i"), { score, ends } = points[i];
      dot.style.bottom = `${up(score)}%`;
      whisker.hidden = data.choices[i].single;
      whisker.style.bottom = `${up(ends[0])}%`;
      whisker.style.height = `${up(ends[1]) - up(ends[0])}%`;
      frame.querySelector("b").textContent = percent(score, 1);
      frame.title = `${byId("layers").options[i].text}: macro-F1 ${percent(score)} (95% CI ${ends.map((end) => percent(end)).join(" to ")})`;
    });
  }

  function show() {
    frames.forEach((frame, i) => {
      markCurrent(frame, i === state.choice);
      frame.tabIndex = i === state.choice ? 0 : -1;
    });
    const frame = frames[state.choice], box = strip.parentElement;
    if (strip.contains(document.activeElement)) frame.focus({ preventScroll: true });
    const hidden = frame.offsetLeft < box.scrollLeft || frame.offsetLeft + frame.offsetWidth > box.scrollLeft + box.clientWidth;
    if (hidden) box.scrollLeft = frame.offsetLeft - (box.clientWidth - frame.offsetWidth) / 2;
    drawIfChanged();
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, draw);
  new ResizeObserver(draw).observe(strip);

  return { show, drawIfChanged };
};

// The places of test instances in the frames of the film strip, from -1 to 1. The frames of a projection
// share their axes, so that senses are seen to move apart from layer to layer.
// Returns a function of the projection's name: per layer choice { x, y }, in the order of `data.tests`.
wsd.wordFrames = (data) => {
  // A few instances far away may lie on the edge.
  function reach(values) {
    const sorted = Float64Array.from(values, Math.abs).sort();
    return sorted[Math.floor((sorted.length - 1) * 0.99)];
  }

  // LDA is in standard deviations within senses. PCA gets the standard deviation of all training
  // vectors as its unit; PC 1 explains a known share of their variance. t-SNE has no unit, so that
  // each of its frames has its own axes.
  function unit(method, { explained }, { x, y }) {
    if (method === "discriminant") return 1;
    if (method === "tsne") return Math.max(reach(x), reach(y));
    const train = x.filter((_, row) => data.isTrain(row));
    const mean = train.reduce((sum, value) => sum + value, 0) / train.length;
    const variance = train.reduce((sum, value) => sum + (value - mean) ** 2, 0) / train.length;
    return Math.sqrt(variance / explained[0]);
  }

  return wsd.cached((method) => {
    const scaled = data.choices.map(({ projections }, choice) => {
      const places = data.places(choice, method), length = unit(method, projections[method], places) || 1;
      const scale = (values) => data.tests.map((row) => values[row] / length);
      return { x: scale(places.x), y: scale(places.y) };
    });
    const ends = ["x", "y"].map((axis) => reach(scaled.flatMap((plane) => plane[axis])) || 1);
    // With two senses, the axes of LDA differ in kind, and have a scale each.
    const isSquare = method !== "discriminant" || !!data.choices[0].projections[method].explained;
    const [across, up] = isSquare ? [Math.max(...ends), Math.max(...ends)] : ends;
    const fit = (values, end) => values.map((value) => Math.max(-1, Math.min(1, value / end)));
    return scaled.map(({ x, y }) => ({ x: fit(x, across), y: fit(y, up) }));
  });
};
