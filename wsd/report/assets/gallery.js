// The first page's small plots: drawn when they come into view, in the projection selected by
// cross-validation, or all by PCA. Hovering over a point shows its sentence.
"use strict";

wsd.gallery = (packed) => {
  const { byId, make, decode, svg } = wsd;
  const projection = byId("projection"), MANY = 60;

  const wordOf = (plot) => packed.words[plot.dataset.plot];

  function draw(plot) {
    const word = wordOf(plot), classifier = word.classifiers[plot.dataset.classifierNumber];
    const { wrong } = classifier, points = (projection?.value === "pca" && classifier.pca) || classifier.points;
    const gold = decode(word.gold, Uint16Array);
    const places = decode(points, Int8Array), errors = decode(wrong, Uint8Array);
    // Many points are drawn smaller, so that rings do not hide their points.
    const size = gold.length > MANY ? 7 : 9;
    plot.replaceChildren(...Array.from(gold, (sense, i) => {
      const [colour, path] = packed.styles[sense], x = places[i], y = -places[gold.length + i] * 0.74;
      const point = svg("g", { class: `s${colour}`, transform: `translate(${x} ${y})`, "data-point": i, "data-sense": sense });
      point.append(svg("path", { d: path, transform: `scale(${size / 20}) translate(-10 -10)` }));
      if (errors[i]) point.append(svg("circle", { r: size * 0.75 }));
      return point;
    }));
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
