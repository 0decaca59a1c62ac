// Pages with tables and curves: selects that show parts of the page, and tables that can be sorted and
// filtered. The address stores the selects. Plots of curves are drawn when they are first shown, with
// lines that can be hidden.
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
      writeNames(plot, element.clientWidth);
      writeEnds(plot, element.clientWidth);
      showLines(plot);
    }
  }

  return { draw };
};

wsd.start(async () => {
  const { byId, fragment } = wsd;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const curves = wsd.curves();

  // ---- The words beyond the first are packed, so that the page opens at once ----

  for (const script of all("script[data-rest]")) {
    const [items, lines] = await wsd.inflate(script.textContent), table = script.previousElementSibling;
    const rest = new DOMParser().parseFromString(`<ul>${items}</ul><table><tbody>${lines}</tbody></table>`, "text/html");
    table.previousElementSibling.append(...rest.querySelectorAll("body > ul > li"));
    table.querySelector("tbody").append(...rest.querySelectorAll("body > table > tbody > tr"));
    script.remove();
  }

  // ---- A select with data-shows="x" shows the elements whose data-x equals its value ----

  const requested = fragment.decode(location.hash), selects = all("select[data-shows], select[data-parts]");

  // A cell of the heat map is [points below the row's best, score in percent, step of the colour].
  function fillHeatMaps(metric) {
    for (const table of all("table.heat")) {
      const values = JSON.parse(byId(table.dataset.values).textContent)[metric].flat();
      table.querySelectorAll("td").forEach((cell, i) => {
        const [points, score, step] = values[i], content = cell.firstChild;
        cell.style.setProperty("--heat", step);
        content.title = `score: ${score.toFixed(1)}`;
        content.firstChild.nodeValue = points.toFixed(1).replace("-", "\u2212");
      });
    }
  }
  function showParts(select) {
    if (!select.dataset.shows) return;
    if (select.id === "metric") fillHeatMaps(select.value);
    const attribute = `data-${select.dataset.shows}`;
    for (const part of all(`[${attribute}]`)) part.hidden = part.getAttribute(attribute) !== select.value;
  }
  function remember() {
    fragment.show(fragment.encode(
      selects.filter((select) => select.value !== select.options[0].value || requested.has(select.id))
        .map((select) => [select.id, select.value])));
  }
  for (const select of selects) {
    const options = [...select.options];
    const first = options.find(({ value }) => value === requested.get(select.id))
      ?? options.find((option) => option.defaultSelected) ?? options[0];
    select.value = first.value;
    showParts(select);
    select.addEventListener("change", () => { showParts(select); remember(); curves.draw(); });
  }

  // ---- Sorting by a column when its heading is clicked ----

  function sort(table, headings, column) {
    // Text is first sorted from a to z, numbers from the highest.
    const heading = headings[column], current = heading.getAttribute("aria-sort");
    const order = current ? { ascending: "descending", descending: "ascending" }[current]
      : heading.dataset.first ?? "descending";
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", order);
    const key = (row) => {
      const { value } = row.cells[column].dataset;
      return value === undefined ? row.cells[column].textContent.trim() : Number(value);
    };
    const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (order === "descending" ? -1 : 1) * compare(key(a), key(b)));
    table.tBodies[0].append(...rows);
  }
  for (const table of all("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.querySelector("button")
      ?.addEventListener("click", () => sort(table, headings, column)));
  }

  // ---- Filtering by typed text and part of speech ----

  for (const field of all("input[data-filters]")) {
    // Each model has a table, with the same rows.
    const [counted, ...others] = all(`table.${field.dataset.filters}`).map((table) => [...table.tBodies[0].rows]);
    const plots = all(`.gallery.${field.dataset.filters} > li`);
    const part = document.querySelector(`select[data-parts="${field.dataset.filters}"]`);
    const counter = byId(`${field.id}-count`);
    const show = () => {
      const query = field.value.trim().toLowerCase();
      const matches = (element, word) => word.toLowerCase().includes(query)
        && (!part?.value || element.dataset.part === part.value);
      for (const row of [counted, ...others].flat()) row.hidden = !matches(row, row.cells[0].textContent);
      for (const plot of plots) plot.hidden = !matches(plot, plot.dataset.word);
      counter.textContent = `${counted.filter((row) => !row.hidden).length} of ${counted.length}`;
    };
    field.addEventListener("input", show);
    part?.addEventListener("change", show);
    show();
  }

  await curves.draw();
  wsd.filmStrip?.();
  if (byId("packed")) wsd.gallery(await wsd.unpack());
});
