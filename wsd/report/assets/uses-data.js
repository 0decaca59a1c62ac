// What a page of uses holds, unpacked: sentences, and per layer choice places, neighbours, partitions.
// It stays the same all the time.
"use strict";

wsd.usesData = (packed) => {
  const { decode } = wsd;
  const { word, key, senses, styles, layers } = packed;
  const n = packed.sentences.length;
  const rows = Array.from({ length: n }, (_, row) => row);
  const position = decode(packed.position, Int32Array);
  const gold = packed.gold && decode(packed.gold, Uint16Array);
  const tokens = packed.sentences.map((sentence) => sentence.split(" "));

  const parts = (row) => [
    tokens[row].slice(0, position[row]).join(" "), tokens[row][position[row]],
    tokens[row].slice(position[row] + 1).join(" "),
  ];

  // From -1 to 1.
  function places(layer) {
    const whole = decode(layers[layer].points, Int16Array);
    const scaled = (part) => Float64Array.from(part, (value) => value / 32767);
    return { x: scaled(whole.subarray(0, n)), y: scaled(whole.subarray(n)) };
  }

  const NOWHERE = 65535;
  function neighbours(row, layer) {
    const near = decode(layers[layer].near, Uint16Array), similar = decode(layers[layer].similar, Uint8Array);
    const each = near.length / n;
    return Array.from({ length: each }, (_, i) => row * each + i)
      .filter((i) => near[i] !== NOWHERE)
      .map((i) => ({ row: near[i], cosine: similar[i] / 127 - 1 }));
  }

  const partitions = layers.map(({ partitions: of }) =>
    of.map((one) => ({ ...one, labels: decode(one.labels, Uint8Array) })));
  const ofMethod = (layer, method) => partitions[layer].filter((one) => one.method === method);

  return {
    word, key, senses, styles, layers, n, rows, position, gold, tokens, sentences: packed.sentences,
    parts, places, neighbours, ofMethod,
  };
};
