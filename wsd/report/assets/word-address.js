// Encodes the state of a word's page as the fragment of its address, and decodes it. Values equal to
// the defaults are omitted; invalid values are ignored.
"use strict";

// `offered` has the options of the page's selects, the orders of its table, whether it can be searched,
// and the largest number of plots side by side.
wsd.wordAddress = (data, defaults, offered) => {
  const layers = data.choices.map(({ name }) => name), classifiers = data.classifiers.map(({ name }) => name);
  const SELECTS = ["colour", "show", "only", "method"], ON = ["rings", "centroids", "keys"];

  function encode(state) {
    const shown = [state.choice, ...state.others].map((choice) => layers[choice]);
    // "beside" is the key of side-by-side plots, so that links of earlier versions keep working.
    const parts = [[state.others.length ? "beside" : "layers", shown.join(",")]];
    if (state.classifier !== defaults.classifier) parts.push(["classifier", classifiers[state.classifier]]);
    for (const key of SELECTS) if (state[key] !== defaults[key]) parts.push([key, state[key]]);
    if (state.cell) parts.push(["cell", state.cell.join(",")]);
    if (state.sort !== defaults.sort) parts.push(["sort", state.sort]);
    if (state.query) parts.push(["search", state.query]);
    const senses = [...state.hiddenSenses].sort((a, b) => a - b), splits = [...state.hiddenSplits].sort();
    const off = ON.filter((key) => !state[key]);
    for (const [key, values] of [["without", senses], ["hide", splits], ["off", off]]) {
      if (values.length) parts.push([key, values.join(",")]);
    }
    if (state.pin >= 0) parts.push(["pin", data.id(state.pin).replace(" ", "-")]);
    if (state.box) parts.push(["box", state.box.map((value) => Number(value.toPrecision(5))).join(",")]);
    return wsd.fragment.encode(parts);
  }

  function decode(text) {
    const wanted = wsd.fragment.decode(text);
    const indexIn = (values, key, otherwise) => {
      const i = values.indexOf(wanted.get(key));
      return i >= 0 ? i : otherwise;
    };
    const listed = (key, allowed) =>
      new Set((wanted.get(key) ?? "").split(",").filter((value) => allowed.includes(value)));
    const off = listed("off", ON);
    // Side by side: the first layer choice is the page's own.
    const sideBySide = (wanted.get("beside") ?? "").split(",").map((name) => layers.indexOf(name))
      .filter((choice) => choice >= 0).slice(0, offered.plots);
    const box = (wanted.get("box") ?? "").split(",").map(Number);
    const cell = (wanted.get("cell") ?? "").split(",").map(Number);
    const isBox = box.length === 4 && box.every(Number.isFinite) && box[0] < box[1] && box[2] < box[3];
    return {
      choice: sideBySide.length > 1 ? sideBySide[0] : indexIn(layers, "layers", defaults.choice),
      others: sideBySide.slice(1),
      classifier: indexIn(classifiers, "classifier", defaults.classifier),
      ...Object.fromEntries(SELECTS.map((key) =>
        [key, (offered[key] ?? []).includes(wanted.get(key)) ? wanted.get(key) : defaults[key]])),
      cell: cell.length === 2 && cell.every((sense) => sense in data.senses) ? cell : null,
      sort: offered.sort.includes(wanted.get("sort")) ? wanted.get("sort") : defaults.sort,
      query: offered.search ? wanted.get("search") ?? "" : "",
      hiddenSenses: new Set([...listed("without", data.senses.map((_, i) => String(i)))].map(Number)),
      hiddenSplits: listed("hide", ["train", "test", "new"]),
      ...Object.fromEntries(ON.map((key) => [key, !off.has(key)])),
      pin: data.rowOf.get(wanted.get("pin")) ?? defaults.pin,
      box: isBox ? box : null,
    };
  }

  return { encode, decode };
};
