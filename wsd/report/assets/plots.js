// Bokeh's plots: embedded in a page, coloured for light or dark pages, saved as files.
"use strict";

wsd.plots = (() => {
  const { make } = wsd;
  const plots = new Map(); // by data-figure, or an element's id: { view, part, filename }

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
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colour(doc));
    const plot = { view, part: (partName) => doc.get_model_by_name(partName), filename: () => name };
    plots.set(name, plot);
    plot.part("save").filename = name;
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

  async function save(kind, name) {
    const { view, filename } = plots.get(name);
    wsd.download(await view.export(kind).to_blob(), `${filename()}.${kind}`);
  }
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => save(button.dataset.save, button.dataset.plot));
  }

  return { embed, tip, all: () => plots.values() };
})();
