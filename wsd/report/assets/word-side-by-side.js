// Several plots side by side, each with its own layer choice; everything else is shared. A change to
// the first plot changes all, and a point marked in one plot is marked in all.
"use strict";

// Initial layer choices: the last layer and means of the last layers, if the report has them; then
// the layer choices near the current one.
wsd.initialSideBySide = ({ choices, singleLayers }, current) => {
  const means = ["mean-last-2", "mean-last-3", "mean-last-4"]
    .map((name) => choices.findIndex((choice) => choice.name === name));
  const distance = (choice) => Math.abs(choice - current);
  const near = choices.map((_, choice) => choice).sort((a, b) => distance(a) - distance(b) || a - b);
  const complete = singleLayers.length && means.every((choice) => choice >= 0);
  return complete ? [singleLayers.at(-1), ...means, ...near] : near;
};

wsd.wordSideBySide = (first, figure, data, state, { pin, choose, changed }) => {
  const { byId, make, percent } = wsd;
  const select = byId("plots"), most = select ? Number(select.options[select.options.length - 1].value) : 1;
  const box = byId("side-by-side"), requested = [], others = []; // per further plot: element, state, plot, title
  const plots = () => [first, ...others.slice(0, state.others.length).flatMap(({ plot }) => plot)];
  const inAll = (act) => () => { for (const plot of plots()) plot[act](); };

  function hover(row) {
    if (row === state.hovered) return;
    state.hovered = row;
    if (state.others.length) inAll("drawHovered")();
  }
  // Bokeh ignores a selection that equals the current one, so that this ends.
  function linkSelection(source) {
    source.selection.onChange(() => { for (const plot of plots()) plot.selection.set([...source.selection.rows()]); });
  }

  // ---- Which layer choices ----

  select?.addEventListener("change", () => {
    const count = Number(select.value);
    if (count > 1) {
      const kept = state.others.length ? [state.choice, ...state.others] : [];
      [state.choice, ...state.others] = [...new Set([...kept, ...wsd.initialSideBySide(data, state.choice)])].slice(0, count);
      state.box = null;
    } else state.others = [];
    changed();
  });

  // ---- The plots ----

  // Above a plot: a select of its layer choice, and the classifier's score there.
  function addTitle(to, number, onChange) {
    const line = make("p", undefined, "pick"), pick = make("select");
    pick.append(...Array.from(byId("layers").options, ({ text, value }) => new Option(text, value)));
    pick.setAttribute("aria-label", `Layer choice of plot ${number}`);
    pick.addEventListener("change", () => onChange(pick.selectedIndex));
    line.append(pick, make("span"));
    to.prepend(line);
    return (choice) => {
      pick.selectedIndex = choice;
      const { macro_f1: score } = data.choices[choice].scores[state.classifier];
      line.lastChild.textContent = `${state.classifierName}: macro\u2011F1 ${percent(score)}`;
    };
  }

  async function add(i) {
    const element = make("div"), place = make("div", undefined, "plot"), own = state.at(state.others[i]);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `Scatter plot of the same instances, plot ${i + 2}`);
    element.append(place);
    box.append(element);
    const title = addTitle(element, i + 2, (choice) => { state.others[i] = choice; changed(); });
    const embedded = await wsd.plots.embed(structuredClone(figure), place, `plot-${i + 2}`);
    const plot = wsd.wordPlot(embedded, data, own, wsd.wordColours(data, own), wsd.wordText(data, own),
      { pin, hover, remember: () => {} });
    linkSelection(plot);
    plot.startTips();
    others[i] = { element, own, plot, title };
  }

  function draw({ own, plot }, choice) {
    const changedPlane = own.choice !== choice || own.drawn !== own.method;
    Object.assign(own, { choice, drawn: own.method });
    plot.draw();
    plot.selection.set([...first.selection.rows()]);
    if (!changedPlane) return;
    own.box = null;
    plot.showBox();
  }

  async function showOthers() {
    const count = state.others.length;
    if (select) select.value = count + 1;
    box.classList.toggle("several", count > 0);
    box.querySelector(".pick").hidden = byId("side-by-side-note").hidden = !count;
    await Promise.all(state.others.map((_, i) => requested[i] ??= add(i)));
    others.forEach((other, i) => {
      other.element.hidden = i >= state.others.length;
      if (!other.element.hidden) draw(other, state.others[i]);
    });
    showTitles();
  }

  const firstTitle = addTitle(byId("plot").parentElement, 1, choose);
  function showTitles() {
    firstTitle(state.choice);
    state.others.forEach((choice, i) => others[i]?.title(choice));
  }
  linkSelection(first);

  return {
    ...first, most, hover, showOthers, showTitles,
    ...Object.fromEntries(["recolour", "drawCentroids", "drawPin", "drawErrors"]
      .map((act) => [act, inAll(act)])),
  };
};
