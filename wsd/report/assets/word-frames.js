// The places of test instances in the frames of the film strip, from -1 to 1. The frames of a projection
// share their axes, so that senses are seen to move apart from layer to layer.
"use strict";

// Returns a function of the projection's name: per layer choice { x, y }, in the order of `data.tests`.
wsd.wordFrames = (data) => {
  // A few instances far away may lie on the edge.
  function reach(values) {
    const sorted = Float64Array.from(values, Math.abs).sort();
    return sorted[Math.floor((sorted.length - 1) * 0.99)];
  }

  // LDA is in standard deviations within senses. PCA gets the standard deviation of all training
  // vectors as its unit; PC 1 explains a known share of their variance. t-SNE has no unit, so that
  // each of its frames has its own axes.
  function unit(method, { explained }, { x, y }) {
    if (method === "discriminant") return 1;
    if (method === "tsne") return Math.max(reach(x), reach(y));
    const train = x.filter((_, row) => data.isTrain(row));
    const mean = train.reduce((sum, value) => sum + value, 0) / train.length;
    const variance = train.reduce((sum, value) => sum + (value - mean) ** 2, 0) / train.length;
    return Math.sqrt(variance / explained[0]);
  }

  return wsd.cached((method) => {
    const scaled = data.choices.map(({ projections }, choice) => {
      const places = data.places(choice, method), length = unit(method, projections[method], places) || 1;
      const scale = (values) => data.tests.map((row) => values[row] / length);
      return { x: scale(places.x), y: scale(places.y) };
    });
    const ends = ["x", "y"].map((axis) => reach(scaled.flatMap((plane) => plane[axis])) || 1);
    // With two senses, the axes of LDA differ in kind, and have a scale each.
    const isSquare = method !== "discriminant" || !!data.choices[0].projections[method].explained;
    const [across, up] = isSquare ? [Math.max(...ends), Math.max(...ends)] : ends;
    const fit = (values, end) => values.map((value) => Math.max(-1, Math.min(1, value / end)));
    return scaled.map(({ x, y }) => ({ x: fit(x, across), y: fit(y, up) }));
  });
};
