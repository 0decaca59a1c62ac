// The plot of a page of uses: a point per sentence. Its marker shows the cluster, its colour too or a
// value of an extra column. Sentences that do not pass the filter are grey. Hovering shows the sentence, a
// click pins it.
"use strict";

wsd.usesPlot = (data, state, { pin }) => {
  const { byId, make, svg } = wsd;
  const WIDTH = 800, HEIGHT = 520, ROOM = 16;
  const SIZE = data.n > 800 ? 9 : data.n > 200 ? 12 : 15;
  const plot = byId("plot");
  plot.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);

  function spread(values, first, last) {
    const low = Math.min(...values), high = Math.max(...values);
    return (value) => first + (last - first) * (high > low ? (value - low) / (high - low) : 0.5);
  }

  function draw() {
    const { x, y } = data.places(state.layer), labels = state.labels();
    // Each axis fills the plot: positions matter, distances do not.
    const [across, down] = [spread(x, ROOM, WIDTH - ROOM), spread(y, HEIGHT - ROOM, ROOM)];
    const column = data.extra.coloured(state.colour);
    // Grey points are below all others, the pinned one is above.
    const height = (row) => (row === state.pin ? 2 : Number(state.passes(row)));
    const points = [...data.rows].sort((a, b) => height(a) - height(b)).map((row) => {
      const left = across(x[row]), top = down(y[row]), cluster = labels[row];
      const [colour, path] = data.styles[Math.max(cluster, 0) % data.styles.length];
      const point = svg("g", {
        class: cluster < 0 ? "sn hollow" : `s${colour}`, transform: `translate(${left} ${top})`, "data-row": row,
      });
      if (!state.passes(row)) point.classList.add("off");
      else if (column) point.style.setProperty("--tone", `var(--value-${column.codes[row]})`);
      point.append(svg("path", { d: path, transform: `scale(${SIZE / 20}) translate(-10 -10)` }));
      if (row === state.pin) point.append(svg("circle", { r: SIZE }));
      return point;
    });
    plot.replaceChildren(...points);
  }

  wsd.svgTooltip("[data-row]", (point) => {
    const row = Number(point.dataset.row), cluster = state.labels()[row];
    return [make("div", cluster < 0 ? "left out" : state.title(cluster)), wsd.usesText(data, row)];
  }).follow(plot);
  plot.addEventListener("click", (event) => {
    const point = event.target.closest("[data-row]");
    if (point) pin(Number(point.dataset.row));
  });

  return { draw };
};

// A sentence with its focal word in bold.
wsd.usesText = (data, row) => {
  const [left, focal, right] = data.parts(row), text = wsd.make("bdi");
  text.append(left, wsd.make("strong", focal), right);
  return text;
};
