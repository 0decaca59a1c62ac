// A word's data, unpacked: its instances, and the predictions of each layer choice and classifier.
// Rows are instances, in the order in which they are drawn. Nothing here depends on the controls.
"use strict";

// By the name of a study: a function from its values to { card: (row) => [elements] }.
wsd.wordExtensions = {};

wsd.wordData = (packed) => {
  // Senses are the labels of the tables; names and glosses are for people.
  const { word, senses, names, glosses, choices, classifiers, text } = packed;
  const { cached, decode } = wsd;

  // ---- Instances ----

  const numbers = decode(packed.index, Int32Array), gold = decode(packed.gold, Uint16Array);
  const n = numbers.length, train = decode(packed.train, Uint8Array);
  const rows = Array.from({ length: n }, (_, row) => row);
  const isTrain = (row) => train[row] === 1;
  // The last rows are sentences that the user added: they have predictions, but no gold sense.
  const isNew = (row) => row >= n - packed.new;
  const split = (row) => (isNew(row) ? "new" : isTrain(row) ? "train" : "test");
  const id = (row) => `${split(row)} ${numbers[row]}`;
  const rowOf = new Map(rows.map((row) => [`${split(row)}-${numbers[row]}`, row]));
  // New sentences first, then test instances, in the order of their files.
  const inOrder = [...rows].sort((a, b) => isNew(b) - isNew(a) || train[a] - train[b] || numbers[a] - numbers[b]);
  const tests = rows.filter((row) => !isTrain(row)), added = rows.filter(isNew);
  const testAt = new Int32Array(n).fill(-1);
  tests.forEach((row, i) => { testAt[row] = i; });

  // ---- Sentences ----

  const hasText = (row) => text || isNew(row);
  const sentence = (row) => [packed.left[row], packed.focal[row], packed.right[row]];
  const lowerCase = cached(() =>
    rows.map((row) => (hasText(row) ? sentence(row).join("").toLowerCase() : "")));

  // ---- Predictions for a test instance or a new sentence, by classifier and layer choice ----

  const predictions = choices.map((choice) =>
    choice.predicted.map((codes) => decode(codes, Uint16Array)));
  const confidences = choices.map((choice) =>
    choice.confidence.map(({ step, values }) => ({ step, values: decode(values, Uint8Array) })));
  const singleLayers = choices.flatMap((choice, i) => (choice.single ? [i] : []));

  const predicted = (row, classifier, choice) => predictions[choice][classifier][testAt[row]];
  const isWrong = (row, classifier, choice) =>
    !isTrain(row) && !isNew(row) && predicted(row, classifier, choice) !== gold[row];
  function confidence(row, classifier, choice) {
    const { step, values } = confidences[choice][classifier];
    return values[testAt[row]] * step;
  }
  // The smallest and largest possible confidence.
  const confidenceRange = (classifier, choice) => (classifiers[classifier].confidence === "probability"
    ? [1 / senses.length, 1] : [0, confidences[choice][classifier].step * 255]);
  const layersCorrect = (row, classifier) =>
    singleLayers.reduce((sum, choice) => sum + !isWrong(row, classifier, choice), 0);
  const alwaysWrong = cached((classifier) => new Set(singleLayers.length
    ? tests.filter((row) => singleLayers.every((choice) => isWrong(row, classifier, choice))) : []));

  // ---- Projected vectors, and neighbours in the full space ----

  function places(choice, method) {
    const { points, step } = choices[choice].projections[method];
    const whole = decode(points, Int16Array);
    const scaled = (part) => Float64Array.from(part, (value) => value * step);
    return { x: scaled(whole.subarray(0, n)), y: scaled(whole.subarray(n)) };
  }

  const [Row, nowhere] = packed.wide ? [Uint32Array, 2 ** 32 - 1] : [Uint16Array, 65535];
  const nearest = cached((choice) => ({
    near: decode(choices[choice].near, Row), similar: decode(choices[choice].similar, Uint8Array),
  }));
  function neighbours(row, choice) {
    const { near, similar } = nearest(choice), start = row * packed.neighbours;
    return Array.from({ length: packed.neighbours }, (_, i) => start + i)
      .filter((i) => near[i] !== nowhere)
      .map((i) => ({ row: near[i], similarity: similar[i] / 127 - 1 }));
  }

  const extra = wsd.extraColumns(packed.extra);

  // ---- The additions of studies, by name: their script reads their values ----

  const extensions = Object.entries(packed.extensions).map(([name, values]) => wsd.wordExtensions[name](values));

  return {
    word, senses, names, glosses, choices, classifiers, text, pixels: packed.pixels,
    n, rows, numbers, gold, tests, testAt, added, inOrder, rowOf, isTrain, isNew, split, id,
    hasText, sentence, lowerCase,
    predicted, isWrong, confidence, confidenceRange, singleLayers, layersCorrect, alwaysWrong,
    places, neighbours, extra, extensions,
  };
};
