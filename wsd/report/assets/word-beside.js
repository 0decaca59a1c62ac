// Further pictures beside the first, each of a layer choice of its own, with all else shared: what is
// drawn anew in the first is drawn anew in all, and a point marked in one is marked in all.
"use strict";

// Layer choices to begin with: what the usual lesson compares, if the report has it; then what is near
// the chosen one.
wsd.besideAtFirst = ({ choices, singleLayers }, chosen) => {
  const means = ["mean-last-2", "mean-last-3", "mean-last-4"]
    .map((name) => choices.findIndex((choice) => choice.name === name));
  const far = (choice) => Math.abs(choice - chosen);
  const near = choices.map((_, choice) => choice).sort((a, b) => far(a) - far(b) || a - b);
  const lesson = singleLayers.length && means.every((choice) => choice >= 0);
  return lesson ? [singleLayers.at(-1), ...means, ...near] : near;
};

wsd.wordBeside = (first, figure, data, state, { pin, choose, changed }) => {
  const { byId, make, percent } = wsd;
  const select = byId("pictures"), most = select ? Number(select.options[select.options.length - 1].value) : 1;
  const box = byId("beside"), asked = [], others = []; // of each picture made: box, state, plot, title
  const plots = () => [first, ...others.slice(0, state.others.length).flatMap(({ plot }) => plot)];
  const inAll = (act) => () => { for (const plot of plots()) plot[act](); };

  function hover(row) {
    if (row === state.hovered) return;
    state.hovered = row;
    if (state.others.length) inAll("drawHovered")();
  }
  // A selection equal to the one that is there is no change, and goes no further.
  function linkSelection(of) {
    of.selection.onChange(() => { for (const plot of plots()) plot.selection.set([...of.selection.rows()]); });
  }

  // ---- Which layer choices ----

  select?.addEventListener("change", () => {
    const count = Number(select.value);
    if (count > 1) {
      const kept = state.others.length ? [state.choice, ...state.others] : [];
      [state.choice, ...state.others] = [...new Set([...kept, ...wsd.besideAtFirst(data, state.choice)])].slice(0, count);
      state.box = null;
    } else state.others = [];
    changed();
  });

  // ---- The pictures ----

  // Above a picture: its layer choice, to be changed, and how the classifier does there.
  function addTitle(to, number, chosen) {
    const line = make("p", undefined, "pick"), pick = make("select");
    pick.append(...Array.from(byId("layers").options, ({ text, value }) => new Option(text, value)));
    pick.setAttribute("aria-label", `Layer choice of picture ${number}`);
    pick.addEventListener("change", () => chosen(pick.selectedIndex));
    line.append(pick, make("span"));
    to.prepend(line);
    return (choice) => {
      pick.selectedIndex = choice;
      const { macro_f1: score } = data.choices[choice].scores[state.classifier];
      line.lastChild.textContent = `${state.classifierName}: macro\u2011F1 ${percent(score)}`;
    };
  }

  async function add(i) {
    const at = make("div"), place = make("div", undefined, "plot"), own = state.at(state.others[i]);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `Scatter plot of the same instances, picture ${i + 2}`);
    at.append(place);
    box.append(at);
    const title = addTitle(at, i + 2, (choice) => { state.others[i] = choice; changed(); });
    const embedded = await wsd.plots.embed(structuredClone(figure), place, `plot-${i + 2}`);
    const plot = wsd.wordPlot(embedded, data, own, wsd.wordColours(data, own), wsd.wordText(data, own),
      { pin, hover, remember: () => {} });
    linkSelection(plot);
    plot.startTips();
    others[i] = { at, own, plot, title };
  }

  function draw({ own, plot }, choice) {
    const another = own.choice !== choice || own.drawn !== own.method;
    Object.assign(own, { choice, drawn: own.method });
    plot.showVisible();
    plot.draw();
    plot.selection.set([...first.selection.rows()]);
    if (!another) return;
    own.box = null;
    plot.showBox();
  }

  async function showOthers() {
    const count = state.others.length;
    if (select) select.value = count + 1;
    box.classList.toggle("several", count > 0);
    box.querySelector(".pick").hidden = byId("beside-note").hidden = !count;
    await Promise.all(state.others.map((_, i) => asked[i] ??= add(i)));
    others.forEach((one, i) => {
      one.at.hidden = i >= state.others.length;
      if (!one.at.hidden) draw(one, state.others[i]);
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
    ...Object.fromEntries(["recolour", "drawCentroids", "drawPin", "drawErrors", "showVisible"]
      .map((act) => [act, inAll(act)])),
  };
};
