// The download of a page of uses: the sentences of named clusters, as JSON lines that `wsd import`
// reads.
"use strict";

wsd.usesResult = (data, state) => {
  const { byId, count } = wsd;

  // The formats of `wsd import`: a token's index, "first:end" if there are several tokens, or the
  // characters of running text.
  function place(row) {
    const first = data.start[row], last = data.end[row];
    if (!data.touching[row].size) return { position: last === first + 1 ? first : `${first}:${last}` };
    const [left, focal] = data.parts(row), start = [...left].length;
    return { start, end: start + [...focal].length };
  }

  // Clusters with the same name are one sense; clusters without a name are left out.
  function lines() {
    const labels = state.labels();
    return data.rows.flatMap((row) => {
      const sense = labels[row] < 0 ? "" : state.tidy(state.called(labels[row]));
      const line = { word: data.word, sense, ...place(row), sentence: data.parts(row).join("") };
      // No extra column replaces a column that `wsd import` reads.
      return sense ? [{ ...line, ...data.extra.cells(row), ...line }] : [];
    });
  }

  function show() {
    const counts = new Map(), all = lines();
    for (const { sense } of all) counts.set(sense, (counts.get(sense) ?? 0) + 1);
    const senses = [...counts].map(([sense, n]) => `${sense} ${count(n)}`).join(", ");
    const few = [...counts].filter(([, n]) => n < 2).map(([sense]) => sense);
    const text = [counts.size < 2 ? "Name at least two clusters." : `${counts.size} senses: ${senses}.`];
    const left = data.n - all.length;
    if (all.length && left) text.push(`${count(left)} of ${data.sentences(data.n)} ${left === 1 ? "is" : "are"} in no named cluster and left out.`);
    if (counts.size > 1 && few.length) text.push(`Senses with a single sentence cannot be used for both training and test: ${few.join(", ")}.`);
    byId("result").textContent = text.join(" ");
    byId("download").disabled = counts.size < 2;
    byId("forget").disabled = !state.isChanged();
  }

  byId("download").addEventListener("click", () => {
    const text = lines().map((line) => `${JSON.stringify(line)}\n`).join("");
    wsd.download(new Blob([text], { type: "application/jsonl" }), `${data.word}-senses.jsonl`);
  });

  return { show };
};
