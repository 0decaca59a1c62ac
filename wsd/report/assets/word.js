// A word's page: one layer choice and one classifier at a time. This script connects the others, and
// decides which parts are redrawn after a change. The address stores the state.
"use strict";

wsd.start(async () => {
  const { byId } = wsd;
  const { data: packed, figure } = await wsd.unpack();
  const embedded = await wsd.plots.embed(figure, byId("plot"), "plot");

  const data = wsd.wordData(packed);
  const defaults = {
    choice: byId("layers").selectedIndex, classifier: byId("classifier").selectedIndex, colour: "gold",
    show: "all", only: "", method: byId("method")?.value ?? Object.keys(data.choices[0].projections)[0],
    query: "", cell: null, sort: "instance", pin: data.rowOf.get("new-0") ?? -1, box: null,
    rings: true, centroids: true, keys: true,
  };
  const state = wsd.wordState(data, defaults);
  data.extra.offer(byId("colour"), byId("only"));
  const text = wsd.wordText(data, state);
  const colours = wsd.wordColours(data, state);
  const plot = wsd.wordPlot(embedded, data, state, colours, text, { pin, remember });
  const strip = wsd.wordStrip(data, state, colours, plot);
  const scores = wsd.wordScores(data, state, {
    selectCell: (cell) => { state.cell = cell; scores.showConfusion(); showFiltered(); remember(); },
  });
  const card = wsd.wordCard(data, state, text, { pin, choose });
  const table = wsd.wordTable(data, state, text, plot.selection, {
    pin, sort: (order) => { state.sort = order; table.turnTo(0); remember(); },
  });
  const changed = {
    classifier: () => { showPredictions(); remember(); },
    colour: () => { plot.recolour(); strip.drawIfChanged(); colours.showKey(); remember(); },
    show: () => { showFiltered(); remember(); },
    only: () => { showFiltered(); remember(); },
    search: () => { showFiltered(); remember(); },
    legend: () => { plot.drawCentroids(); showFiltered(); remember(); },
    method: () => { state.box = null; showAll(); remember(); },
  };
  const controls = wsd.wordControls(data, state, { choose, changed });
  const address = wsd.wordAddress(data, defaults, { ...controls.offered, sort: table.sorts });

  // ---- Redrawing ----

  // The parts that depend on the filters.
  function showFiltered() {
    if (state.filter()) plot.recolour();
    plot.drawErrors();
    strip.drawIfChanged();
    scores.showErrors();
    table.show();
  }

  // The parts that depend on the classifier.
  function showPredictions() {
    plot.recolour();
    showFiltered();
    colours.showKey();
    scores.showScores();
    scores.showConfusion();
    card.show();
  }

  function showAll() {
    controls.show();
    state.filter();
    plot.draw();
    strip.show();
    table.show();
    colours.showKey();
    scores.showProjectionNote();
    scores.showErrors();
    scores.showScores();
    scores.showConfusion();
    card.show();
    plot.showBox();
  }

  // ---- Actions of several parts ----

  function choose(choice) {
    if (choice < 0 || choice >= data.choices.length || choice === state.choice) return;
    state.choice = choice;
    state.box = null;
    showAll();
    remember();
  }

  function pin(row) {
    state.pin = row;
    plot.drawPin();
    card.show();
    remember();
    if (row >= 0) card.focus();
  }

  // ---- The address ----

  function remember() {
    // Only in the report: a page in a frame of another program cannot change the address.
    if (byId("link")) wsd.fragment.show(address.encode(state));
  }
  function recall() {
    Object.assign(state, address.decode(location.hash));
    showAll();
  }
  addEventListener("hashchange", recall);
  byId("link")?.addEventListener("click", async () => {
    remember();
    const result = await navigator.clipboard.writeText(location.href).then(
      () => "Copied", () => "Copy the address of this page");
    byId("link").textContent = result;
    setTimeout(() => { byId("link").textContent = "Copy link to this view"; }, 2500);
  });

  recall();
  plot.startTips();
});
