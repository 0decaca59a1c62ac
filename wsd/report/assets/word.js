// A word's page: one layer choice of one classifier at a time, filters, a table, a pinned card, and
// all of it in the address.
"use strict";

wsd.start(async () => {
  const { byId, make } = wsd;
  const { data, figure: item } = await wsd.unpack();
  const figure = await wsd.embed(item, byId("plot"), "plot");
  const { view, model } = figure;
  const [points, errors, centroids, pinned, shown] =
    ["points", "errors", "centroids", "pinned", "shown"].map(model);
  figure.filename = () => `${data.word}-${data.choices[state.choice].name}`;
  const axes = ["x-axis", "y-axis"].map(model);
  const { x_range: xRange, y_range: yRange } = view.model;

  const decode = (text, Type) =>
    new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const percent = (share, digits = 2) => share === null ? "–" : (share * 100).toFixed(digits);
  const count = (number) => number.toLocaleString("en");
  const Wide = data.wide ? Uint32Array : Uint16Array, nowhere = data.wide ? 2 ** 32 - 1 : 65535;

  // ---- Data: rows are instances, in the order in which they are drawn ----

  const numbers = decode(data.index, Int32Array), gold = decode(data.gold, Uint16Array);
  const n = numbers.length, train = decode(data.train, Uint8Array);
  const isTrain = (row) => train[row] === 1;
  const every = Array.from({ length: n }, (_, row) => row);
  const tests = every.filter((row) => !isTrain(row));
  const testAt = new Int32Array(n).fill(-1);
  tests.forEach((row, i) => { testAt[row] = i; });
  const split = (row) => (isTrain(row) ? "train" : "test");
  const id = (row) => `${split(row)} ${numbers[row]}`;
  const rowOf = new Map(every.map((row) => [`${split(row)}-${numbers[row]}`, row]));
  // Test instances first, each in the order of their files.
  const listing = [...every].sort((a, b) => train[a] - train[b] || numbers[a] - numbers[b]);
  const golds = Array.from(gold, String);
  const singles = data.choices.flatMap((choice, i) => (choice.single ? [i] : []));

  function once(make) {
    const made = new Map();
    return (key) => {
      if (!made.has(key)) made.set(key, make(key));
      return made.get(key);
    };
  }

  const predictions = data.choices.map((choice) =>
    choice.predicted.map((codes) => decode(codes, Uint16Array)));
  const confidences = data.choices.map((choice) =>
    choice.confidence.map(({ step, values }) => ({ step, values: decode(values, Uint8Array) })));
  const neighboursOf = once((choice) => ({
    rows: decode(data.choices[choice].near, Wide),
    similarity: decode(data.choices[choice].similar, Uint8Array),
  }));
  const predicted = (row, reader = state.reader, choice = state.choice) =>
    predictions[choice][reader][testAt[row]];
  const isWrong = (row, reader = state.reader, choice = state.choice) =>
    !isTrain(row) && predicted(row, reader, choice) !== gold[row];
  function confidence(row, reader = state.reader, choice = state.choice) {
    const { step, values } = confidences[choice][reader];
    return values[testAt[row]] * step;
  }
  const rightLayers = (row) =>
    singles.reduce((sum, choice) => sum + !isWrong(row, state.reader, choice), 0);
  const alwaysWrong = once((reader) => new Set(
    singles.length ? tests.filter((row) => singles.every((c) => isWrong(row, reader, c))) : []));
  const hasText = (row) => data.text === "all" || (data.text === "test" && !isTrain(row));
  const folded = once(() => every.map((row) => (hasText(row)
    ? [data.left[row], data.focal[row], data.right[row]].join(" ").toLowerCase() : "")));

  // ---- State ----

  const defaults = {
    choice: Number(byId("slider").value), reader: byId("reader").selectedIndex, colour: "gold",
    show: "all", method: Object.keys(data.choices[0].pictures)[0], query: "", pin: -1, box: null,
    rings: true, centroids: true,
  };
  const state = { ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set(), page: 0 };

  const filters = {
    all: () => true,
    errors: (row) => isWrong(row),
    always: (row) => alwaysWrong(state.reader).has(row),
  };

  function visibleRows() {
    const query = state.query.trim().toLowerCase(), texts = query ? folded() : null;
    const wanted = filters[state.show];
    return every.map((row) => !state.hiddenSenses.has(gold[row])
      && !state.hiddenSplits.has(split(row)) && wanted(row)
      && (!query || texts[row].includes(query)));
  }
  let visible = [];

  // ---- The picture ----

  const RAMP = 8;
  // The range that shades of confidence stand for.
  const range = () => (data.readers[state.reader].confidence === "probability"
    ? [1 / data.senses.length, 1] : [0, confidences[state.choice][state.reader].step * 255]);

  function tones() {
    if (state.colour === "gold") return golds;
    const [low, high] = range();
    const shade = (row) => Math.max(0, Math.min(RAMP - 1,
      Math.floor((confidence(row) - low) / (high - low || 1) * RAMP)));
    const tone = {
      predicted: (row) => String(predicted(row)),
      error: (row) => (isWrong(row) ? "wrong" : "right"),
      confidence: (row) => `ramp-${shade(row)}`,
      split: () => "test",
    }[state.colour];
    return every.map((row) => (isTrain(row) ? "train" : tone(row)));
  }

  function places() {
    const { points: packed, step } = data.choices[state.choice].pictures[state.method];
    const whole = decode(packed, Int16Array);
    const scaled = (part) => Float64Array.from(part, (value) => value * step);
    return [scaled(whole.subarray(0, n)), scaled(whole.subarray(n))];
  }

  const column = (ofTrain, ofTest) => every.map((row) => (isTrain(row) ? ofTrain : ofTest));
  const sizes = column(data.pixels - 1, data.pixels), fills = column(0, 0.85), edges = column(0.8, 0);

  function drawPoints() {
    const [x, y] = places();
    points.data = { x, y, sense: golds, tone: tones(), size: sizes, fill: fills, edge: edges };
    const { explained } = data.choices[state.choice].pictures[state.method];
    axes.forEach((axis, i) => {
      axis.axis_label = explained
        ? `PC ${i + 1} (${percent(explained[i], 1)}% of variance)` : `t-SNE ${i + 1}`;
    });
    model("save").filename = figure.filename();
    drawCentroids();
    drawPin();
  }

  function drawCentroids() {
    const { x, y } = points.data, k = data.senses.length;
    const sums = Array.from({ length: k }, () => [0, 0, 0]);
    for (const row of every) {
      if (!isTrain(row)) continue;
      const sum = sums[gold[row]];
      sum[0] += x[row]; sum[1] += y[row]; sum[2] += 1;
    }
    const senses = state.centroids
      ? sums.flatMap((sum, i) => (sum[2] && !state.hiddenSenses.has(i) ? [i] : [])) : [];
    centroids.data = {
      x: senses.map((i) => sums[i][0] / sums[i][2]), y: senses.map((i) => sums[i][1] / sums[i][2]),
      sense: senses.map(String),
    };
  }

  function drawPin() {
    const { x, y } = points.data;
    pinned.data = state.pin < 0 ? { x: [], y: [] } : { x: [x[state.pin]], y: [y[state.pin]] };
  }

  function drawErrors() {
    const { x, y } = points.data;
    const wrong = tests.filter((row) => visible[row] && isWrong(row));
    const ringed = state.rings ? wrong : [];
    errors.data = { x: ringed.map((i) => x[i]), y: ringed.map((i) => y[i]), row: ringed };
    byId("n-errors").textContent = count(wrong.length);
  }

  function swatches() {
    const box = byId("tones"), [low, high] = range();
    const swatch = (tone) => {
      const one = make("i");
      one.className = "swatch";
      one.style.background = `var(--${tone})`;
      return one;
    };
    const keys = {
      error: [[["tone-right"], "right"], [["tone-wrong"], "wrong"], [["tone-train"], "training"]],
      split: [[["tone-train"], "training"], [["tone-test"], "test"]],
      predicted: [[["tone-train"], "training, no prediction"]],
      confidence: [
        [Array.from({ length: RAMP }, (_, i) => `ramp-${i}`),
          `${low.toFixed(2)} to ${high.toFixed(2)}, ${CONFIDENCE[data.readers[state.reader].confidence]}`],
        [["tone-train"], "training, no prediction"],
      ],
    }[state.colour];
    box.hidden = !keys;
    box.replaceChildren(...(keys ?? []).map(([of, text]) => {
      const key = make("span");
      key.append(...of.map(swatch), ` ${text}`);
      return key;
    }));
  }
  const CONFIDENCE = {
    probability: "probability of the predicted sense", lead: "lead over the next sense's score",
  };

  // ---- Figures beside the picture ----

  function showHonesty() {
    const choice = data.choices[state.choice], picture = choice.pictures[state.method];
    const { explained } = picture, width = Number(byId("honest").dataset.width).toLocaleString("en");
    const what = explained
      ? `PC 1 and PC 2, fitted on the training instances, hold ${percent(explained[0] + explained[1], 1)}% of their variance.`
      : "t-SNE of training and test instances together, without labels: distances between groups, and their sizes, say little, and its score may exceed the full space's.";
    const scores = choice.score === null ? ""
      : ` A vote of the 5 nearest training instances scores macro‑F1 ${percent(choice.score, 1)} in the full space (${width} dimensions a layer) and ${percent(picture.score, 1)} in this picture.`;
    byId("honest").textContent = what + scores;
  }

  function showFigures() {
    const choice = data.choices[state.choice];
    // Of all test instances, which may be more than the page shows.
    const total = choice.confusion.map((table) => table.flat().reduce((sum, of) => sum + of, 0));
    const wrongs = choice.confusion.map((table, reader) =>
      total[reader] - table.reduce((sum, of, sense) => sum + of[sense], 0));
    for (const row of byId("scores").tBodies[0].rows) {
      const reader = Number(row.dataset.reader), figures = choice.figures[reader];
      if (reader === state.reader) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
      for (const cell of row.querySelectorAll("[data-figure]")) {
        const key = cell.dataset.figure;
        cell.textContent = key === "wrong" ? count(wrongs[reader]) : percent(figures[key]);
      }
    }
    for (const row of byId("choices").tBodies[0].rows) {
      if (row.dataset.layers === choice.name) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    const said = data.readers.map(({ name }, i) => {
      const { macro_f1: f1, accuracy } = choice.figures[i];
      return `${name}: macro-F1 ${percent(f1)}, accuracy ${percent(accuracy)}, ` +
        `${count(wrongs[i])} errors of ${count(total[i])}`;
    });
    byId("status").textContent = `${byId("layers").selectedOptions[0].textContent}. ${said.join("; ")}.`;
  }

  function cell(tag, text, className) {
    const one = make(tag, text);
    if (className) one.className = className;
    return one;
  }

  function showConfusion() {
    const table = data.choices[state.choice].confusion[state.reader];
    const head = make("thead"), body = make("tbody"), top = make("tr");
    top.append(cell("td", `${data.readers[state.reader].name}: gold ↓, predicted →`, "quiet"));
    data.senses.forEach((sense) => {
      const heading = cell("th", undefined, "n sense");
      heading.scope = "col";
      heading.append(breakable(short(sense)));
      heading.title = sense;
      top.append(heading);
    });
    head.append(top);
    table.forEach((counts, i) => {
      const line = make("tr"), heading = make("th");
      heading.scope = "row";
      heading.title = data.senses[i];
      heading.append(breakable(short(data.senses[i])));
      line.append(heading, ...counts.map((number, j) =>
        cell("td", count(number), `n${i === j ? " ok" : number ? " wrong" : " quiet"}`)));
      body.append(line);
    });
    byId("confusion").replaceChildren(head, body);
  }
  // A sense is often named after its word.
  const short = (sense) => {
    const cut = sense.startsWith(`${data.word}_`) ? sense.slice(data.word.length + 1) : sense;
    return cut || sense;
  };
  const breakable = (text) => {
    const one = make("bdi");
    text.split("_").forEach((part, i) => one.append(...(i ? ["_", make("wbr"), part] : [part])));
    return one;
  };

  // ---- Sentences, tooltip, card ----

  function sentence(row, style) {
    const box = make("div", undefined, style);
    if (!hasText(row)) {
      box.append(data.text === "none" ? `(${id(row)}: this report leaves sentences out)` : "(sentence not in this copy)");
      return box;
    }
    box.dir = "auto";
    if (data.left[row]) box.append(`${data.left[row]} `);
    box.append(make("b", data.focal[row], { color: "var(--accent)" }));
    if (data.right[row]) box.append(` ${data.right[row]}`);
    return box;
  }

  function verdict(row) {
    const line = make("div", undefined, { marginTop: "6px" });
    line.append(make("bdi", data.senses[gold[row]], { fontWeight: "600" }));
    if (isTrain(row)) return line;
    const wrong = isWrong(row);
    const told = make("span", undefined, { color: wrong ? "var(--wrong)" : "var(--ok)" });
    told.append(" → ", make("bdi", data.senses[predicted(row)]), wrong ? " ✗ wrong" : " ✓ ok");
    line.append(told);
    return line;
  }

  const meta = (row) => {
    const parts = [id(row)];
    if (!isTrain(row)) parts.push(`${data.readers[state.reader].name}, confidence ${confidence(row).toFixed(2)}`);
    return parts.join(" · ");
  };
  const QUIET = { color: "var(--ink-2)", fontSize: "12px", marginTop: "4px" };

  // Of the points under the pointer, the one whose turn it is: nearest, of equals the topmost.
  function isNearest(vars, subset) {
    const { sx, sy } = vars.glyph_view;
    let best = -1, least = Infinity;
    for (const i of vars.indices) {
      const distance = (sx[i] - vars.sx) ** 2 + (sy[i] - vars.sy) ** 2;
      if (distance <= least) [best, least] = [i, distance];
    }
    return best === subset;
  }

  function pointTip(source, vars) {
    const subset = [...vars.indices].find(
      (i) => vars.glyph_view.parent.model.view.convert_indices_from_subset([i])[0] === vars.index);
    if (!isNearest(vars, subset)) return null;
    const row = vars.index, box = wsd.tip(), near = vars.indices.length - 1;
    box.append(sentence(row), verdict(row),
      make("div", meta(row) + (near > 0 ? ` · ${near} more here: zoom in` : ""), QUIET));
    return box;
  }

  function button(text, act, label) {
    const one = make("button", text);
    one.type = "button";
    if (label) one.setAttribute("aria-label", label);
    one.addEventListener("click", act);
    return one;
  }

  function neighbourList(row) {
    const list = make("ol");
    list.className = "sentences";
    const { rows, similarity } = neighboursOf(state.choice), k = data.neighbours;
    for (let i = row * k; i < (row + 1) * k; i += 1) {
      const other = rows[i];
      if (other === nowhere) continue;
      const entry = make("li"), line = cell("span", undefined, "meta");
      const same = gold[other] === gold[row];
      line.append(button(id(other), () => pin(other), `Pin ${id(other)}`), " ",
        make("bdi", data.senses[gold[other]], { color: same ? "var(--ok)" : "var(--wrong)" }),
        `${same ? " ✓ same sense" : " ✗ another sense"} · cosine ${(similarity[i] / 127 - 1).toFixed(2)}`);
      entry.append(sentence(other), line);
      list.append(entry);
    }
    return list;
  }

  function fates(row) {
    const table = cell("table", undefined, "figures fates"), head = make("thead"), top = make("tr");
    const body = make("tbody");
    top.append(cell("td", "", ""));
    data.choices.forEach((choice, i) => {
      const heading = make("th"), link = button(choice.name, () => choose(i), `Show layer choice ${choice.name}`);
      heading.scope = "col";
      if (i === state.choice) heading.setAttribute("aria-current", "true");
      heading.append(link);
      top.append(heading);
    });
    head.append(top);
    data.readers.forEach(({ name }, reader) => {
      const line = make("tr"), heading = make("th", name);
      heading.scope = "row";
      line.append(heading, ...data.choices.map((choice, i) => {
        const wrong = isWrong(row, reader, i);
        const one = cell("td", wrong ? "✗" : "✓", wrong ? "wrong" : "ok");
        one.title = `${name}, ${choice.name}: ${data.senses[predicted(row, reader, i)]}`;
        one.setAttribute("aria-label", wrong ? "wrong" : "right");
        return one;
      }));
      body.append(line);
    });
    table.append(head, body);
    const box = cell("div", undefined, "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Right or wrong in every layer choice");
    box.append(table);
    return box;
  }

  function showCard() {
    byId("card").hidden = state.pin < 0;
    if (state.pin < 0) return;
    const row = state.pin, body = byId("card-body");
    body.replaceChildren(sentence(row), verdict(row), make("div", meta(row), QUIET));
    if (isTrain(row)) {
      body.append(make("p", "A training instance: classifiers were fitted on it."));
    } else {
      body.append(make("h3", "In every layer choice"), fates(row),
        cell("p", "Independent probes, one per layer choice; not a path that the sentence takes.", "note"));
    }
    if (data.neighbours) {
      body.append(make("h3", `Nearest in the full space, ${byId("layers").selectedOptions[0].textContent}`),
        neighbourList(row));
    }
  }

  function pin(row) {
    state.pin = row;
    drawPin();
    showCard();
    remember();
    if (row >= 0) {
      byId("card").focus({ preventScroll: true });
      const box = byId("card").getBoundingClientRect();
      if (box.top < 0 || box.top > innerHeight * 0.8) byId("card").scrollIntoView({ block: "nearest" });
    }
  }

  view.model.on_event("tap", (event) => {
    const { x, y } = points.data, { x_scale: xs, y_scale: ys } = view.frame;
    let best = -1, least = 14 ** 2;
    for (const row of every) {
      if (!visible[row]) continue;
      const dx = xs.compute(x[row]) - event.sx, dy = ys.compute(y[row]) - event.sy;
      if (dx * dx + dy * dy <= least) [best, least] = [row, dx * dx + dy * dy];
    }
    if (best >= 0) pin(best);
  });

  // ---- The table ----

  const PER_PAGE = 25;
  let listed = [];

  function list() {
    const selected = new Set(points.selected.indices);
    listed = listing.filter((row) => visible[row] && (!selected.size || selected.has(row)));
    byId("unselect").hidden = !selected.size;
    state.page = Math.max(0, Math.min(state.page, Math.ceil(listed.length / PER_PAGE) - 1));
    const start = state.page * PER_PAGE, rows = listed.slice(start, start + PER_PAGE);
    byId("listed").textContent = `${count(listed.length)} of ${count(n)} instances`
      + (selected.size ? " (the selection)" : "");
    byId("place").textContent = listed.length
      ? `${count(start + 1)}–${count(start + rows.length)}` : "none";
    byId("earlier").disabled = start === 0;
    byId("later").disabled = start + PER_PAGE >= listed.length;
    byId("csv").disabled = !listed.length;
    byId("instances").tBodies[0].replaceChildren(...rows.map((row) => {
      const line = make("tr"), name = make("th");
      name.scope = "row";
      name.append(button(id(row), () => pin(row), `Pin ${id(row)}`));
      line.append(name);
      if (data.text !== "none") {
        const text = cell("td", undefined, "text");
        text.append(sentence(row));
        line.append(text);
      }
      const of = make("td");
      of.append(make("bdi", short(data.senses[gold[row]])));
      line.append(of);
      if (isTrain(row)) {
        line.append(cell("td", "training", "quiet"), cell("td", "–", "n quiet"), cell("td", "–", "n quiet"));
        return line;
      }
      const told = cell("td", undefined, isWrong(row) ? "wrong" : "ok");
      told.append(isWrong(row) ? "✗ " : "✓ ", make("bdi", short(data.senses[predicted(row)])));
      line.append(told, cell("td", confidence(row).toFixed(2), "n"),
        cell("td", `${rightLayers(row)} of ${singles.length}`, "n"));
      return line;
    }));
  }

  function csv() {
    const choice = data.choices[state.choice].name, reader = data.readers[state.reader].name;
    // A spreadsheet would run a cell that begins like a formula.
    const safe = (value) => {
      const text = String(value);
      const still = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return `"${still.replaceAll('"', '""')}"`;
    };
    const names = ["word", "split", "index", "gold", "layers", "classifier", "predicted", "confidence", "left", "focal", "right"];
    const lines = listed.map((row) => [
      data.word, split(row), numbers[row], data.senses[gold[row]], choice, reader,
      ...(isTrain(row) ? ["", ""] : [data.senses[predicted(row)], confidence(row)]),
      ...(hasText(row) ? [data.left[row], data.focal[row], data.right[row]] : ["", "", ""]),
    ]);
    return [names, ...lines].map((line) => line.map(safe).join(",")).join("\r\n") + "\r\n";
  }

  // ---- The address ----

  function remember() {
    // Only in the report: a page in another program's frame has no address of its own.
    if (!byId("link")) return;
    const parts = [["layers", data.choices[state.choice].name]];
    if (state.reader !== defaults.reader) parts.push(["classifier", data.readers[state.reader].name]);
    for (const key of ["colour", "show", "method"]) {
      if (state[key] !== defaults[key]) parts.push([key, state[key]]);
    }
    if (state.query) parts.push(["search", state.query]);
    if (state.hiddenSenses.size) parts.push(["without", [...state.hiddenSenses].sort((a, b) => a - b).join(",")]);
    if (state.hiddenSplits.size) parts.push(["hide", [...state.hiddenSplits].sort().join(",")]);
    const off = ["rings", "centroids"].filter((key) => !state[key]);
    if (off.length) parts.push(["off", off.join(",")]);
    if (state.pin >= 0) parts.push(["pin", id(state.pin).replace(" ", "-")]);
    if (state.box) parts.push(["box", state.box.map((value) => Number(value.toPrecision(5))).join(",")]);
    history.replaceState(null, "", `#${parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`);
  }

  function recall() {
    const wanted = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const among = (key, values, otherwise) => {
      const i = values.indexOf(wanted.get(key));
      return i >= 0 ? i : otherwise;
    };
    const set = (key, allowed) => new Set((wanted.get(key) ?? "").split(",").filter((v) => allowed.includes(v)));
    state.choice = among("layers", data.choices.map(({ name }) => name), defaults.choice);
    state.reader = among("classifier", data.readers.map(({ name }) => name), defaults.reader);
    for (const [key, select] of [["colour", "colour"], ["show", "show"], ["method", "method"]]) {
      const values = byId(select) ? Array.from(byId(select).options, (o) => o.value) : [defaults[key]];
      state[key] = values.includes(wanted.get(key)) ? wanted.get(key) : defaults[key];
    }
    state.query = byId("search") ? wanted.get("search") ?? "" : "";
    state.hiddenSenses = new Set([...set("without", data.senses.map((_, i) => String(i)))].map(Number));
    state.hiddenSplits = set("hide", ["train", "test"]);
    const off = set("off", ["rings", "centroids"]);
    state.rings = !off.has("rings");
    state.centroids = !off.has("centroids");
    state.pin = rowOf.get(wanted.get("pin")) ?? -1;
    const box = (wanted.get("box") ?? "").split(",").map(Number);
    state.box = box.length === 4 && box.every(Number.isFinite) && box[0] < box[1] && box[2] < box[3] ? box : null;
  }

  function showBox() {
    if (!state.box) { view.reset_range(); return; }
    [[xRange, 0], [yRange, 2]].forEach(([of, i]) => {
      of.have_updated_interactively = true;
      of.setv({ start: state.box[i], end: state.box[i + 1] });
    });
  }

  let waiting = 0;
  function rangeMoved() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const box = xRange.have_updated_interactively || yRange.have_updated_interactively
        ? [xRange.start, xRange.end, yRange.start, yRange.end] : null;
      if (String(box) === String(state.box)) return;
      state.box = box;
      remember();
    }, 200);
  }

  // ---- Putting it together ----

  function showControls() {
    const last = data.choices.length - 1;
    byId("layers").selectedIndex = state.choice;
    byId("slider").value = state.choice;
    byId("slider").setAttribute("aria-valuetext", byId("layers").selectedOptions[0].textContent);
    byId("previous").disabled = state.choice === 0;
    byId("next").disabled = state.choice === last;
    byId("reader").selectedIndex = state.reader;
    for (const key of ["colour", "show", "method"]) if (byId(key)) byId(key).value = state[key];
    if (byId("search") && byId("search").value !== state.query) byId("search").value = state.query;
    byId("rings").checked = state.rings;
    byId("centroids").checked = state.centroids;
    for (const box of document.querySelectorAll("[data-sense]")) {
      box.checked = !state.hiddenSenses.has(Number(box.dataset.sense));
    }
    for (const box of document.querySelectorAll("[data-split]")) {
      box.checked = !state.hiddenSplits.has(box.dataset.split);
    }
  }

  function showVisible() {
    const now = visibleRows();
    // Of a new array Bokeh works out every index again.
    if (now.length === visible.length && now.every((is, row) => is === visible[row])) return;
    visible = now;
    shown.booleans = visible;
  }

  // What changes with the filters alone.
  function filter() {
    showVisible();
    drawErrors();
    list();
  }

  // What changes with the classifier too.
  function judge() {
    points.data = { ...points.data, tone: tones() };
    filter();
    swatches();
    showFigures();
    showConfusion();
    showCard();
  }

  function update() {
    showControls();
    showVisible();
    drawPoints();
    drawErrors();
    list();
    swatches();
    showHonesty();
    showFigures();
    showConfusion();
    showCard();
    showBox();
  }

  function choose(choice) {
    if (choice < 0 || choice >= data.choices.length || choice === state.choice) return;
    state.choice = choice;
    state.box = null;
    update();
    remember();
  }

  let playing = 0;
  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => choose((state.choice + 1) % data.choices.length), 1000) : 0;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").textContent = on ? "Pause" : "Play";
  }
  const chooseByHand = (choice) => { play(false); choose(choice); };

  byId("layers").addEventListener("change", (event) => chooseByHand(event.target.selectedIndex));
  byId("slider").addEventListener("input", (event) => chooseByHand(Number(event.target.value)));
  byId("previous").addEventListener("click", () => chooseByHand(state.choice - 1));
  byId("next").addEventListener("click", () => chooseByHand(state.choice + 1));
  byId("play").addEventListener("click", () => play(!playing));
  byId("reader").addEventListener("change", (event) => {
    state.reader = event.target.selectedIndex;
    judge();
    remember();
  });
  byId("colour").addEventListener("change", (event) => {
    state.colour = event.target.value;
    points.data = { ...points.data, tone: tones() };
    swatches();
    remember();
  });
  byId("show").addEventListener("change", (event) => {
    state.show = event.target.value;
    filter();
    remember();
  });
  byId("method")?.addEventListener("change", (event) => {
    state.method = event.target.value;
    state.box = null;
    update();
    remember();
  });
  let typing = 0;
  byId("search")?.addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      state.query = event.target.value;
      filter();
      remember();
    }, 150);
  });
  for (const box of document.querySelectorAll(".senses input")) {
    box.addEventListener("change", () => {
      const { sense, split: of } = box.dataset;
      if (sense === undefined && of === undefined) state[box.id] = box.checked;
      else {
        const [set, key] = of ? [state.hiddenSplits, of] : [state.hiddenSenses, Number(sense)];
        if (box.checked) set.delete(key);
        else set.add(key);
      }
      drawCentroids();
      filter();
      remember();
    });
  }
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("choices").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-layers]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    chooseByHand(data.choices.findIndex(({ name }) => name === link.dataset.layers));
  });
  byId("unpin").addEventListener("click", () => pin(-1));
  byId("unselect").addEventListener("click", () => { points.selected.indices = []; });
  byId("earlier").addEventListener("click", () => { state.page -= 1; list(); });
  byId("later").addEventListener("click", () => { state.page += 1; list(); });
  byId("csv").addEventListener("click", () => {
    const name = `${data.word}-${data.choices[state.choice].name}-${data.readers[state.reader].name}.csv`;
    wsd.download(new Blob(["\ufeff", csv()], { type: "text/csv" }), name);
  });
  byId("link")?.addEventListener("click", async () => {
    remember();
    const said = await navigator.clipboard.writeText(location.href).then(
      () => "Copied", () => "Copy the address of this page");
    byId("link").textContent = said;
    setTimeout(() => { byId("link").textContent = "Copy link to this view"; }, 2500);
  });
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Escape" && state.pin >= 0) { pin(-1); return; }
    // Where arrow keys have a meaning of their own they keep it.
    if (event.target.closest("input:not([type=checkbox]), select, textarea, [role=region]")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    chooseByHand(state.choice + step);
  });
  addEventListener("hashchange", () => { recall(); update(); });
  points.selected.properties.indices.change.connect(() => { state.page = 0; list(); });
  for (const of of [xRange, yRange]) of.change.connect(rangeMoved);
  recall();
  update();
  model("hover").tooltips = pointTip;
});
