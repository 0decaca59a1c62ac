// The film strip: the word's curve over the layer choices, and below it a small plot of the test
// instances in each of them. It is the page's scrubber: a click shows a layer choice.
"use strict";

wsd.wordStrip = (data, state, colours, plot) => {
  const { byId, make, markCurrent, percent } = wsd;
  const MOST = 300; // instances in a frame
  const strip = byId("strip"), frames = [...strip.querySelectorAll("a[data-layers]")];
  const canvases = frames.map((frame) => frame.querySelector("canvas"));
  // Instances are in the order of their senses' frequency, so that each sense keeps its share.
  const rows = data.tests.filter((_, i) => data.tests.length <= MOST
    || Math.floor(i * MOST / data.tests.length) !== Math.floor((i - 1) * MOST / data.tests.length));

  // ---- The axes that all frames share ----

  // The unit of a plane: LDA has the standard deviation within senses already. PCA gets the standard
  // deviation of all training vectors, of which PC 1 explains a known share. t-SNE has no unit, so
  // that its frames do not share their axes.
  function unit(choice, { x, y }) {
    if (state.method === "discriminant") return 1;
    if (state.method === "tsne") return Math.hypot(quantile(x), quantile(y));
    const train = x.filter((_, row) => data.isTrain(row));
    const mean = train.reduce((sum, value) => sum + value, 0) / train.length;
    const variance = train.reduce((sum, value) => sum + (value - mean) ** 2, 0) / train.length;
    return Math.sqrt(variance / data.choices[choice].projections.pca.explained[0]);
  }
  // A few instances far away may lie on the edge.
  function quantile(values) {
    const sorted = Float64Array.from(values, Math.abs).sort();
    return sorted[Math.floor((sorted.length - 1) * 0.99)];
  }

  // Places from -1 to 1 by layer choice.
  const planes = wsd.cached((method) => {
    const scaled = data.choices.map((_, choice) => {
      const places = data.places(choice, method), length = unit(choice, places) || 1;
      return { x: rows.map((row) => places.x[row] / length), y: rows.map((row) => places.y[row] / length) };
    });
    const [across, up] = ["x", "y"].map((axis) => quantile(scaled.flatMap((plane) => plane[axis])) || 1);
    // Two senses have one axis of LDA; the other axis is of another kind.
    const square = method !== "discriminant" || data.choices[0].projections[method].explained;
    const fit = (reach) => (value) => Math.max(-1, Math.min(1, value / (square ? Math.max(across, up) : reach)));
    return scaled.map(({ x, y }) => ({ x: x.map(fit(across)), y: y.map(fit(up)) }));
  });

  // ---- The frames ----

  function drawFrame(choice) {
    const canvas = canvases[choice], scale = devicePixelRatio, size = canvas.clientWidth * scale;
    if (!size) return;
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d"), own = state.at(choice), tone = colours.toneOf(own);
    const { x, y } = planes(state.method)[choice], radius = size / (rows.length > 100 ? 50 : 36), half = size / 2 - 2 * radius;
    // Grey instances are drawn first, errors last.
    const order = (i) => (state.visible[rows[i]] ? 1 + own.isWrong(rows[i]) : 0);
    for (const i of rows.map((_, number) => number).sort((a, b) => order(a) - order(b) || a - b)) {
      const row = rows[i], shown = state.visible[row];
      if (state.isHidden(row)) continue;
      context.globalAlpha = shown ? 0.85 : 0.35;
      context.fillStyle = plot.colourOf(shown ? tone(row) : "off");
      context.beginPath();
      context.arc(size / 2 + x[i] * half, size / 2 - y[i] * half, radius, 0, 2 * Math.PI);
      context.fill();
      if (!shown || !own.isWrong(row)) continue;
      context.strokeStyle = plot.colourOf("wrong");
      context.lineWidth = scale;
      context.stroke();
    }
  }
  const draw = () => frames.forEach((_, choice) => drawFrame(choice));

  // All that the frames depend on.
  let drawn = [];
  function drawIfChanged() {
    const shown = [state.method, state.classifier, state.colour, state.visible];
    if (shown.every((value, i) => value === drawn[i])) return;
    drawn = shown;
    drawCurve();
    draw();
  }

  // ---- The curve ----

  // The macro-F1 of the current classifier, with its 95% interval.
  function drawCurve() {
    const points = data.choices.map(({ scores, intervals }) => {
      const score = scores[state.classifier].macro_f1;
      return { score, ends: intervals?.[state.classifier] ?? [score, score] };
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
  new ResizeObserver(draw).observe(strip);

  return { show, drawIfChanged };
};
