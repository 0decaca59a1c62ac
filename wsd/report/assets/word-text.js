// An instance as text for the tooltip, the card and the table: sentence, verdict, glosses, numbers.
"use strict";

wsd.wordText = (data, state) => {
  const { make } = wsd;
  const QUIET = { color: "var(--ink-2)", fontSize: "12px", marginTop: "4px" };

  const MARK = { background: "var(--hit)", color: "inherit", borderRadius: "2px" };

  // The number of characters of a long sentence on either side of the word.
  const AROUND = 160;
  const ending = (left) => left.length <= AROUND ? left
    : `… ${[...left].slice(-AROUND).join("").replace(/^\S*\s+(?=\S)/, "")}`;
  const beginning = (right) => right.length <= AROUND ? right
    : `${[...right].slice(0, AROUND).join("").replace(/(?<=\S)\s+\S*$/, "")} …`;

  // Text with the hits of the search marked.
  function marked(content) {
    const query = state.query.trim().toLowerCase(), lower = content.toLowerCase(), parts = [];
    // A few letters change their length in lower case: then the places of hits are unknown.
    if (!query || lower.length !== content.length) return [content];
    let end = 0;
    for (let start; (start = lower.indexOf(query, end)) >= 0; end = start + query.length) {
      parts.push(content.slice(end, start), make("mark", content.slice(start, start + query.length), MARK));
    }
    return [...parts, content.slice(end)];
  }

  function sentence(row, whole = false) {
    const box = make("div");
    if (!data.hasText(row)) {
      box.append(`(${data.id(row)}: this report omits sentences)`);
      return box;
    }
    const [left, focal, right] = data.sentence(row);
    box.dir = "auto";
    const word = make("b", undefined, { color: "var(--accent)" });
    word.append(...marked(focal));
    box.append(...marked(whole ? left : ending(left)), word, ...marked(whole ? right : beginning(right)));
    return box;
  }

  function verdict(row) {
    const line = make("div", undefined, { marginTop: "6px" });
    const isNew = data.isNew(row);
    line.append(make("bdi", isNew ? "New sentence" : data.names[data.gold[row]], { fontWeight: "600" }));
    if (data.isTrain(row)) return line;
    const wrong = state.isWrong(row);
    const prediction = make("span", undefined, { color: isNew ? "inherit" : wrong ? "var(--wrong)" : "var(--ok)" });
    prediction.append(" → ", make("bdi", data.names[state.predicted(row)]), isNew ? "" : wrong ? " ✗ wrong" : " ✓ correct");
    line.append(prediction);
    return line;
  }

  // The glosses of the gold sense, and of the predicted sense if it differs; some corpora have none.
  function glosses(row) {
    const box = make("div", undefined, QUIET);
    const senses = new Set([
      ...(data.isNew(row) ? [] : [data.gold[row]]), ...(data.isTrain(row) ? [] : [state.predicted(row)]),
    ]);
    for (const sense of senses) {
      if (!data.glosses[sense]) continue;
      const line = make("div");
      line.append(make("bdi", data.names[sense]), ": ", make("bdi", data.glosses[sense]));
      box.append(line);
    }
    box.hidden = !box.childElementCount;
    return box;
  }

  function numbers(row, more = "") {
    const own = data.isTrain(row) ? ""
      : ` · ${state.classifierName}, confidence ${state.confidence(row).toFixed(2)}`;
    return make("div", data.id(row) + own + data.extra.note(state.colour, row) + more, QUIET);
  }

  return { sentence, verdict, glosses, numbers };
};
