// The colours of points, and their key. A tone is a sense's number or the name of a colour of the
// style sheet.
"use strict";

wsd.wordColours = (data, state) => {
  const SHADES = 8;
  const CONFIDENCE = {
    probability: "probability of the predicted sense", lead: "lead over the next sense's score",
  };
  const golds = Array.from(data.gold, String);

  // The tone of an instance in the layer choice of `shown`: this state, or the state of a frame of the film strip.
  function toneOf(shown) {
    // A new sentence has the colour of its predicted sense.
    const sense = (row) => String(shown.predicted(row));
    if (state.colour === "gold") return (row) => (data.isNew(row) ? sense(row) : golds[row]);
    const column = data.extra.coloured(state.colour);
    if (column) return (row) => `value-${column.codes[row]}`;
    const [low, high] = state.confidenceRange();
    const shade = (row) => Math.max(0, Math.min(SHADES - 1,
      Math.floor((shown.confidence(row) - low) / (high - low || 1) * SHADES)));
    const tone = {
      predicted: sense,
      error: (row) => (data.isNew(row) ? sense(row) : shown.isWrong(row) ? "wrong" : "right"),
      confidence: (row) => `ramp-${shade(row)}`,
      split: () => "test",
    }[state.colour];
    return (row) => (data.isTrain(row) ? "train" : tone(row));
  }

  // Per entry, its tones in order, and its text.
  function entries() {
    const [low, high] = state.confidenceRange(), kind = data.classifiers[state.classifier].confidence;
    const ramp = Array.from({ length: SHADES }, (_, i) => `ramp-${i}`);
    return {
      error: [[["tone-right"], "correct"], [["tone-wrong"], "wrong"], [["tone-train"], "training"]],
      split: [[["tone-train"], "training"], [["tone-test"], "test"]],
      predicted: [[["tone-train"], "training, no prediction"]],
      confidence: [
        [ramp, `${low.toFixed(2)} to ${high.toFixed(2)}, ${CONFIDENCE[kind]}`],
        [["tone-train"], "training, no prediction"],
      ],
    }[state.colour] ?? data.extra.entries(state.colour);
  }

  return { golds, toneOf, entries, showKey: () => wsd.showKey(entries()) };
};
