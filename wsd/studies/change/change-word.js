// A word's page of change: shows one layer choice at a time. Without this script, all are below each
// other. Hovering over a point shows its sentence.
"use strict";

wsd.start(async () => {
  const { byId, make, markCurrent } = wsd;
  const SVG = "http://www.w3.org/2000/svg", SIZE = 5;
  const data = await wsd.unpack();
  const layers = [...document.querySelectorAll("section.layer")], names = layers.map(({ id }) => id);
  const frames = [...document.querySelectorAll(".film a")], select = byId("layers");
  const groupOf = new Map(data.rows.flatMap((rows, group) => rows.map((row) => [row, group])));
  const tip = wsd.svgTooltip("[data-row]", (point) => {
    const row = Number(point.dataset.row), [left, focal, right] = data.sentences[row], text = make("bdi");
    text.append(left, left && " ", make("strong", focal), right && " ", right);
    return [make("div", data.names[groupOf.get(row)]), text];
  });

  // Points that can be pointed at, instead of the markers of two lines.
  const interactive = wsd.cached((number) => {
    const plot = layers[number].querySelector("svg");
    const points = [...plot.querySelectorAll("polyline")].flatMap((line, group) => {
      const [colour, outline] = data.styles[group];
      const places = line.getAttribute("points").split(" ").filter(Boolean);
      return places.map((place, i) => {
        const point = document.createElementNS(SVG, "g"), path = document.createElementNS(SVG, "path");
        point.setAttribute("class", `s${colour}`);
        point.setAttribute("transform", `translate(${place})`);
        point.dataset.row = data.rows[group][i];
        path.setAttribute("d", outline);
        path.setAttribute("transform", `scale(${SIZE / 20}) translate(-10 -10)`);
        point.append(path);
        return point;
      });
    });
    plot.replaceChildren(...points);
    tip.follow(plot);
    return plot;
  });

  let current = select.selectedIndex;
  function show(number) {
    current = number;
    interactive(number);
    layers.forEach((layer, i) => { layer.hidden = i !== number; });
    frames.forEach((frame, i) => {
      frame.classList.toggle("shown", i === number);
      markCurrent(frame, i === number);
    });
    select.selectedIndex = number;
    byId("previous").disabled = number === 0;
    byId("next").disabled = number === layers.length - 1;
  }
  function choose(number) {
    if (number < 0 || number >= layers.length) return;
    show(number);
    wsd.fragment.show(names[number]);
  }
  function recall() {
    const number = names.indexOf(decodeURIComponent(location.hash.slice(1)));
    show(number < 0 ? current : number);
  }

  byId("steps").hidden = false;
  select.addEventListener("change", () => choose(select.selectedIndex));
  byId("previous").addEventListener("click", () => choose(current - 1));
  byId("next").addEventListener("click", () => choose(current + 1));
  frames.forEach((frame, i) => frame.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(i);
  }));
  wsd.onKey((event) => {
    if (event.target.closest("input, select, textarea, [role=region]")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) choose(current + step);
  });
  addEventListener("hashchange", recall);
  recall();
});
