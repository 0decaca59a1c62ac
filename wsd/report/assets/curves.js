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
      showLines(plot);
    }
  }

  return { draw };
};
