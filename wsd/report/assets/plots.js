// Bokeh's plots: embedded in a page, coloured for light or dark pages, saved as files.
"use strict";

wsd.plots = (() => {
  const { byId, make } = wsd;
  const plots = new Map(); // by data-figure, or an element's id: { view, element, part, filename, describe }

  const dark = matchMedia("(prefers-color-scheme: dark)");

  // A model's tags map its properties to colours of the style sheet.
  function colour(doc) {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    for (const model of doc.all_models) {
      for (const tag of model.tags) {
        for (const [key, name] of tag instanceof Map ? tag : Object.entries(tag)) {
          model[key] = Array.isArray(name) ? name.map(read) : read(name);
        }
      }
    }
  }

  async function embed(item, element, name) {
    Bokeh.logger.set_level("error"); // it warns about plots without data
    const [view] = await Bokeh.embed.embed_item(item, element);
    const doc = view.model.document;
    colour(doc);
    dark.addEventListener("change", () => colour(doc));
    const plot = {
      view, element, part: (partName) => doc.get_model_by_name(partName), filename: () => name, describe: () => ({}),
    };
    plots.set(name, plot);
    plot.part("save").callback = () => save("png", name);
    return plot;
  }

  // Bokeh's tooltip is white even on dark pages; a style inside its shadow tree changes its host.
  const TIP = `:host { padding: 9px 12px; border: 1px solid var(--rule-2); border-radius: 6px;
    opacity: 1; background-color: var(--surface); color: var(--ink); font-size: 14px;
    --tooltip-arrow-color: var(--rule-2); }`;

  function tip() {
    const box = make("div", undefined, { maxWidth: "min(24rem, 75vw)", overflowWrap: "anywhere" });
    box.append(make("style", TIP));
    return box;
  }

  // ---- Files and prints ----

  // The plot as SVG in light colours, without the toolbar's place. Bokeh updates its glyphs in
  // microtasks: the browser neither draws the light plot nor begins to print before the end.
  async function picture({ view }) {
    const doc = view.model.document;
    if (dark.matches) {
      wsd.files.inLight(() => colour(doc));
      for (const renderer of view.renderer_views.values()) await renderer.update_data?.();
    }
    const svg = view.export("svg").canvas;
    if (dark.matches) colour(doc);
    const { width, height } = view.bbox, top = Math.max(0, view.frame.bbox.top - 12);
    svg.setAttribute("viewBox", `0 ${top} ${width} ${height - top}`);
    for (const text of svg.querySelectorAll("text")) text.setAttribute("font-family", "sans-serif");
    return svg;
  }

  // What the page says about a plot: its title or label, and the legends of its section.
  function described(plot) {
    const { element, view } = plot, drawn = view?.model.renderers.filter(({ visible }) => visible);
    return {
      title: element.dataset.title ?? element.ariaLabel?.split(";")[0]
        ?? byId(element.getAttribute("aria-labelledby")).textContent,
      legends: element.closest("section").querySelectorAll(".lines"),
      shows: (name) => !drawn || drawn.some((renderer) => renderer.name === `line-${name}`),
      picture: () => (view ? picture(plot) : wsd.files.inLight(() => wsd.files.draw(element))),
      ...plot.describe?.(),
    };
  }

  function save(kind, name) {
    const plot = plots.get(name) ?? { element: document.querySelector(`[data-figure="${name}"]`) };
    return wsd.files.save(kind, plot.filename?.() ?? name, described(plot));
  }
  addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-save]");
    if (button) save(button.dataset.save, button.dataset.plot);
  });

  // Paper is light, and a printed plot is an SVG as wide as the paper.
  function recolour(isLight) {
    document.documentElement.classList.toggle("light", isLight);
    for (const { view } of plots.values()) colour(view.model.document);
  }
  addEventListener("beforeprint", () => {
    recolour(true);
    for (const plot of plots.values()) {
      if (!plot.element.offsetWidth) continue;
      const print = make("div", undefined, "print");
      plot.element.after(print);
      picture(plot).then((svg) => print.append(svg));
    }
  });
  addEventListener("afterprint", () => {
    recolour(false);
    for (const print of document.querySelectorAll(".print")) print.remove();
  });

  return { embed, tip, all: () => plots.values() };
})();
