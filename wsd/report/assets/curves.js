// Plots of curves: drawn when they are first shown, with lines that can be hidden.
"use strict";

wsd.curves = () => {
  const { byId, make } = wsd;
  const hidden = new Set();

  // `Curve.tooltips` of the Python code has the text: the value, and below it the names.
  function tip({ data }, { index }) {
    const [value, names] = data.text[index].split("\n"), box = wsd.plots.tip();
    box.append(make("div", value, { fontWeight: "600" }), make("div", names, { color: "var(--ink-2)" }));
    return box;
  }

  // A line is hidden in every plot of its section.
  function showLines({ view, filename }) {
    for (const renderer of [...view.model.renderers, ...view.model.center]) {
      renderer.visible = !hidden.has(`${filename().split(".")[0]} ${renderer.name}`);
    }
  }
  for (const box of document.querySelectorAll("input[data-line]")) {
    box.checked = true;
    box.addEventListener("change", () => {
      const key = `${box.dataset.section} line-${box.dataset.line}`;
      if (box.checked) hidden.delete(key);
      else hidden.add(key);
      for (const plot of wsd.plots.all()) showLines(plot);
    });
  }

  // Names of combinations are horizontal, in two lines, where there is room; else they stay vertical.
  function writeNames({ view, part }, width) {
    const axis = part("names"), { start, end } = view.model.x_range;
    if (!axis || width / (end - start) < 64) return;
    axis.major_label_overrides = new Map([...axis.major_label_overrides]
      .map(([place, name]) => [place, name.replace("-", "\n")]));
    axis.major_label_orientation = "horizontal";
  }

  // Names at the right of a plot: moved apart, and broken into lines where the plot is narrow.
  function writeEnds({ view }, width) {
    const ends = view.model.renderers.filter(({ name }) => name === "end"), LINE = 15, isNarrow = width < 560;
    if (!ends.length) return;
    view.model.min_border_right = isNarrow ? 100 : 190;
    const labels = ends.map(({ glyph, data_source: source }) => {
      const { text: [text], y: [value] } = source.data, lines = isNarrow ? text.split(/ |(?<=[_-])/) : [text];
      source.data = { ...source.data, text: [lines.join("\n")] };
      return { glyph, value, half: LINE * lines.length / 2 };
    });
    function place() {
      const { bbox, y_scale: scale } = view.frame;
      for (const label of labels) label.from = scale.compute(label.value);
      labels.sort((a, b) => a.from - b.from);
      let free = bbox.top - LINE, end = bbox.bottom + LINE;
      for (const label of labels) {
        label.to = Math.max(label.from, free + label.half);
        free = label.to + label.half;
      }
      for (const label of labels.toReversed()) {
        label.to = Math.min(label.to, end - label.half);
        end = label.to - label.half;
        label.glyph.y_offset = { value: label.to - label.from };
      }
    }
    view.model.properties.inner_height.change.connect(place);
    place();
  }

  async function draw() {
    for (const element of document.querySelectorAll(".curve[data-figure]:not([data-drawn])")) {
      if (element.closest("[hidden]")) continue;
      element.dataset.drawn = "true";
      const name = element.dataset.figure;
      const plot = await wsd.plots.embed(JSON.parse(byId(name).textContent), element, name);
      plot.part("hover").tooltips = tip;
      if (element.clientWidth < 420) { // no room for names at points
        plot.view.model.center = plot.view.model.center.filter(({ name }) => !name?.startsWith("line-"));
      }
      writeNames(plot, element.clientWidth);
      writeEnds(plot, element.clientWidth);
      showLines(plot);
    }
  }

  return { draw };
};
