// The table of the shown and selected instances, in pages, and as a CSV file.
"use strict";

wsd.wordTable = (data, state, text, selection, { pin }) => {
  const { byId, button, count, heading, make } = wsd;
  const PER_PAGE = 25;
  let listed = [];

  function lineOf(row) {
    const line = make("tr");
    line.append(heading("row", button(data.id(row), () => pin(row), `Pin ${data.id(row)}`)));
    if (data.text !== "none") {
      const cell = make("td", undefined, "text");
      cell.append(text.sentence(row));
      line.append(cell);
    }
    const gold = make("td");
    gold.append(make("bdi", data.names[data.gold[row]]));
    line.append(gold);
    if (data.isTrain(row)) {
      line.append(make("td", "training", "quiet"), make("td", "–", "n quiet"), make("td", "–", "n quiet"));
      return line;
    }
    const wrong = state.isWrong(row), prediction = make("td", undefined, wrong ? "wrong" : "ok");
    prediction.append(wrong ? "✗ " : "✓ ", make("bdi", data.names[state.predicted(row)]));
    line.append(prediction, make("td", state.confidence(row).toFixed(2), "n"),
      make("td", `${data.layersCorrect(row, state.classifier)} of ${data.singleLayers.length}`, "n"));
    return line;
  }

  function show() {
    const selected = selection.rows();
    listed = data.inOrder.filter((row) => state.visible[row] && (!selected.size || selected.has(row)));
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
    return wsd.csv([names, ...listed.map((row) => [
      data.word, data.split(row), data.numbers[row], data.senses[data.gold[row]],
      state.layers.name, state.classifierName,
      ...(data.isTrain(row) ? ["", ""] : [data.senses[state.predicted(row)], state.confidence(row).toFixed(2)]),
      ...(data.hasText(row) ? data.sentence(row) : ["", "", ""]),
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

  return { show };
};
