// The table of the shown and selected instances: sorted by a heading, in pages, and as a CSV file.
"use strict";

wsd.wordTable = (data, state, text, selection, { pin, sort }) => {
  const { byId, button, count, heading, make } = wsd;
  const PER_PAGE = 25;
  const headings = [...byId("instances").tHead.querySelectorAll("button[data-sort]")];
  let listed = [];

  // ---- The order: "confidence", or "-confidence" for decreasing values ----

  const keys = {
    gold: (row) => data.names[data.gold[row]],
    predicted: (row) => data.names[state.predicted(row)],
    confidence: (row) => state.confidence(row),
    correct: (row) => data.layersCorrect(row, state.classifier),
  };
  const order = () => [state.sort.replace("-", ""), state.sort.startsWith("-") ? -1 : 1];

  // Instances without a value come last; equal instances are in the order of their files.
  function sorted(rows) {
    const [name, sign] = order(), key = keys[name];
    if (!key) return sign < 0 ? rows.reverse() : rows;
    const isMissing = { gold: data.isNew, correct: (row) => data.isNew(row) || data.isTrain(row) }[name] ?? data.isTrain;
    const valueOf = (row) => (isMissing(row) ? null : key(row));
    const values = new Map(rows.map((row) => [row, valueOf(row)]));
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    return rows.sort((one, other) => {
      const [a, b] = [values.get(one), values.get(other)];
      return (a === null) - (b === null) || (a === null ? 0 : sign * compare(a, b));
    });
  }

  for (const shown of headings) {
    shown.addEventListener("click", () => {
      const [name, sign] = order(), { sort: key } = shown.dataset;
      sort(name === key && sign > 0 ? `-${key}` : key);
    });
  }

  function showOrder() {
    const [name, sign] = order();
    for (const shown of headings) {
      const cell = shown.parentElement;
      if (shown.dataset.sort === name) cell.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    }
  }

  // ---- The lines ----

  function lineOf(row) {
    const line = make("tr");
    line.append(heading("row", button(data.id(row), () => pin(row), `Pin ${data.id(row)}`)));
    if (data.text) {
      const cell = make("td", undefined, "text");
      cell.append(text.sentence(row));
      line.append(cell);
    }
    const gold = make("td");
    gold.append(make("bdi", data.isNew(row) ? "–" : data.names[data.gold[row]]));
    line.append(gold);
    if (data.isTrain(row)) {
      line.append(make("td", "training", "quiet"), make("td", "–", "n quiet"), make("td", "–", "n quiet"));
      return line;
    }
    const wrong = state.isWrong(row), isNew = data.isNew(row);
    const prediction = make("td", undefined, isNew ? "" : wrong ? "wrong" : "ok");
    prediction.append(isNew ? "" : wrong ? "✗ " : "✓ ", make("bdi", data.names[state.predicted(row)]));
    line.append(prediction, make("td", state.confidence(row).toFixed(2), "n"),
      make("td", isNew ? "–" : `${data.layersCorrect(row, state.classifier)} of ${data.singleLayers.length}`, "n"));
    return line;
  }

  function show() {
    const selected = selection.rows();
    listed = sorted(data.inOrder.filter((row) => state.visible[row] && (!selected.size || selected.has(row))));
    showOrder();
    state.pageOfTable = Math.max(0, Math.min(state.pageOfTable, Math.ceil(listed.length / PER_PAGE) - 1));
    const start = state.pageOfTable * PER_PAGE, rows = listed.slice(start, start + PER_PAGE);
    byId("unselect").hidden = !selected.size;
    byId("listed").textContent = `${count(listed.length)} of ${count(data.n)} instances`
      + (selected.size ? " (the selection)" : "");
    byId("place").textContent = listed.length
      ? `${count(start + 1)}–${count(start + rows.length)}` : "none";
    byId("earlier").disabled = start === 0;
    byId("later").disabled = start + PER_PAGE >= listed.length;
    byId("csv").disabled = !listed.length;
    byId("instances").tBodies[0].replaceChildren(...rows.map(lineOf));
  }

  function turnTo(page) {
    state.pageOfTable = page;
    show();
  }

  // The page stores a confidence in 255 steps, so only two digits are exact.
  function csv() {
    const names = ["word", "split", "index", "gold", "layers", "classifier", "predicted", "confidence", "left", "focal", "right"];
    const { columns } = data.extra;
    // As csv_names in wsd/artifacts/corpus_table.py.
    for (const { name } of columns) {
      let free = name;
      while (names.includes(free)) free = `input_${free}`;
      names.push(free);
    }
    return wsd.csv([names, ...listed.map((row) => [
      data.word, data.split(row), data.numbers[row], data.isNew(row) ? "" : data.senses[data.gold[row]],
      state.layers.name, state.classifierName,
      ...(data.isTrain(row) ? ["", ""] : [data.senses[state.predicted(row)], state.confidence(row).toFixed(2)]),
      ...(data.hasText(row) ? data.sentence(row).map((part) => part.trim()) : ["", "", ""]), ...columns.map(({ at }) => at(row)),
    ])]);
  }

  byId("earlier").addEventListener("click", () => turnTo(state.pageOfTable - 1));
  byId("later").addEventListener("click", () => turnTo(state.pageOfTable + 1));
  byId("unselect").addEventListener("click", selection.clear);
  selection.onChange(() => turnTo(0));
  byId("csv").addEventListener("click", () => {
    const name = `${data.word}-${state.layers.name}-${state.classifierName}.csv`;
    wsd.download(new Blob(["\ufeff", csv()], { type: "text/csv" }), name);
  });

  return { show, turnTo, sorts: headings.flatMap(({ dataset: { sort: key } }) => [key, `-${key}`]) };
};

// Lines of values as CSV, without cells that a spreadsheet would run as a formula. The rule is the same
// as in wsd/storage/csv.py, which explains it; tests/helpers/formula_cells.py tests both.
wsd.csv = (lines) => {
  const PLAIN = /^(?:-|[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
  const FORMULA = /^'*(?:[\t\n\r\0]|[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])/;
  const cell = (value) => {
    const text = String(value);
    const guarded = typeof value === "string" && FORMULA.test(text) && !PLAIN.test(text) ? `'${text}` : text;
    return `"${guarded.replaceAll('"', '""')}"`;
  };
  return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
};
