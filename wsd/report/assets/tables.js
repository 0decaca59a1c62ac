// The pages of tables and curves: figures drawn when they are shown, lines that can be hidden,
// tables that can be sorted and filtered. What is chosen stands in the address.
"use strict";

wsd.start(async () => {
  const { byId, make } = wsd;
  const asked = new URLSearchParams(location.hash.slice(1));

  function curveTip(source, vars) {
    const { x, y, name, label, low, high } = source.data, i = vars.index;
    const box = wsd.tip(), unit = (value) => value.toFixed(2);
    const band = low ? ` (${unit(low[i])} to ${unit(high[i])})` : "";
    box.append(
      make("div", `${unit(y[i])}${band}`, { fontWeight: "600" }),
      make("div", `${label[i] || `layer ${x[i]}`}, ${name[i]}`, { color: "var(--ink-2)" }),
    );
    return box;
  }

  async function draw() {
    for (const element of document.querySelectorAll(".curve[data-figure]:not([data-drawn])")) {
      if (element.closest("[hidden]")) continue;
      element.dataset.drawn = "true";
      const name = element.dataset.figure;
      const figure = await wsd.embed(JSON.parse(byId(name).textContent), element, name);
      figure.model("hover").tooltips = curveTip;
      showLines(figure);
    }
  }

  // A line is hidden in every figure of its section.
  const hidden = new Set();
  function showLines({ view, filename }) {
    for (const renderer of view.model.renderers) {
      renderer.visible = !hidden.has(`${filename().split(".")[0]} ${renderer.name}`);
    }
  }
  for (const box of document.querySelectorAll("input[data-line]")) {
    box.checked = true;
    box.addEventListener("change", () => {
      const key = `${box.dataset.of} line-${box.dataset.line}`;
      if (box.checked) hidden.delete(key);
      else hidden.add(key);
      for (const figure of wsd.figures.values()) showLines(figure);
    });
  }

  // A select shows, of the parts that belong to it, those of its value.
  const selects = [...document.querySelectorAll("select[data-shows]")];
  function showParts(select) {
    for (const part of document.querySelectorAll(`[data-${select.dataset.shows}]`)) {
      part.hidden = part.getAttribute(`data-${select.dataset.shows}`) !== select.value;
    }
  }
  function remember() {
    const parts = selects.filter((select) => select.value !== select.options[0].value || asked.has(select.id))
      .map((select) => `${select.id}=${encodeURIComponent(select.value)}`);
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname.split("/").pop());
  }
  for (const select of selects) {
    if ([...select.options].some(({ value }) => value === asked.get(select.id))) select.value = asked.get(select.id);
    else select.value = [...select.options].find((option) => option.defaultSelected)?.value ?? select.options[0].value;
    showParts(select);
    select.addEventListener("change", () => { showParts(select); remember(); draw(); });
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const by = heading.querySelector("button");
      by?.addEventListener("click", () => {
        // Words start at a, figures at the highest.
        const now = heading.getAttribute("aria-sort"), first = heading.dataset.first ?? "descending";
        const order = now ? { ascending: "descending", descending: "ascending" }[now] : first;
        const down = order === "descending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", order);
        const key = (row) => {
          const { value } = row.cells[column].dataset;
          return value === undefined ? row.cells[column].textContent.trim() : Number(value);
        };
        const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b)));
        table.tBodies[0].append(...rows);
      });
    });
  }

  for (const field of document.querySelectorAll("input[data-filters]")) {
    // Of several models each has a table, with the same rows.
    const tables = [...document.querySelectorAll(`table.${field.dataset.filters}`)];
    const [counted, ...others] = tables.map((table) => [...table.tBodies[0].rows]);
    const said = byId(`${field.id}-count`);
    const show = () => {
      const query = field.value.trim().toLowerCase();
      for (const row of [counted, ...others].flat()) {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(query);
      }
      said.textContent = `${counted.filter((row) => !row.hidden).length} of ${counted.length}`;
    };
    field.addEventListener("input", show);
    show();
  }

  await draw();
});
