// Encodes the state of a word's page as the fragment of its address, and decodes it. Values equal to
// the defaults are omitted; invalid values are ignored.
"use strict";

// `offered` has the options of the page's selects, the orders of its table, and whether it can be
// searched.
wsd.wordAddress = (data, defaults, offered) => {
  const layers = data.choices.map(({ name }) => name), classifiers = data.classifiers.map(({ name }) => name);
  const SELECTS = ["colour", "show", "only", "method"], ON = ["rings", "centroids", "keys"];

  function encode(state) {
    const parts = [["layers", layers[state.choice]]];
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
    const box = (wanted.get("box") ?? "").split(",").map(Number);
    const cell = (wanted.get("cell") ?? "").split(",").map(Number);
    const isBox = box.length === 4 && box.every(Number.isFinite) && box[0] < box[1] && box[2] < box[3];
    return {
      choice: indexIn(layers, "layers", defaults.choice),
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
