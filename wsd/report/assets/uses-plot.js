// The picture of a page of uses: a point per sentence, coloured by cluster; hover says the sentence,
// a click pins it.
"use strict";

wsd.usesPlot = (data, state, { pin }) => {
  const { byId, make } = wsd;
  const SVG = "http://www.w3.org/2000/svg", WIDTH = 800, HEIGHT = 520, ROOM = 16;
  const SIZE = data.n > 800 ? 9 : data.n > 200 ? 12 : 15;
  const picture = byId("picture");
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);

  function shape(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  function spread(values, first, last) {
    const low = Math.min(...values), high = Math.max(...values);
    return (value) => first + (last - first) * (high > low ? (value - low) / (high - low) : 0.5);
  }

  function draw() {
    const { x, y } = data.places(state.layer), labels = state.labels();
    // The two axes each fill the picture: what lies where is to be seen, not how far.
    const [across, down] = [spread(x, ROOM, WIDTH - ROOM), spread(y, HEIGHT - ROOM, ROOM)];
    const points = data.rows.map((row) => {
      const left = across(x[row]), top = down(y[row]), cluster = labels[row];
      const [colour, path] = data.styles[Math.max(cluster, 0) % data.styles.length];
      const point = shape("g", {
        class: cluster < 0 ? "sn hollow" : `s${colour}`, transform: `translate(${left} ${top})`, "data-row": row,
      });
      point.append(shape("path", { d: path, transform: `scale(${SIZE / 20}) translate(-10 -10)` }));
      if (row === state.pin) point.append(shape("circle", { r: SIZE }));
      return point;
    });
    if (state.pin >= 0) points.push(...points.splice(state.pin, 1));
    picture.replaceChildren(...points);
  }

  // ---- A tip says what a point is ----

  const tip = make("div", undefined, "tip");
  tip.hidden = true;
  document.body.append(tip);
  picture.addEventListener("pointerover", (event) => {
    const point = event.target.closest("[data-row]");
    tip.hidden = !point;
    if (!point) return;
    const row = Number(point.dataset.row), cluster = state.labels()[row];
    tip.replaceChildren(make("div", cluster < 0 ? "left out" : state.title(cluster)), wsd.usesText(data, row));
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 8))}px`;
    tip.style.top = `${event.clientY > height + 20 ? event.clientY - height - 12 : event.clientY + 18}px`;
  });
  picture.addEventListener("pointerleave", () => { tip.hidden = true; });
  picture.addEventListener("click", (event) => {
    const point = event.target.closest("[data-row]");
    if (point) pin(Number(point.dataset.row));
  });

  return { draw };
};

// A sentence with its focal word in bold.
wsd.usesText = (data, row) => {
  const [left, focal, right] = data.parts(row), text = wsd.make("bdi");
  text.append(left, left && " ", wsd.make("strong", focal), right && " ", right);
  return text;
};
