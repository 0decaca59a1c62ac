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
    for (const renderer of view.model.renderers) {
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

  async function draw() {
    for (const element of document.querySelectorAll(".curve[data-figure]:not([data-drawn])")) {
      if (element.closest("[hidden]")) continue;
      element.dataset.drawn = "true";
      const name = element.dataset.figure;
      const plot = await wsd.plots.embed(JSON.parse(byId(name).textContent), element, name);
      plot.part("hover").tooltips = tip;
      showLines(plot);
    }
  }

  return { draw };
};
