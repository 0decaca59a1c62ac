// A word's page: one layer choice of one classifier at a time. This puts the parts together and says
// which of them are shown anew when something changes. What is chosen stands in the address.
//
//   word-data.js     instances, predictions, places, neighbours: unpacked, the same all the time
//   word-state.js    what is chosen, and which instances pass the filters
//   word-address.js  what is chosen as text, and back
//   word-text.js     an instance in words
//   word-colours.js  what colours stand for, and their key
//   word-plot.js     the picture: points, rings, tooltip, tap, zoom
//   word-beside.js   further pictures beside it, of other layer choices
//   word-scores.js   scores, the confusion matrix, what the picture keeps
//   word-card.js     the pinned instance
//   word-table.js    the table of instances, and its CSV
//   word-steps.js    stepping through layer choices: slider, arrow keys, Play
//   word-filters.js  the other controls
"use strict";

wsd.start(async () => {
  const { byId } = wsd;
  const { data: packed, figure } = await wsd.unpack();
  const embedded = await wsd.plots.embed(figure, byId("plot"), "plot");

  const data = wsd.wordData(packed);
  const defaults = {
    choice: Number(byId("slider").value), classifier: byId("reader").selectedIndex, colour: "gold",
    show: "all", method: byId("method")?.value ?? Object.keys(data.choices[0].pictures)[0],
    query: "", pin: -1, box: null, others: [],
    rings: true, centroids: true, keys: true,
  };
  const state = wsd.wordState(data, defaults);
  const text = wsd.wordText(data, state);
  const colours = wsd.wordColours(data, state);
  const first = wsd.wordPlot(embedded, data, state, colours, text, { pin, remember, hover: (row) => plot.hover(row) });
  const plot = wsd.wordBeside(first, figure, data, state, { pin, choose, changed: () => { showAll(); remember(); } });
  const scores = wsd.wordScores(data, state);
  const card = wsd.wordCard(data, state, text, { pin, choose });
  const table = wsd.wordTable(data, state, text, plot.selection, { pin });
  const steps = wsd.wordSteps(data, state, { choose });
  const changed = {
    classifier: () => { showJudgements(); remember(); },
    colour: () => { plot.recolour(); colours.showKey(); remember(); },
    show: () => { showFiltered(); remember(); },
    search: () => { showFiltered(); remember(); },
    legend: () => { plot.drawCentroids(); showFiltered(); remember(); },
    method: () => { state.box = null; showAll(); remember(); },
  };
  const filters = wsd.wordFilters(state, { changed });
  const address = wsd.wordAddress(data, defaults, { ...filters.offered, pictures: plot.most });

  // ---- What is shown anew ----

  // What changes with the filters alone.
  function showFiltered() {
    if (state.filter()) plot.showVisible();
    plot.drawErrors();
    scores.showErrors();
    table.show();
  }

  // What changes with the classifier too.
  function showJudgements() {
    plot.recolour();
    plot.showTitles();
    showFiltered();
    colours.showKey();
    scores.showScores();
    scores.showConfusion();
    card.show();
  }

  // Whether all is there: the pictures beside the first are made when first asked for.
  function showAll() {
    steps.show();
    filters.show();
    if (state.filter()) plot.showVisible();
    plot.draw();
    table.show();
    colours.showKey();
    scores.showPictureNote();
    scores.showErrors();
    scores.showScores();
    scores.showConfusion();
    card.show();
    plot.showBox();
    return plot.showOthers();
  }

  // ---- What can be done from several places ----

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
    // Only in the report: a page in another program's frame has no address of its own.
    if (byId("link")) wsd.fragment.show(address.encode(state));
  }
  function recall() {
    Object.assign(state, address.decode(location.hash));
    return showAll();
  }
  addEventListener("hashchange", recall);
  byId("link")?.addEventListener("click", async () => {
    remember();
    const said = await navigator.clipboard.writeText(location.href).then(
      () => "Copied", () => "Copy the address of this page");
    byId("link").textContent = said;
    setTimeout(() => { byId("link").textContent = "Copy link to this view"; }, 2500);
  });

  await recall();
  plot.startTips();
});
