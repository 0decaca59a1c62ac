// The card of the pinned instance: predictions in every layer choice, neighbours in the full space.
"use strict";

wsd.wordCard = (data, state, text, { pin, choose }) => {
  const { byId, button, heading, make, markCurrent } = wsd;

  function neighbourList(row) {
    const list = make("ol", undefined, "sentences");
    for (const { row: other, similarity } of data.neighbours(row, state.choice)) {
      const entry = make("li"), line = make("span", undefined, "meta");
      const same = data.gold[other] === data.gold[row], verdict = same ? " ✓ same sense" : " ✗ different sense";
      line.append(button(data.id(other), () => pin(other), `Pin ${data.id(other)}`), " ",
        make("bdi", data.names[data.gold[other]], data.isNew(row) ? {} : { color: same ? "var(--ok)" : "var(--wrong)" }),
        `${data.isNew(row) ? "" : verdict} · cosine ${similarity.toFixed(2)}`);
      entry.append(text.sentence(other), line);
      list.append(entry);
    }
    return list;
  }

  const markOf = (sense) => document.querySelector(`[data-sense="${sense}"] ~ svg`).cloneNode(true);

  // Per classifier, the single layers at which the predicted sense of a new sentence changes.
  function changes(row) {
    const list = make("ul");
    data.classifiers.forEach(({ name }, classifier) => {
      const runs = [];
      for (const choice of data.singleLayers) {
        const sense = data.predicted(row, classifier, choice), layer = data.choices[choice].name;
        if (runs.at(-1)?.sense === sense) runs.at(-1).last = layer;
        else runs.push({ sense, first: layer, last: layer });
      }
      const texts = runs.map(({ sense, first, last }) =>
        `${first === last ? first : `${first}–${last}`} ${data.names[sense]}`);
      list.append(make("li", `${name}, by layer: ${texts.join(", ")}`));
    });
    return list;
  }

  // A row for each classifier, a column for each layer choice.
  function outcomes(row) {
    const table = make("table", undefined, "figures fates");
    const head = make("thead"), top = make("tr"), body = make("tbody");
    top.append(make("td"), ...data.choices.map(({ name }, i) => {
      const cell = heading("col", button(name, () => choose(i), `Show layer choice ${name}`));
      markCurrent(cell, i === state.choice);
      return cell;
    }));
    head.append(top);
    data.classifiers.forEach(({ name }, classifier) => {
      const line = make("tr");
      line.append(heading("row", name), ...data.choices.map((choice, i) => {
        const wrong = data.isWrong(row, classifier, i), sense = data.predicted(row, classifier, i);
        const cell = data.isNew(row) ? make("td") : make("td", wrong ? "✗" : "✓", wrong ? "wrong" : "ok");
        if (data.isNew(row)) cell.append(markOf(sense));
        cell.title = `${name}, ${choice.name}: ${data.names[sense]}`;
        cell.setAttribute("aria-label", data.isNew(row) ? data.names[sense] : wrong ? "wrong" : "correct");
        return cell;
      }));
      body.append(line);
    });
    table.append(head, body);
    const box = make("div", undefined, "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `${data.isNew(row) ? "Predicted sense" : "Correct or wrong"} in every layer choice`);
    box.append(table);
    return box;
  }

  function show() {
    const row = state.pin, body = byId("card-body");
    byId("card").hidden = row < 0;
    if (row < 0) return;
    body.replaceChildren(text.sentence(row, true), text.verdict(row), text.glosses(row), text.numbers(row));
    if (data.isTrain(row)) {
      body.append(make("p", "A training instance: the classifiers were fitted on it."));
    } else {
      body.append(make("h3", "In every layer choice"), outcomes(row), ...(data.isNew(row) ? [changes(row)] : []),
        make("p", "Each layer choice is an independent probe; the columns are not steps of one computation.", "note"));
    }
    body.append(...data.extra.table(row));
    for (const extension of data.extensions) body.append(...extension.card(row));
    body.append(make("h3", `Nearest in the full space, ${byId("layers").selectedOptions[0].textContent}`),
      neighbourList(row));
    const current = body.querySelector(".fates [aria-current]"), strip = body.querySelector(".fates")?.parentElement;
    if (current) strip.scrollLeft = current.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2;
  }

  // The plot stays in sight, and the card with it: below the plot on narrow pages, else next to it.
  function focus() {
    byId("card").focus({ preventScroll: true });
    const plot = byId("plot").getBoundingClientRect(), { top } = byId("card").getBoundingClientRect();
    const isSeen = plot.bottom > 0 && plot.top < innerHeight && top < innerHeight - 120 && top > -40;
    if (!isSeen) byId("plot").scrollIntoView({ block: "start" });
  }

  byId("unpin").addEventListener("click", () => pin(-1));
  wsd.onKey(({ key }) => { if (key === "Escape" && state.pin >= 0) pin(-1); });

  return { show, focus };
};
