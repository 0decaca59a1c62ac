// The first page's film strip: one larger frame whose points move from layer to layer. The frames of
// the page are its data.
"use strict";

wsd.filmStrip = () => {
  const strip = wsd.byId("film");
  if (!strip) return;
  const HOLD = 900, MOVE = 700, END = 2500; // milliseconds
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const links = [...strip.querySelectorAll("ol a")];
  const [button, label] = strip.querySelector(".reel p").children;
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
    current = next;
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
