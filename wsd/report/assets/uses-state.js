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

  // A clustering is known by the digest of its labels: with another seed, the same number of clusters
  // of the same layer choice holds other sentences.
  const STORE = `wsd uses ${data.key}`;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch { /* a browser that keeps nothing, or something else under that name */ }

  const place = () => `${data.layers[state.layer].name} ${state.method} ${partition().k}`;
  const name = () => `${place()} ${partition().digest}`;
  const made = () => kept[name()] ?? { names: {}, moved: {}, labels: partition().packed };
  function keep() {
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch { /* full, or not allowed: the page has it until it is closed */ }
  }
  function change(act) {
    const of = structuredClone(made());
    act(of);
    kept[name()] = of;
    keep();
  }
  function forget() {
    delete kept[name()];
    keep();
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

  // ---- What people made of other clusters in this place: offered, and never applied unasked ----

  const others = () => Object.keys(kept)
    .filter((key) => key !== name() && (key === place() || key.startsWith(`${place()} `)));
  // The last that has names; nothing where this clustering has names or moves of its own.
  function latest() {
    return kept[name()] ? undefined : others().map((key) => kept[key]).findLast(({ names }) => Object.values(names).some(tidy));
  }
  // What an earlier version of this page kept is without labels.
  function older() {
    const of = latest();
    return of && { names: [...new Set(Object.values(of.names).map(tidy))].filter(Boolean), known: Boolean(of.labels) };
  }
  // A cluster gets the name that most of its sentences had. What people moved stays in the sense that
  // they moved it to, in a cluster of its own where no other has that name; or it is left out, where
  // they moved it to a cluster without a name.
  function adopt() {
    const old = latest(), { labels: now, k } = partition();
    const before = old.labels ? wsd.decode(old.labels, Uint16Array) : now;
    const nameOf = (cluster) => tidy(old.names[cluster] ?? "");
    const votes = Array.from({ length: k }, () => new Map());
    now.forEach((cluster, row) => {
      const was = nameOf(before[row]);
      votes[cluster].set(was, (votes[cluster].get(was) ?? 0) + 1);
    });
    const names = votes.map((of) => [...of].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0])[0]);
    change((of) => {
      for (const [row, cluster] of Object.entries(old.moved)) {
        const sense = nameOf(cluster);
        if (!sense) of.moved[row] = LEFT_OUT;
        else if (sense !== names[now[row]]) {
          of.moved[row] = names.includes(sense) ? names.indexOf(sense) : names.push(sense) - 1;
        }
      }
      of.names = { ...names };
    });
  }
  function discard() {
    for (const key of others()) delete kept[key];
    keep();
  }

  return Object.assign(state, {
    LEFT_OUT, partitions, partition, labels, clusters, called, title, tidy, forget, older, adopt, discard,
    isChanged: () => Boolean(kept[name()]),
    move: (row, cluster) => change((of) => {
      if (partition().labels[row] === cluster) delete of.moved[row];
      else of.moved[row] = cluster;
    }),
    rename: (cluster, text) => change((of) => { of.names[cluster] = text; }),
  });
};
