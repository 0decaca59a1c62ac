// The state of a word's page, and its consequences for instances: `state.predicted(row)` is the
// prediction of the current classifier in the current layer choice. `state.at(choice)` is the same
// state in another layer choice, for the film strip.
"use strict";

wsd.wordState = (data, defaults) => {
  const { gold, rows, split } = data;
  const state = {
    ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set(), pageOfTable: 0,
    visible: [], // per row, whether it passes the filters and the legend does not hide it

    get layers() { return data.choices[this.choice]; },
    get classifierName() { return data.classifiers[this.classifier].name; },
    predicted(row) { return data.predicted(row, this.classifier, this.choice); },
    isHidden: (row) => state.hiddenSenses.has(gold[row]) || state.hiddenSplits.has(split(row)),
    isWrong(row) { return data.isWrong(row, this.classifier, this.choice); },
    confidence(row) { return data.confidence(row, this.classifier, this.choice); },
    // Always of the plot: the film strip shares its key to the shades.
    confidenceRange: () => data.confidenceRange(state.classifier, state.choice),
    wrongShown() { return data.tests.filter((row) => this.visible[row] && this.isWrong(row)); },
    filter,
    at: (choice) => Object.assign(Object.create(state), { choice }),
  };

  const shows = {
    all: () => true,
    errors: (row) => state.isWrong(row),
    always: (row) => data.alwaysWrong(state.classifier).has(row),
  };

  // Whether an instance is in the selected cell of the confusion matrix.
  const inCell = (row) => !data.isTrain(row) && gold[row] === state.cell[0] && state.predicted(row) === state.cell[1];

  // Update `visible`, and return whether it has changed.
  function filter() {
    const query = state.query.trim().toLowerCase(), texts = query ? data.lowerCase() : null;
    const wanted = shows[state.show];
    const passes = rows.map((row) => !state.isHidden(row) && wanted(row)
      && data.extra.passes(state.only, row) && (!state.cell || inCell(row)) && (!query || texts[row].includes(query)));
    const { visible } = state;
    if (passes.length === visible.length && passes.every((shown, row) => shown === visible[row])) return false;
    state.visible = passes;
    return true;
  }

  return state;
};

// Encodes the state of a word's page as the fragment of its address, and decodes it. Values equal to
// the defaults are omitted; invalid values are ignored.
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
