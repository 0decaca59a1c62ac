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

// The first page's film strip: one larger frame whose points move from layer to layer. The frames of
// the page are its data.
wsd.filmStrip = () => {
  const strip = wsd.byId("film");
  if (!strip) return;
  const HOLD = 900, MOVE = 700, END = 2500; // milliseconds
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const links = [...strip.querySelectorAll("ol a")];
  const [button, label, scrubber] = strip.querySelector(".reel p").children;
  const stage = links[0].querySelector("svg").cloneNode(true);
  strip.querySelector(".reel").prepend(stage);

  const places = (line) => (line.getAttribute("points").match(/-?[\d.]+/g) ?? []).map(Number);
  const frames = links.map((link) => [...link.querySelectorAll("polyline")].map(places));
  const lines = [...stage.querySelectorAll("polyline")];
  const draw = (line, numbers) => line.setAttribute("points", numbers.join(" "));

  let current = 0, playing = false, timer = 0, stop = () => {};

  function show(next) {
    stop();
    const from = lines.map(places), to = frames[next];
    links.forEach((link, i) => link.classList.toggle("shown", i === next));
    const [layer, score] = [...links[next].querySelectorAll("span, strong")].map((part) => part.textContent);
    label.textContent = `${layer}: macro‑F1 ${score}`;
    current = scrubber.value = next;
    stop = wsd.animate(MOVE, (share) => lines.forEach((line, i) => {
      draw(line, to[i].map((end, j) => Math.round(10 * (from[i][j] + (end - from[i][j]) * share)) / 10));
    }));
  }

  function play() {
    const isLast = current === frames.length - 1;
    timer = setTimeout(() => {
      show(isLast ? 0 : current + 1);
      play();
    }, (still.matches ? 0 : MOVE) + (isLast ? END : HOLD));
  }

  function set(isPlaying) {
    clearTimeout(timer);
    playing = isPlaying;
    button.textContent = playing ? "Pause" : "Play";
    if (playing) play();
  }

  button.addEventListener("click", () => set(!playing));
  scrubber.addEventListener("input", () => {
    set(false);
    show(scrubber.valueAsNumber);
  });
  links.forEach((link, i) => {
    for (const event of ["pointerenter", "focus"]) {
      link.addEventListener(event, () => {
        set(false);
        show(i);
      });
    }
  });
  show(0);
  set(false);
  // It starts when it comes into view, once.
  const seen = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    seen.disconnect();
    if (!still.matches) set(true);
  }, { threshold: 0.5 });
  seen.observe(stage);
};
