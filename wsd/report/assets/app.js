// The pages' behaviour: embeds the Bokeh figures, colours them for light or dark pages, and on a
// word's page fills in one layer choice at a time. No eval, no network; text enters the page only
// as text nodes.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const json = (id) => JSON.parse(byId(id).textContent);

  function make(tag, text, style) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    Object.assign(element.style, style);
    return element;
  }

  // A page that is one file carries Bokeh, the data and the figure deflated in base64.
  async function unpack() {
    const bytes = Uint8Array.from(atob(byId("packed").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const packed = JSON.parse(await new Response(stream).text());
    const script = make("script", packed.bokeh);
    document.head.append(script);
    return packed;
  }

  // Tags of a model say which of its properties take which of the style sheet's colours.
  function colour(doc) {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    for (const model of doc.all_models) {
      for (const tag of model.tags) {
        for (const [key, name] of tag instanceof Map ? tag : Object.entries(tag)) {
          model[key] = Array.isArray(name) ? name.map(read) : read(name);
        }
      }
    }
  }

  async function embed(item, element) {
    Bokeh.logger.set_level("error"); // its warning: the figure comes without data
    const [view] = await Bokeh.embed.embed_item(item, element);
    const doc = view.model.document;
    colour(doc);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colour(doc));
    return { view, model: (name) => doc.get_model_by_name(name) };
  }

  // Of the points under the pointer, the one whose turn it is: nearest, and of equals the topmost.
  function isNearest(vars, subset) {
    const { sx, sy } = vars.glyph_view;
    let best = -1, least = Infinity;
    for (const i of vars.indices) {
      const distance = (sx[i] - vars.sx) ** 2 + (sy[i] - vars.sy) ** 2;
      if (distance <= least) [best, least] = [i, distance];
    }
    return best === subset;
  }

  // Bokeh's tooltip is white on every page; a style inside its shadow tree reaches its host.
  const TIP = `:host { padding: 9px 12px; border: 1px solid var(--rule-2); border-radius: 6px;
    opacity: 1; background-color: var(--surface); color: var(--ink); font-size: 14px;
    --tooltip-arrow-color: var(--rule-2); }`;

  function tip() {
    const box = make("div", undefined, { maxWidth: "min(24rem, 75vw)", overflowWrap: "anywhere" });
    box.append(make("style", TIP));
    return box;
  }

  function curveTip(source, vars) {
    const { x, y, name } = source.data;
    const box = tip();
    box.append(
      make("div", `${y[vars.index].toFixed(2)}`, { fontWeight: "600" }),
      make("div", `layer ${x[vars.index]}, ${name[vars.index]}`, { color: "var(--ink-2)" }),
    );
    return box;
  }

  async function index() {
    for (const element of document.querySelectorAll("[data-figure].curve")) {
      const { model } = await embed(json(element.dataset.figure), element);
      model("hover").tooltips = curveTip;
      model("save").filename = element.dataset.figure;
    }
  }

  async function word(data, item) {
    const decode = (text, Type) =>
      new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const { view, model } = await embed(item, byId("plot"));
    const [points, errors, shown] = ["points", "errors", "shown"].map(model);
    const axes = ["x-axis", "y-axis"].map(model);
    const rows = decode(data.index, Int32Array), gold = decode(data.gold, Uint16Array);
    const n = rows.length, train = decode(data.train, Uint8Array);
    const isTrain = (row) => train[row] === 1;
    const tests = Array.from(rows.keys()).filter((row) => !isTrain(row));
    const testAt = new Map(tests.map((row, i) => [row, i]));
    const predictions = data.choices.map((choice) =>
      choice.predicted.map((codes) => decode(codes, Uint16Array)));
    const predicted = (row, reader) => predictions[state.choice][reader][testAt.get(row)];
    const isWrong = (row, reader) => predicted(row, reader) !== gold[row];
    const percent = (share, digits = 2) => (share * 100).toFixed(digits);
    const count = (number) => number.toLocaleString("en");

    const everyReader = data.readers.map((_, i) => i);
    const picks = new Map([
      ["any", everyReader], ["none", []], ...data.readers.map((name, i) => [`=${name}`, [i]]),
    ]);
    // A classifier's name is told from the words "any" and "none" by its option, not its text.
    const pickOf = (option) =>
      option.dataset.reader === undefined ? option.value : `=${option.value}`;
    const state = {
      choice: Number(byId("slider").value), marked: "any",
      hiddenSenses: new Set(), hiddenSplits: new Set(),
    };

    const visible = (row) => !state.hiddenSenses.has(gold[row])
      && !state.hiddenSplits.has(isTrain(row) ? "train" : "test");

    function markErrors() {
      const readers = picks.get(state.marked);
      const wrong = tests.filter(
        (row) => visible(row) && readers.some((reader) => isWrong(row, reader)));
      const { x, y } = points.data;
      errors.data = { x: wrong.map((i) => x[i]), y: wrong.map((i) => y[i]), row: wrong };
      byId("n-marked").textContent = readers.length ? count(wrong.length) : "";
      byId("errors-summary").textContent = wrong.length === 1 ? "1 sentence" : `${count(wrong.length)} sentences`;
      listErrors();
    }

    function showPoints() {
      const { points: packed, step, explained } = data.choices[state.choice];
      const whole = decode(packed, Int16Array);
      const x = Float64Array.from(whole.subarray(0, n), (value) => value * step);
      const y = Float64Array.from(whole.subarray(n), (value) => value * step);
      points.data = { ...points.data, x, y };
      model("save").filename = `${data.word}-${data.choices[state.choice].name}`;
      axes[0].axis_label = `PC 1 (${percent(explained[0], 1)}% of variance)`;
      axes[1].axis_label = `PC 2 (${percent(explained[1], 1)}% of variance)`;
    }

    function showFigures() {
      const choice = data.choices[state.choice];
      const wrongs = everyReader.map((reader) =>
        tests.filter((row) => isWrong(row, reader)).length);
      for (const row of byId("scores").tBodies[0].rows) {
        const reader = Number(row.dataset.reader), figures = choice.figures[reader];
        for (const cell of row.querySelectorAll("[data-figure]")) {
          const key = cell.dataset.figure;
          cell.textContent = key === "wrong" ? count(wrongs[reader]) : percent(figures[key]);
        }
      }
      for (const row of byId("choices").tBodies[0].rows) {
        if (row.dataset.layers === choice.name) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
      }
      const said = data.readers.map((name, i) => {
        const { macro_f1: f1, accuracy } = choice.figures[i];
        return `${name}: macro-F1 ${percent(f1)}, accuracy ${percent(accuracy)}, ` +
          `${count(wrongs[i])} errors of ${count(tests.length)}`;
      });
      byId("status").textContent = `${byId("layers").selectedOptions[0].textContent}. ${said.join("; ")}.`;
    }

    function showControls() {
      const last = data.choices.length - 1;
      byId("layers").selectedIndex = state.choice;
      byId("slider").value = state.choice;
      byId("slider").setAttribute("aria-valuetext", byId("layers").selectedOptions[0].textContent);
      byId("previous").disabled = state.choice === 0;
      byId("next").disabled = state.choice === last;
      for (const option of byId("marked").options) option.selected = pickOf(option) === state.marked;
    }

    function sentence(row, style) {
      if (isTrain(row) && !data.training_text) return make("div", "(sentence not in this copy)", style);
      const box = make("div", undefined, style);
      box.dir = "auto";
      if (data.left[row]) box.append(`${data.left[row]} `);
      box.append(make("b", data.focal[row], { color: "var(--accent)" }));
      if (data.right[row]) box.append(` ${data.right[row]}`);
      return box;
    }

    function verdict(row, reader) {
      const code = predicted(row, reader), wrong = code !== gold[row];
      const line = make("div", undefined, { color: wrong ? "var(--wrong)" : "var(--ok)" });
      line.append(`${wrong ? "✗ wrong" : "✓ ok"} · ${data.readers[reader]}: `, make("bdi", data.senses[code]));
      return line;
    }

    function pointTip(source, vars) {
      const subset = [...vars.indices].find(
        (i) => vars.glyph_view.parent.model.view.convert_indices_from_subset([i])[0] === vars.index);
      if (!isNearest(vars, subset)) return null;
      const row = vars.index, box = tip();
      const head = make("div", undefined, { marginTop: "6px", fontWeight: "600" });
      head.append(make("bdi", data.senses[gold[row]]));
      box.append(sentence(row), head);
      if (!isTrain(row)) for (const reader of everyReader) box.append(verdict(row, reader));
      const near = vars.indices.length - 1;
      box.append(make(
        "div",
        `${isTrain(row) ? "train" : "test"} ${rows[row]}${near > 0 ? ` · ${near} more here: zoom in` : ""}`,
        { color: "var(--ink-2)", fontSize: "12px", marginTop: "4px" },
      ));
      return box;
    }

    const LISTED = 100;
    function listErrors() {
      if (!byId("errors").open) return;
      const wrong = errors.data.row;
      byId("error-list").replaceChildren(...[...wrong].slice(0, LISTED).map((row) => {
        const entry = make("li");
        const meta = make("span", `test ${rows[row]} · gold `);
        meta.className = "meta";
        meta.append(make("bdi", data.senses[gold[row]]));
        for (const reader of everyReader) {
          if (isWrong(row, reader)) {
            meta.append(` · ${data.readers[reader]}: `, make("bdi", data.senses[predicted(row, reader)]));
          }
        }
        entry.append(sentence(row), meta);
        return entry;
      }));
      byId("error-rest").hidden = wrong.length <= LISTED;
      byId("error-rest").textContent = `The first ${LISTED} of ${count(wrong.length)} are listed.`;
    }

    function showRows() {
      shown.booleans = Array.from({ length: n }, (_, row) => visible(row));
      markErrors();
    }

    function remember() {
      const parts = [`layers=${encodeURIComponent(data.choices[state.choice].name)}`];
      if (state.marked !== "any") parts.push(`errors=${encodeURIComponent(state.marked.replace(/^=/, ""))}`);
      // Only in the report: a page in another program's frame has no address of its own.
      if (!byId("packed")) history.replaceState(null, "", `#${parts.join("&")}`);
    }

    function update() {
      showControls();
      showPoints();
      markErrors();
      showFigures();
      view.reset_range();
    }

    function choose(choice) {
      if (choice < 0 || choice >= data.choices.length || choice === state.choice) return;
      state.choice = choice;
      update();
      remember();
    }

    function recall() {
      const wanted = new URLSearchParams(location.hash.slice(1));
      const choice = data.choices.findIndex(({ name }) => name === wanted.get("layers"));
      if (choice >= 0) state.choice = choice;
      const marked = wanted.get("errors");
      if (picks.has(`=${marked}`)) state.marked = `=${marked}`;
      else if (marked === "none" || marked === "any") state.marked = marked;
    }

    byId("layers").addEventListener("change", (event) => choose(event.target.selectedIndex));
    byId("slider").addEventListener("input", (event) => choose(Number(event.target.value)));
    byId("previous").addEventListener("click", () => choose(state.choice - 1));
    byId("next").addEventListener("click", () => choose(state.choice + 1));
    byId("marked").addEventListener("change", (event) => {
      state.marked = pickOf(event.target.selectedOptions[0]);
      markErrors();
      remember();
    });
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("choices").addEventListener("click", (event) => {
      const link = event.target.closest("a[data-layers]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(data.choices.findIndex(({ name }) => name === link.dataset.layers));
    });
    for (const box of document.querySelectorAll(".senses input")) {
      box.checked = true;
      box.addEventListener("change", () => {
        const [set, key] = box.dataset.split
          ? [state.hiddenSplits, box.dataset.split]
          : [state.hiddenSenses, Number(box.dataset.sense)];
        if (box.checked) set.delete(key);
        else set.add(key);
        showRows();
      });
    }
    byId("errors").addEventListener("toggle", listErrors);
    addEventListener("hashchange", () => { recall(); update(); });

    const column = (ofTrain, ofTest) =>
      Array.from({ length: n }, (_, row) => (isTrain(row) ? ofTrain : ofTest));
    points.data = {
      x: new Float64Array(n), y: new Float64Array(n), sense: Array.from(gold, String),
      size: column(data.pixels - 1, data.pixels), fill: column(0, 0.85),
    };
    recall();
    update();
    model("hover").tooltips = pointTip;
  }

  async function start() {
    try {
      if (byId("packed")) {
        const { data, figure } = await unpack();
        await word(data, figure);
      } else if (byId("data")) {
        await word(json("data"), json("figure"));
      } else {
        await index();
      }
      document.documentElement.dataset.ready = "true";
    } catch (error) {
      const problem = byId("problem");
      if (problem) {
        problem.hidden = false;
        problem.textContent = `The picture could not be drawn: ${error.message}. A newer browser may help.`;
      }
      console.error(error);
    }
  }

  start();
})();
