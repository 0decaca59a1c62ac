// The first page's small plots: drawn when they come into view, in the projection selected by
// cross-validation, or all by PCA. Hovering over a point shows its sentence.
"use strict";

wsd.gallery = (packed) => {
  const { byId, make, decode } = wsd;
  const projection = byId("projection");
  const SVG = "http://www.w3.org/2000/svg", MANY = 60;

  function add(parent, tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  }

  const wordOf = (plot) => packed.words[plot.dataset.plot];

  function draw(plot) {
    const word = wordOf(plot), classifier = word.classifiers[plot.dataset.classifierNumber];
    const { wrong } = classifier, points = (projection?.value === "pca" && classifier.pca) || classifier.points;
    plot.replaceChildren();
    const gold = decode(word.gold, Uint16Array);
    const places = decode(points, Int8Array), errors = decode(wrong, Uint8Array);
    // Many points are drawn smaller, so that rings do not hide their points.
    const size = gold.length > MANY ? 7 : 9;
    gold.forEach((sense, i) => {
      const [colour, path] = packed.styles[sense], x = places[i], y = -places[gold.length + i] * 0.74;
      const point = add(plot, "g", { class: `s${colour}`, transform: `translate(${x} ${y})`, "data-point": i, "data-sense": sense });
      add(point, "path", { d: path, transform: `scale(${size / 20}) translate(-10 -10)` });
      if (errors[i]) add(point, "circle", { r: size * 0.75 });
    });
  }

  const tooltip = wsd.svgTooltip("[data-point]", (point) => {
    const word = wordOf(point.closest("svg")), wrong = point.querySelector("circle");
    const lines = [make("div", word.senses[point.dataset.sense] + (wrong ? ", predicted as another sense" : ""))];
    if (word.text.length) lines.push(make("div", word.text[point.dataset.point], "quiet"));
    return lines;
  });

  const drawn = new Set();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawn.add(target);
      draw(target);
    }
  }, { rootMargin: "200px" });
  addEventListener("beforeprint", () => { for (const plot of document.querySelectorAll("svg[data-plot]")) draw(plot); });
  projection?.addEventListener("change", () => drawn.forEach(draw));
  for (const plot of document.querySelectorAll("svg[data-plot]")) {
    seen.observe(plot);
    tooltip.follow(plot);
  }
};
