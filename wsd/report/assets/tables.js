// Pages with tables and curves: selects that show parts of the page, and tables that can be sorted and
// filtered. The address stores the selects.
"use strict";

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
        cell.className = cell.className.replace(/\bh\d+/, `h${step}`);
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
