// A page of uses: the clusters of one word's sentences in one layer choice at a time. This script
// connects the others. The address stores the controls, the browser stores names and moves.
"use strict";

wsd.start(async () => {
  const { byId, count } = wsd;
  const data = wsd.usesData(await wsd.unpack());
  const start = Number(byId("slider").value);
  const state = wsd.usesState(data, start);
  data.extra.offer(byId("colour"), byId("only"));
  const byValue = ["colour", "only"].filter(byId);
  const plot = wsd.usesPlot(data, state, { pin });
  const result = wsd.usesResult(data, state);
  const earlierNames = wsd.usesEarlierNames(state, { changed: showClusters });
  const clusters = wsd.usesClusters(data, state, { pin, changed: showClusters, renamed: showNames });

  function showControls() {
    const { layer, method, wanted } = state;
    showChoice(layer);
    byId("slider").value = layer;
    byId("slider").setAttribute("aria-valuetext", byId("layers").selectedOptions[0].textContent);
    byId("method").value = method;
    for (const key of byValue) byId(key).value = state[key];
    const all = state.partitions(), best = all.find(({ chosen }) => chosen);
    byId("number").replaceChildren(new Option(`${best.k}, by silhouette`, "chosen"), ...all.map(({ k }) => new Option(k, k)));
    byId("number").value = all.some(({ k }) => k === wanted) ? wanted : "chosen";
  }

  function showScores() {
    const { k, silhouette, agreement } = state.partition(), percent = (value) => wsd.percent(value, 1);
    const text = [silhouette === null ? "One cluster has no silhouette." : `Mean silhouette of ${k} clusters: ${silhouette.toFixed(3)}.`];
    if (agreement) {
      text.push(`Agreement with the corpus's senses, in percent: ARI ${percent(agreement.ari)}, V‑measure ${percent(agreement.v_measure)}, `
        + `B‑cubed F ${percent(agreement.bcubed_f)}, paired F ${percent(agreement.paired_f)}.`);
    }
    if (state.only) text.push(`The filter leaves ${count(data.rows.filter(state.passes).length)} of ${data.sentences(data.n)}.`);
    byId("scores").textContent = text.join(" ");
  }

  // A difference between singular and plural is not a difference of sense: warn if the forms explain the
  // clusters.
  function showFormWarning() {
    const { form_nmi: explained } = state.partition();
    byId("by-form").hidden = explained === null || explained < data.formExplains;
    if (explained !== null) byId("form-nmi").textContent = explained.toFixed(2);
  }

  function showNames() {
    result.show();
    earlierNames.show();
  }

  function showClusters() {
    plot.draw();
    clusters.show();
    clusters.card();
    showNames();
  }

  function showAll() {
    showControls();
    showScores();
    showFormWarning();
    if (byId("tones")) wsd.showKey(data.extra.entries(state.colour));
    clusters.closeAll();
    showClusters();
  }

  // ---- Controls ----

  function choose(values) {
    Object.assign(state, values);
    showAll();
    remember();
  }
  const showChoice = wsd.stepper((layer) => { if (layer !== state.layer) choose({ layer }); });
  function pin(row) {
    state.pin = row;
    plot.draw();
    clusters.card();
    if (row >= 0) byId("card").scrollIntoView({ block: "nearest" });
  }

  byId("slider").addEventListener("input", ({ target }) => choose({ layer: Number(target.value) }));
  byId("method").addEventListener("change", (event) => choose({ method: event.target.value }));
  byId("number").addEventListener("change", ({ target }) =>
    choose({ wanted: target.value === "chosen" ? "chosen" : Number(target.value) }));
  for (const key of byValue) byId(key).addEventListener("change", ({ target }) => choose({ [key]: target.value }));
  byId("unpin").addEventListener("click", () => pin(-1));
  byId("forget").addEventListener("click", () => { state.forget(); showAll(); });
  wsd.onKey(({ key }) => { if (key === "Escape") pin(-1); });

  // ---- The address ----

  function remember() {
    wsd.fragment.show(wsd.fragment.encode([
      ["layers", data.layers[state.layer].name], ["method", state.method], ["clusters", state.wanted],
      ...byValue.map((key) => [key, state[key]]).filter(([key, value]) => value !== byId(key).options[0].value),
    ]));
  }
  function recall() {
    const wanted = wsd.fragment.decode(location.hash);
    const layer = data.layers.findIndex(({ name }) => name === wanted.get("layers"));
    if (layer >= 0) state.layer = layer;
    for (const key of ["method", ...byValue]) {
      if ([...byId(key).options].some(({ value }) => value === wanted.get(key))) state[key] = wanted.get(key);
    }
    if (/^[0-9]+$/.test(wanted.get("clusters") ?? "")) state.wanted = Number(wanted.get("clusters"));
    showAll();
  }
  addEventListener("hashchange", recall);
  recall();
});
