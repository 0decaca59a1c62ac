// The first page's small pictures: drawn as they come into view, in the projection selected by cross-validation
// or all by PCA; hovering a point says its sentence.
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

  function draw(picture) {
    const word = packed.words[picture.dataset.picture], reader = word.readers[picture.dataset.of];
    const { wrong } = reader, points = (projection?.value === "pca" && reader.pca) || reader.points;
    picture.replaceChildren();
    const gold = decode(word.gold, Uint16Array);
    const places = decode(points, Int8Array), errors = decode(wrong, Uint8Array);
    // In a crowd smaller ones, or rings hide what they mark.
    const size = gold.length > MANY ? 7 : 9;
    gold.forEach((sense, i) => {
      const [colour, path] = packed.styles[sense], x = places[i], y = -places[gold.length + i] * 0.74;
      const point = add(picture, "g", { class: `s${colour}`, transform: `translate(${x} ${y})`, "data-point": i, "data-sense": sense });
      add(point, "path", { d: path, transform: `scale(${size / 20}) translate(-10 -10)` });
      if (errors[i]) add(point, "circle", { r: size * 0.75 });
    });
  }

  // ---- A tip says what a point is ----

  const tip = make("div", undefined, "tip");
  tip.hidden = true;
  document.body.append(tip);

  function showTip(point) {
    const word = packed.words[point.closest("svg").dataset.picture], wrong = point.querySelector("circle");
    tip.replaceChildren(make("div", word.senses[point.dataset.sense] + (wrong ? ", taken for another" : "")));
    if (word.text.length) tip.append(make("div", word.text[point.dataset.point], "quiet"));
    tip.hidden = false;
  }

  function over(event) {
    const point = event.target.closest("[data-point]");
    tip.hidden = true;
    if (!point) return;
    showTip(point);
    const { innerWidth } = window, { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 8))}px`;
    tip.style.top = `${event.clientY > height + 20 ? event.clientY - height - 12 : event.clientY + 18}px`;
  }

  const drawn = new Set();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawn.add(target);
      draw(target);
    }
  }, { rootMargin: "200px" });
  projection?.addEventListener("change", () => drawn.forEach(draw));
  for (const picture of document.querySelectorAll("svg[data-picture]")) {
    seen.observe(picture);
    picture.addEventListener("pointerover", over);
    picture.addEventListener("pointerleave", () => { tip.hidden = true; });
  }
};
