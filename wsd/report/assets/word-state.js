// What is chosen on a word's page, and what of the instances follows from it: `state.predicted(row)`
// is the prediction of the chosen classifier in the chosen layer choice.
"use strict";

wsd.wordState = (data, defaults) => {
  const { gold, rows, split } = data;
  const state = {
    ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set(), pageOfTable: 0,
    visible: [], // of each row, whether it passes the filters

    get layers() { return data.choices[state.choice]; },
    get classifierName() { return data.classifiers[state.classifier].name; },
    predicted: (row) => data.predicted(row, state.classifier, state.choice),
    isWrong: (row) => data.isWrong(row, state.classifier, state.choice),
    confidence: (row) => data.confidence(row, state.classifier, state.choice),
    confidenceRange: () => data.confidenceRange(state.classifier, state.choice),
    filter,
  };

  const shows = {
    all: () => true,
    errors: state.isWrong,
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
