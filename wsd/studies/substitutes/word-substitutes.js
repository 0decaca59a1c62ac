// The pinned instance's substitutes: the words that the model predicts in the focal word's place.
"use strict";

wsd.wordExtensions.substitutes = (packed) => {
  const { decode, make } = wsd;
  const INPUTS = { masked: "Masked", plain: "Left in" };
  const byInput = {};
  for (const input of Object.keys(INPUTS)) {
    const { most, pieces, probabilities } = packed[input];
    byInput[input] = { most, pieces: decode(pieces, Uint32Array), probabilities: decode(probabilities, Uint8Array) };
  }

  function substitutes(row, input) {
    const { most, pieces, probabilities } = byInput[input];
    return Array.from({ length: most }, (_, i) => row * most + i)
      .map((i) => ({ piece: packed.names[pieces[i]], probability: probabilities[i] / 250 }));
  }

  // Two lines: with the word masked, and with it left in.
  function card(row) {
    const box = make("div");
    for (const [input, name] of Object.entries(INPUTS)) {
      const line = make("p", `${name}: `, "substitutes");
      substitutes(row, input).forEach(({ piece, probability }, i) => {
        const percent = probability < 0.005 ? "<1" : Math.round(probability * 100);
        line.append(i ? ", " : "", make("bdi", piece), ` ${percent}%`);
      });
      box.append(line);
    }
    return [make("h3", "What the model predicts in its place"), box];
  }

  return { substitutes, card };
};
