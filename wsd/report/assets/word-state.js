// What is chosen on a word's page, and what of the instances follows from it: `state.predicted(row)`
// is the prediction of the chosen classifier in the chosen layer choice. `state.at(choice)` is the same
// in another layer choice, of a picture beside the first.
"use strict";

wsd.wordState = (data, defaults) => {
  const { gold, rows, split } = data;
  const state = {
    ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set(), pageOfTable: 0,
    visible: [], // of each row, whether it passes the filters
    hovered: -1,

    get layers() { return data.choices[this.choice]; },
    get classifierName() { return data.classifiers[this.classifier].name; },
    predicted(row) { return data.predicted(row, this.classifier, this.choice); },
    isWrong(row) { return data.isWrong(row, this.classifier, this.choice); },
    confidence(row) { return data.confidence(row, this.classifier, this.choice); },
    // Of the first picture in all: there is one key to the shades.
    confidenceRange: () => data.confidenceRange(state.classifier, state.choice),
    wrongShown() { return data.tests.filter((row) => this.visible[row] && this.isWrong(row)); },
    filter,
    at: (choice) => Object.assign(Object.create(state), { choice, box: null }),
  };

  const shows = {
    all: () => true,
    errors: (row) => state.isWrong(row),
    always: (row) => data.alwaysWrong(state.classifier).has(row),
  };

  // Work out `visible`; whether it has changed: of a new array Bokeh works out every index again.
  function filter() {
    const query = state.query.trim().toLowerCase(), texts = query ? data.lowerCase() : null;
    const wanted = shows[state.show];
    const now = rows.map((row) => !state.hiddenSenses.has(gold[row])
      && !state.hiddenSplits.has(split(row)) && wanted(row)
      && (!query || texts[row].includes(query)));
    const { visible } = state;
    if (now.length === visible.length && now.every((is, row) => is === visible[row])) return false;
    state.visible = now;
    return true;
  }

  return state;
};
