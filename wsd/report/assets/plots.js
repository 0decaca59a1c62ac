// What all pages share: Bokeh's figures, coloured for light or dark pages, saved as files. No eval,
// no network; text enters a page only as text nodes.
"use strict";

const wsd = (() => {
  const byId = (id) => document.getElementById(id);
  const figures = new Map(); // of an element's id or data-figure: { view, model, filename }

  function make(tag, text, style) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    Object.assign(element.style, style);
    return element;
  }

  // Data lie deflated in base64; a page that is one file carries Bokeh there too.
  async function unpack() {
    const bytes = Uint8Array.from(atob(byId("packed").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const packed = JSON.parse(await new Response(stream).text());
    if (packed.bokeh) document.head.append(make("script", packed.bokeh));
    return packed;
  }

  // Tags of a model say which of its properties take which of the style sheet's colours.
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
    Bokeh.logger.set_level("error"); // its warning: the figure comes without data
    const [view] = await Bokeh.embed.embed_item(item, element);
    const doc = view.model.document;
    colour(doc);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colour(doc));
    const figure = { view, model: (named) => doc.get_model_by_name(named), filename: () => name };
    figures.set(name, figure);
    figure.model("save").filename = name;
    return figure;
  }

  // Bokeh's tooltip is white on every page; a style inside its shadow tree reaches its host.
  const TIP = `:host { padding: 9px 12px; border: 1px solid var(--rule-2); border-radius: 6px;
    opacity: 1; background-color: var(--surface); color: var(--ink); font-size: 14px;
    --tooltip-arrow-color: var(--rule-2); }`;

  function tip() {
    const box = make("div", undefined, { maxWidth: "min(24rem, 75vw)", overflowWrap: "anywhere" });
    box.append(make("style", TIP));
    return box;
  }

  function download(blob, name) {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    // A word may hold what a file's name may not.
    link.download = name.replace(/[^\p{L}\p{N}.-]+/gu, "_");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function save(kind, of) {
    const { view, filename } = figures.get(of);
    download(await view.export(kind).to_blob(), `${filename()}.${kind}`);
  }

  async function start(page) {
    try {
      for (const button of document.querySelectorAll("[data-save]")) {
        button.addEventListener("click", () => save(button.dataset.save, button.dataset.of));
      }
      await page();
      document.documentElement.dataset.ready = "true";
    } catch (error) {
      const problem = byId("problem");
      if (problem) {
        problem.hidden = false;
        problem.textContent = `The picture could not be drawn: ${error.message}. A newer browser may help.`;
      }
      console.error(error);
    }
  }

  return { byId, make, unpack, embed, tip, download, figures, start };
})();
