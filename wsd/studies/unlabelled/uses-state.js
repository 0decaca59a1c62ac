// The state of a page of uses, and the user's edits of each clustering: names, and moved sentences. The
// browser stores the edits, if it allows that.
"use strict";

wsd.usesState = (data, start) => {
  const LEFT_OUT = -1;
  const state = { layer: start, method: data.layers[start].partitions[0].method, wanted: "chosen", colour: "cluster", only: "", pin: -1 };

  const partitions = () => data.ofMethod(state.layer, state.method);
  function partition() {
    const all = partitions();
    return all.find(({ k, chosen }) => (state.wanted === "chosen" ? chosen : k === state.wanted))
      ?? all.find(({ chosen }) => chosen);
  }

  // ---- Edits, by clustering ----

  // The digest of its labels identifies a clustering: with another seed, the same number of clusters of
  // the same layer choice has other sentences.
  const STORE = `wsd uses ${data.key}`;
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch { /* the browser stores nothing, or something else under that name */ }

  const place = () => `${data.layers[state.layer].name} ${state.method} ${partition().k}`;
  const name = () => `${place()} ${partition().digest}`;
  const edits = () => stored[name()] ?? { names: {}, moved: {}, labels: partition().packed };
  function store() {
    try {
      localStorage.setItem(STORE, JSON.stringify(stored));
    } catch { /* full, or not allowed: the edits are lost when the page is closed */ }
  }
  function change(act) {
    const changed = structuredClone(edits());
    act(changed);
    stored[name()] = changed;
    store();
  }
  function forget() {
    delete stored[name()];
    store();
  }

  // ---- Clusters with the edits ----

  function labels() {
    const edited = Int16Array.from(partition().labels);
    for (const [row, cluster] of Object.entries(edits().moved)) edited[row] = cluster;
    return edited;
  }
  // The number of clusters, including new ones that sentences were moved into.
  const clusters = () => Math.max(partition().k, ...Object.values(edits().moved).map((c) => c + 1));
  const tidy = (text) => text.normalize("NFC").split(/\s+/u).filter(Boolean).join(" ");
  const called = (cluster) => edits().names[cluster] ?? "";
  const title = (cluster) => tidy(called(cluster)) || `cluster ${cluster + 1}`;

  // ---- Edits of earlier clusterings of this layer choice, method and number ----

  const others = () => Object.keys(stored)
    .filter((key) => key !== name() && (key === place() || key.startsWith(`${place()} `)));
  // The latest with names; undefined if this clustering has edits of its own.
  function latest() {
    return stored[name()] ? undefined : others().map((key) => stored[key]).findLast(({ names }) => Object.values(names).some(tidy));
  }
  // Edits that an earlier version of this page stored have no labels.
  function earlier() {
    const saved = latest();
    return saved && { names: [...new Set(Object.values(saved.names).map(tidy))].filter(Boolean), known: Boolean(saved.labels) };
  }
  // A cluster gets the name that most of its sentences had. A moved sentence stays in its sense, in a new
  // cluster if no cluster has that name; it is left out if its cluster had no name.
  function adopt() {
    const old = latest(), { labels: now, k } = partition();
    const before = old.labels ? wsd.decode(old.labels, Uint16Array) : now;
    const nameOf = (cluster) => tidy(old.names[cluster] ?? "");
    const votes = Array.from({ length: k }, () => new Map());
    now.forEach((cluster, row) => {
      const was = nameOf(before[row]);
      votes[cluster].set(was, (votes[cluster].get(was) ?? 0) + 1);
    });
    const names = votes.map((counts) => [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ["", 0])[0]);
    change((changed) => {
      for (const [row, cluster] of Object.entries(old.moved)) {
        const sense = nameOf(cluster);
        if (!sense) changed.moved[row] = LEFT_OUT;
        else if (sense !== names[now[row]]) {
          changed.moved[row] = names.includes(sense) ? names.indexOf(sense) : names.push(sense) - 1;
        }
      }
      changed.names = { ...names };
    });
  }
  function discard() {
    for (const key of others()) delete stored[key];
    store();
  }

  return Object.assign(state, {
    LEFT_OUT, partitions, partition, labels, clusters, called, title, tidy, forget, earlier, adopt, discard,
    passes: (row) => data.extra.passes(state.only, row),
    isChanged: () => Boolean(stored[name()]),
    move: (row, cluster) => change((changed) => {
      if (partition().labels[row] === cluster) delete changed.moved[row];
      else changed.moved[row] = cluster;
    }),
    rename: (cluster, text) => change((changed) => { changed.names[cluster] = text; }),
  });
};
