// A word's page of change: shows one layer choice at a time. Without this script, all are below each
// other. Hovering over a point shows its sentence.
"use strict";

wsd.start(async () => {
  const { byId, make, markCurrent } = wsd;
  const { svg } = wsd, SIZE = 5;
  const data = await wsd.unpack();
  const layers = [...document.querySelectorAll("section.layer")], names = layers.map(({ id }) => id);
  const frames = [...document.querySelectorAll(".film a")];
  const groupOf = new Map(data.rows.flatMap((rows, group) => rows.map((row) => [row, group])));
  const tip = wsd.svgTooltip("[data-row]", (point) => {
    const row = Number(point.dataset.row), [left, focal, right] = data.sentences[row], text = make("bdi");
    text.append(left, make("strong", focal), right);
    return [make("div", data.names[groupOf.get(row)]), text];
  });

  // Points that can be pointed at, instead of the markers of two lines.
  const interactive = wsd.cached((number) => {
    const plot = layers[number].querySelector("svg");
    const points = [...plot.querySelectorAll("polyline")].flatMap((line, group) => {
      const [colour, outline] = data.styles[group];
      const places = line.getAttribute("points").split(" ").filter(Boolean);
      return places.map((place, i) => {
        const look = { class: `s${colour}`, transform: `translate(${place})`, "data-row": data.rows[group][i] };
        return svg("g", look, svg("path", { d: outline, transform: `scale(${SIZE / 20}) translate(-10 -10)` }));
      });
    });
    plot.replaceChildren(...points);
    tip.follow(plot);
    return plot;
  });

  const showChoice = wsd.stepper(choose);
  let current = byId("layers").selectedIndex;
  function show(number) {
    current = number;
    interactive(number);
    layers.forEach((layer, i) => { layer.hidden = i !== number; });
    frames.forEach((frame, i) => {
      frame.classList.toggle("shown", i === number);
      markCurrent(frame, i === number);
    });
    showChoice(number);
  }
  function choose(number) {
    show(number);
    wsd.fragment.show(names[number]);
  }
  function recall() {
    const number = names.indexOf(decodeURIComponent(location.hash.slice(1)));
    show(number < 0 ? current : number);
  }

  byId("steps").hidden = false;
  frames.forEach((frame, i) => frame.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(i);
  }));
  addEventListener("hashchange", recall);
  recall();
});
