// What is chosen on a page of uses, and what people have made of each clustering: names, and
// sentences that were moved. The browser keeps that, where it may, for the next time.
"use strict";

wsd.usesState = (data, start) => {
  const LEFT_OUT = -1;
  const state = { layer: start, method: data.layers[start].partitions[0].method, wanted: "chosen", pin: -1 };

  const partitions = () => data.ofMethod(state.layer, state.method);
  function partition() {
    const of = partitions();
    return of.find(({ k, chosen }) => (state.wanted === "chosen" ? chosen : k === state.wanted))
      ?? of.find(({ chosen }) => chosen);
  }

  // ---- What people made, by clustering ----

  const STORE = `wsd uses ${data.key}`;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch { /* a browser that keeps nothing, or something else under that name */ }

  const name = () => `${data.layers[state.layer].name} ${state.method} ${partition().k}`;
  const made = () => kept[name()] ?? { names: {}, moved: {} };
  function change(act) {
    const of = structuredClone(made());
    act(of);
    kept[name()] = of;
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch { /* full, or not allowed: the page has it until it is closed */ }
  }
  function forget() {
    delete kept[name()];
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch { /* as above */ }
  }

  // ---- Clusters as they are now ----

  function labels() {
    const of = Int16Array.from(partition().labels);
    for (const [row, cluster] of Object.entries(made().moved)) of[row] = cluster;
    return of;
  }
  // Those of the clustering, and those that were made by moving sentences into them.
  const clusters = () => Math.max(partition().k, ...Object.values(made().moved).map((c) => c + 1));
  const tidy = (text) => text.normalize("NFC").split(/\s+/u).filter(Boolean).join(" ");
  const called = (cluster) => made().names[cluster] ?? "";
  const title = (cluster) => tidy(called(cluster)) || `cluster ${cluster + 1}`;

  return Object.assign(state, {
    LEFT_OUT, partitions, partition, labels, clusters, called, title, tidy, forget,
    isChanged: () => Boolean(kept[name()]),
    move: (row, cluster) => change((of) => {
      if (partition().labels[row] === cluster) delete of.moved[row];
      else of.moved[row] = cluster;
    }),
    rename: (cluster, text) => change((of) => { of.names[cluster] = text; }),
  });
};
