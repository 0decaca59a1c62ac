// What is taken away from a page of uses: the sentences of the clusters that have a name, as JSON
// lines that `wsd import` reads.
"use strict";

wsd.usesResult = (data, state) => {
  const { byId, count } = wsd;

  // As `wsd import` reads it: a token's index, or of several the first and the one after the last.
  const position = (row) =>
    (data.end[row] === data.start[row] + 1 ? data.start[row] : `${data.start[row]}:${data.end[row]}`);

  // Clusters of one name are one sense; those without a name are left out.
  function lines() {
    const labels = state.labels();
    return data.rows.flatMap((row) => {
      const sense = labels[row] < 0 ? "" : state.tidy(state.called(labels[row]));
      return sense ? [{ word: data.word, sense, position: position(row), sentence: data.texts[row] }] : [];
    });
  }

  function show() {
    const found = new Map(), all = lines();
    for (const { sense } of all) found.set(sense, (found.get(sense) ?? 0) + 1);
    const senses = [...found].map(([sense, of]) => `${sense} ${count(of)}`).join(", ");
    const few = [...found].filter(([, of]) => of < 2).map(([sense]) => sense);
    const said = [];
    if (found.size < 2) said.push("Name two clusters at least.");
    else said.push(`${found.size} senses: ${senses}.`);
    const left = data.n - all.length;
    if (all.length && left) said.push(`${count(left)} of ${data.sentences(data.n)} ${left === 1 ? "is" : "are"} in no named cluster and left out.`);
    if (found.size > 1 && few.length) said.push(`With one sentence alone, which cannot be both learned from and tested on: ${few.join(", ")}.`);
    byId("result").textContent = said.join(" ");
    byId("download").disabled = found.size < 2;
    byId("forget").disabled = !state.isChanged();
  }

  byId("download").addEventListener("click", () => {
    const text = lines().map((line) => `${JSON.stringify(line)}\n`).join("");
    wsd.download(new Blob([text], { type: "application/jsonl" }), `${data.word}-senses.jsonl`);
  });

  return { show };
};
