// A word's data, unpacked: its instances, and what each layer choice and classifier says of them.
// Rows are instances, in the order in which they are drawn. Nothing here depends on what is chosen.
"use strict";

wsd.wordData = (packed) => {
  // Senses are labels, as in the tables; of each what people read in its place, and what it means.
  const { word, senses, names, glosses, choices, readers: classifiers, text } = packed;
  const { decode } = wsd;

  function once(make) {
    const made = new Map();
    return (key) => {
      if (!made.has(key)) made.set(key, make(key));
      return made.get(key);
    };
  }

  // ---- Instances ----

  const numbers = decode(packed.index, Int32Array), gold = decode(packed.gold, Uint16Array);
  const n = numbers.length, train = decode(packed.train, Uint8Array);
  const rows = Array.from({ length: n }, (_, row) => row);
  const isTrain = (row) => train[row] === 1;
  const split = (row) => (isTrain(row) ? "train" : "test");
  const id = (row) => `${split(row)} ${numbers[row]}`;
  const rowOf = new Map(rows.map((row) => [`${split(row)}-${numbers[row]}`, row]));
  // Test instances first, each in the order of their files.
  const inOrder = [...rows].sort((a, b) => train[a] - train[b] || numbers[a] - numbers[b]);
  const tests = rows.filter((row) => !isTrain(row));
  const testAt = new Int32Array(n).fill(-1);
  tests.forEach((row, i) => { testAt[row] = i; });

  // ---- Sentences ----

  const hasText = (row) => text === "all" || (text === "test" && !isTrain(row));
  const sentence = (row) => [packed.left[row], packed.focal[row], packed.right[row]];
  const lowerCase = once(() =>
    rows.map((row) => (hasText(row) ? sentence(row).join(" ").toLowerCase() : "")));

  // ---- Predictions: of a test instance, by a classifier, in a layer choice ----

  const predictions = choices.map((choice) =>
    choice.predicted.map((codes) => decode(codes, Uint16Array)));
  const confidences = choices.map((choice) =>
    choice.confidence.map(({ step, values }) => ({ step, values: decode(values, Uint8Array) })));
  const singleLayers = choices.flatMap((choice, i) => (choice.single ? [i] : []));

  const predicted = (row, classifier, choice) => predictions[choice][classifier][testAt[row]];
  const isWrong = (row, classifier, choice) =>
    !isTrain(row) && predicted(row, classifier, choice) !== gold[row];
  function confidence(row, classifier, choice) {
    const { step, values } = confidences[choice][classifier];
    return values[testAt[row]] * step;
  }
  // From the least to the greatest confidence that there could be.
  const confidenceRange = (classifier, choice) => (classifiers[classifier].confidence === "probability"
    ? [1 / senses.length, 1] : [0, confidences[choice][classifier].step * 255]);
  const layersRight = (row, classifier) =>
    singleLayers.reduce((sum, choice) => sum + !isWrong(row, classifier, choice), 0);
  const alwaysWrong = once((classifier) => new Set(singleLayers.length
    ? tests.filter((row) => singleLayers.every((choice) => isWrong(row, classifier, choice))) : []));

  // ---- Vectors: places in the plane, and neighbours in the full space ----

  function places(choice, method) {
    const { points, step } = choices[choice].pictures[method];
    const whole = decode(points, Int16Array);
    const scaled = (part) => Float64Array.from(part, (value) => value * step);
    return { x: scaled(whole.subarray(0, n)), y: scaled(whole.subarray(n)) };
  }

  const [Row, nowhere] = packed.wide ? [Uint32Array, 2 ** 32 - 1] : [Uint16Array, 65535];
  const nearest = once((choice) => ({
    near: decode(choices[choice].near, Row), similar: decode(choices[choice].similar, Uint8Array),
  }));
  function neighbours(row, choice) {
    const { near, similar } = nearest(choice), start = row * packed.neighbours;
    return Array.from({ length: packed.neighbours }, (_, i) => start + i)
      .filter((i) => near[i] !== nowhere)
      .map((i) => ({ row: near[i], similarity: similar[i] / 127 - 1 }));
  }

  // ---- What the model would say in the word's place: by input, of every instance ----

  const saidBy = once((input) => {
    const { pieces, probabilities } = packed.substitutes[input];
    return { pieces: decode(pieces, Uint32Array), probabilities: decode(probabilities, Uint8Array) };
  });
  function substitutes(row, input) {
    const { most } = packed.substitutes[input], { pieces, probabilities } = saidBy(input);
    return Array.from({ length: most }, (_, i) => row * most + i)
      .filter((i) => pieces[i] !== 2 ** 32 - 1)
      .map((i) => ({ piece: packed.substitutes.names[pieces[i]], chance: probabilities[i] / 250 }));
  }

  return {
    word, senses, names, glosses, choices, classifiers, text, pixels: packed.pixels, hasNeighbours: packed.neighbours > 0,
    n, rows, numbers, gold, tests, inOrder, rowOf, isTrain, split, id,
    hasText, sentence, lowerCase,
    predicted, isWrong, confidence, confidenceRange, singleLayers, layersRight, alwaysWrong,
    places, neighbours, substitutes: packed.substitutes ? substitutes : null,
  };
};
