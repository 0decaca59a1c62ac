// A page of uses: the clusters of one word's sentences in one layer choice at a time. This puts the
// parts together; what is chosen stands in the address, what is named stays in the browser.
//
//   uses-data.js      sentences, places, neighbours, partitions: the same all the time
//   uses-words.js     the words that set a cluster apart
//   uses-state.js     what is chosen; names and moved sentences
//   uses-plot.js      the picture
//   uses-clusters.js  the clusters, and the pinned sentence
//   uses-older.js     names of an earlier clustering, offered
//   uses-result.js    the table to take away
"use strict";

wsd.start(async () => {
  const { byId, make } = wsd;
  const data = wsd.usesData(await wsd.unpack());
  const start = Number(byId("slider").value);
  const state = wsd.usesState(data, start);
  const plot = wsd.usesPlot(data, state, { pin });
  const result = wsd.usesResult(data, state);
  const older = wsd.usesOlder(state, { changed: showClusters });
  const clusters = wsd.usesClusters(data, state, { pin, changed: showClusters, renamed: showNames });

  function showControls() {
    const { layer, method, wanted } = state;
    byId("layers").selectedIndex = layer;
    byId("slider").value = layer;
    byId("slider").setAttribute("aria-valuetext", byId("layers").selectedOptions[0].textContent);
    byId("previous").disabled = layer === 0;
    byId("next").disabled = layer === data.layers.length - 1;
    byId("method").value = method;
    const option = (value, text) => {
      const of = make("option", text);
      of.value = value;
      return of;
    };
    const of = state.partitions(), best = of.find(({ chosen }) => chosen);
    byId("number").replaceChildren(option("chosen", `${best.k}, by silhouette`), ...of.map(({ k }) => option(k, k)));
    byId("number").value = of.some(({ k }) => k === wanted) ? wanted : "chosen";
  }

  function showFigures() {
    const { k, silhouette, agreement } = state.partition(), figure = (value) => (value * 100).toFixed(1);
    const said = [silhouette === null ? "One cluster has no silhouette." : `Mean silhouette of ${k} clusters: ${silhouette.toFixed(3)}.`];
    if (agreement) {
      said.push(`Against the corpus's senses, in percent: ARI ${figure(agreement.ari)}, V‑measure ${figure(agreement.v_measure)}, `
        + `B‑cubed F ${figure(agreement.bcubed_f)}, paired F ${figure(agreement.paired_f)}.`);
    }
    byId("figures").textContent = said.join(" ");
  }

  // Singular against plural is no difference of sense: say so where the forms explain the clusters.
  function showFormWarning() {
    const { form_nmi: explained } = state.partition();
    byId("by-form").hidden = explained === null || explained < data.formExplains;
    if (explained !== null) byId("form-nmi").textContent = explained.toFixed(2);
  }

  function showNames() {
    result.show();
    older.show();
  }

  function showClusters() {
    plot.draw();
    clusters.show();
    clusters.card();
    showNames();
  }

  function showAll() {
    showControls();
    showFigures();
    showFormWarning();
    clusters.startAnew();
    showClusters();
  }

  // ---- What is chosen ----

  function choose(what) {
    Object.assign(state, what);
    showAll();
    remember();
  }
  function step(layer) {
    if (layer >= 0 && layer < data.layers.length && layer !== state.layer) choose({ layer });
  }
  function pin(row) {
    state.pin = row;
    plot.draw();
    clusters.card();
    if (row >= 0) byId("card").scrollIntoView({ block: "nearest" });
  }

  byId("layers").addEventListener("change", (event) => step(event.target.selectedIndex));
  byId("slider").addEventListener("input", (event) => step(Number(event.target.value)));
  byId("previous").addEventListener("click", () => step(state.layer - 1));
  byId("next").addEventListener("click", () => step(state.layer + 1));
  byId("method").addEventListener("change", (event) => choose({ method: event.target.value }));
  byId("number").addEventListener("change", ({ target }) =>
    choose({ wanted: target.value === "chosen" ? "chosen" : Number(target.value) }));
  byId("unpin").addEventListener("click", () => pin(-1));
  byId("forget").addEventListener("click", () => { state.forget(); showAll(); });
  wsd.onKey((event) => {
    if (event.key === "Escape") pin(-1);
    if (event.target.closest("input, select, textarea, [role=region]")) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) step(state.layer + by);
  });

  // ---- The address ----

  function remember() {
    wsd.fragment.show(wsd.fragment.encode(
      [["layers", data.layers[state.layer].name], ["method", state.method], ["clusters", state.wanted]]));
  }
  function recall() {
    const said = wsd.fragment.decode(location.hash);
    const layer = data.layers.findIndex(({ name }) => name === said.get("layers"));
    if (layer >= 0) state.layer = layer;
    if ([...byId("method").options].some(({ value }) => value === said.get("method"))) state.method = said.get("method");
    if (/^[0-9]+$/.test(said.get("clusters") ?? "")) state.wanted = Number(said.get("clusters"));
    showAll();
  }
  addEventListener("hashchange", recall);
  recall();
});
