// The data of a page of uses, unpacked: sentences, and per layer choice places, neighbours, partitions.
// Nothing here depends on the controls.
"use strict";

wsd.usesData = (packed) => {
  const { decode, count } = wsd;
  const { word, key, senses, styles, layers } = packed;
  const n = packed.sentences.length;
  const rows = Array.from({ length: n }, (_, row) => row);
  // The first token of the focal word, and the token after its last: it may have several, "hot dog".
  const start = decode(packed.start, Int32Array), end = decode(packed.end, Int32Array);
  const gold = packed.gold && decode(packed.gold, Uint16Array);
  const tokens = packed.sentences.map((sentence) => sentence.split(" "));

  // The tokens that no space separates from the one before.
  const touching = packed.touching.map((places) => new Set(places));
  const space = (row, i) => (i && !touching[row].has(i) ? " " : "");
  const written = (row, from, to) => tokens[row].slice(from, to).map((token, i) => space(row, from + i) + token).join("");
  const parts = (row) => [
    written(row, 0, start[row]) + space(row, start[row]), tokens[row].slice(start[row], end[row]).join(" "),
    written(row, end[row]),
  ];
  const forms = rows.map((row) => parts(row)[1].toLowerCase());
  const sentences = (number) => `${count(number)} sentence${number === 1 ? "" : "s"}`;

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

  const partitions = layers.map((layer) => layer.partitions.map((partition) =>
    ({ ...partition, packed: partition.labels, labels: decode(partition.labels, Uint16Array) })));
  const ofMethod = (layer, method) => partitions[layer].filter((partition) => partition.method === method);

  const extra = wsd.extraColumns(packed.extra);

  return {
    word, key, senses, styles, layers, n, rows, start, end, gold, tokens, touching, parts, forms, severalForms: new Set(forms).size > 1, formExplains: packed.form_explains,
    sentences, places, neighbours, ofMethod, extra,
  };
};
