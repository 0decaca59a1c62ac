// The clusters of a page of uses: name, size, distinguishing words, typical sentences and, on demand, all
// sentences; every sentence can be moved. And the card of the pinned sentence.
"use strict";

wsd.usesClusters = (data, state, { pin, changed, renamed }) => {
  const { byId, button, count, make } = wsd;
  const TYPICAL = 5, PER_PAGE = 50;
  const words = data.rows.map((row) => wsd.wordsOf(data.tokens[row], data.start[row], data.end[row]));
  const open = new Map(); // cluster -> sentences listed

  function mark(cluster) {
    const [colour, path] = data.styles[cluster % data.styles.length];
    const look = { class: `mark s${state.colour === "cluster" ? colour : "n"}`, viewBox: "0 0 20 20" };
    return wsd.svg("svg", { ...look, "aria-hidden": "true" }, wsd.svg("path", { d: path }));
  }

  // ---- A sentence ----

  function mover(row, cluster) {
    const select = make("select"), last = state.clusters();
    const option = (value, text) => new Option(text, value, false, value === cluster);
    select.setAttribute("aria-label", "Cluster of this sentence");
    select.dataset.row = row;
    select.append(...Array.from({ length: last }, (_, i) => option(i, state.title(i))));
    if (last < data.styles.length) select.append(option(last, "a new cluster"));
    select.append(option(state.LEFT_OUT, "left out"));
    select.addEventListener("change", () => {
      state.move(row, Number(select.value));
      changed();
    });
    return select;
  }

  function entry(row, cluster, note) {
    const line = make("li"), meta = make("span", undefined, "meta");
    const sense = data.gold ? ` · gold: ${data.senses[data.gold[row]]}` : "", value = data.extra.note(state.colour, row);
    meta.append(mover(row, cluster), " ", button("neighbours", () => pin(row), `Neighbours of sentence ${row + 1}`), note ?? "", sense, value);
    line.append(wsd.usesText(data, row), meta);
    return line;
  }

  function sentences(rows, cluster) {
    const list = make("ol", undefined, "sentences");
    list.append(...rows.map((row) => entry(row, cluster)));
    return list;
  }

  // ---- A cluster ----

  function everySentence(rows, cluster) {
    const all = make("details"), shown = Math.min(rows.length, open.get(cluster) ?? 0);
    all.open = shown > 0;
    all.append(make("summary", `All ${data.sentences(rows.length)}`));
    function fill() {
      const listed = rows.slice(0, open.get(cluster));
      all.replaceChildren(all.firstChild, sentences(listed, cluster));
      if (listed.length < rows.length) {
        all.append(button("More", () => {
          open.set(cluster, open.get(cluster) + PER_PAGE);
          fill();
        }, `More sentences of ${state.title(cluster)}`));
        all.lastChild.className = "wide";
      }
    }
    if (all.open) fill();
    all.addEventListener("toggle", () => {
      if (all.open && !open.has(cluster)) {
        open.set(cluster, PER_PAGE);
        fill();
      } else if (!all.open) open.delete(cluster);
    });
    return all;
  }

  // How often the sentences of a cluster have each of some values.
  function tally(title, counts) {
    const line = make("p", `${title}: `, "forms");
    counts.forEach(([value, n], i) => {
      line.append(...(i ? [" · "] : []), make("bdi", value), ` (${count(n)})`);
    });
    return line;
  }

  // The forms of the focal word in a cluster, the most frequent first. The distinguishing words omit the
  // focal word, and a cluster can be all singular or all plural.
  function formsOf(rows) {
    const MOST = 6, counts = new Map();
    for (const row of rows) counts.set(data.forms[row], (counts.get(data.forms[row]) ?? 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const line = tally("Forms", sorted.slice(0, MOST));
    if (sorted.length > MOST) line.append(` · and ${count(sorted.length - MOST)} more`);
    return line;
  }

  function box(cluster, rows, distinguishing) {
    const section = make("section", undefined, "cluster"), name = make("input"), head = make("div", undefined, "head");
    name.type = "text";
    name.maxLength = 100;
    name.value = state.called(cluster);
    name.placeholder = `name of cluster ${cluster + 1}`;
    name.setAttribute("aria-label", `Name of cluster ${cluster + 1}`);
    name.dataset.cluster = cluster;
    name.dir = "auto";
    name.addEventListener("input", () => { state.rename(cluster, name.value); renamed(); });
    // The lists of clusters get the new name when the input is complete.
    name.addEventListener("change", () => {
      for (const option of document.querySelectorAll(`.cluster option[value="${cluster}"], #card option[value="${cluster}"]`)) {
        option.textContent = state.title(cluster);
      }
    });
    head.append(mark(cluster), name, make("span", count(rows.length), "counts"));
    const list = make("p", undefined, "apart");
    distinguishing.forEach(([word, z], i) => {
      const element = make("bdi", word);
      element.title = `z = ${z.toFixed(2)}`;
      list.append(...(i ? [", "] : []), element);
    });
    if (!distinguishing.length) list.append(make("span", "no distinguishing word", "quiet"));
    const nearest = (state.partition().typical[cluster] ?? []).filter((row) => rows.includes(row)).slice(0, TYPICAL);
    const column = data.extra.coloured(state.colour);
    const tallies = [
      ...(data.severalForms && rows.length ? [formsOf(rows)] : []),
      ...(column ? [tally(column.name, data.extra.counts(column, rows))] : []),
    ];
    section.append(head, list, ...tallies, sentences(nearest.length ? nearest : rows.slice(0, TYPICAL), cluster), everySentence(rows, cluster));
    return section;
  }

  function show() {
    const labels = state.labels(), k = state.clusters();
    const distinguishing = wsd.distinguishingWords(words, labels, k);
    const rows = Array.from({ length: k + 1 }, () => []);
    labels.forEach((cluster, row) => { if (state.passes(row)) rows[cluster < 0 ? k : cluster].push(row); });
    const boxes = Array.from({ length: k }, (_, cluster) => cluster)
      .filter((cluster) => rows[cluster].length || cluster < state.partition().k)
      .map((cluster) => box(cluster, rows[cluster], distinguishing[cluster]));
    if (rows[k].length) {
      const section = make("section", undefined, "cluster"), head = make("div", undefined, "head");
      head.append(make("h3", "Left out"), make("span", count(rows[k].length), "counts"));
      section.append(head, sentences(rows[k], state.LEFT_OUT));
      boxes.push(section);
    }
    byId("clusters").replaceChildren(...boxes);
  }

  // ---- The pinned sentence ----

  function card() {
    const row = state.pin, labels = state.labels();
    byId("card").hidden = row < 0;
    if (row < 0) return;
    const own = make("ol", undefined, "sentences"), near = make("ol", undefined, "sentences");
    own.append(entry(row, labels[row]));
    near.append(...data.neighbours(row, state.layer).map(({ row: other, cosine }) =>
      entry(other, labels[other], ` · cosine ${cosine.toFixed(2)}`)));
    byId("card-body").replaceChildren(own, ...data.extra.table(row), make("h3", `Nearest in ${byId("layers").selectedOptions[0].textContent}`), near);
  }

  return { show, card, closeAll: () => open.clear() };
};
