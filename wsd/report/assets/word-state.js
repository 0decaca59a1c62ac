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
