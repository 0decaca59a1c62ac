// Plots as files: SVG, or PNG at twice the size, with title, legend and source line. Files are light
// even if the page is dark, and need no style sheet.
"use strict";

wsd.files = (() => {
  const { set, svg: node } = wsd;
  const INK = "#1c2126", QUIET = "#535c66", MARGIN = 16, LEAST_WIDTH = 420;
  const LOOKS = [
    "fill", "fill-opacity", "opacity", "stroke", "stroke-dasharray", "stroke-opacity", "stroke-width",
    "font-size", "font-weight", "text-anchor", "vector-effect",
  ];
  const ruler = document.createElement("canvas").getContext("2d");

  // The style sheet has other colours for a dark page, and ignores that in the class "light".
  function inLight(act) {
    const { classList } = document.documentElement, isLight = classList.contains("light");
    classList.add("light");
    try {
      return act();
    } finally {
      classList.toggle("light", isLight);
    }
  }

  // ---- Parts of a file ----

  // A copy of an SVG element of the page, with the style sheet's values as attributes.
  function copy(svg, attributes = {}) {
    const clone = svg.cloneNode(true), originals = [svg, ...svg.querySelectorAll("*")];
    [clone, ...clone.querySelectorAll("*")].forEach((element, i) => {
      const style = getComputedStyle(originals[i]);
      for (const look of LOOKS) element.setAttribute(look, style.getPropertyValue(look));
      for (const name of ["class", "style"]) element.removeAttribute(name);
    });
    return set(clone, attributes);
  }

  // The film strip as SVG: the border, the plot and the texts of each frame, where the page has them.
  function draw(strip) {
    const { left, top, width, height } = strip.getBoundingClientRect(), EDGE = 2;
    const drawing = node("svg", { viewBox: [-EDGE, -EDGE, width + 2 * EDGE, height + 2 * EDGE].join(" ") });
    for (const part of strip.querySelectorAll("a, a *")) {
      const box = part.getBoundingClientRect();
      if (!box.width) continue; // a layer without a frame on the page
      const { borderTopColor, color, fontSize, fontWeight } = getComputedStyle(part);
      const place = { x: box.left - left, y: box.top - top, width: box.width, height: box.height };
      if (part.matches("a")) drawing.append(node("rect", { ...place, fill: "none", stroke: borderTopColor, rx: 8 }));
      else if (part.matches("svg")) drawing.append(copy(part, { ...place, overflow: "visible" }));
      else if (part.matches("span, strong")) {
        const look = { fill: color, "font-size": fontSize, "font-weight": fontWeight };
        const fit = { y: place.y + place.height * 0.8, textLength: place.width, lengthAdjust: "spacingAndGlyphs" };
        drawing.append(node("text", { ...place, ...look, ...fit }, part.textContent));
      }
    }
    return drawing;
  }

  // The markers of lines, which may be anywhere on the page.
  function markers(drawing) {
    const names = [...drawing.querySelectorAll("[marker-start]")].map((line) => line.getAttribute("marker-start").slice(5, -1));
    return node("defs", {}, ...Array.from(new Set(names), (name) => copy(wsd.byId(name))));
  }

  function widthOf(text, size, weight = "") {
    ruler.font = `${weight} ${size}px sans-serif`;
    return ruler.measureText(text).width;
  }

  function lines(text, width, size, weight) {
    const rows = [""];
    for (const word of text.split(" ")) {
      const longer = `${rows.at(-1)} ${word}`.trim();
      if (rows.at(-1) && widthOf(longer, size, weight) > width) rows.push(word);
      else rows[rows.length - 1] = longer;
    }
    return rows;
  }

  // The entries of legends of the page, except those that are switched off: marks and a text.
  function entries(legends, shows) {
    const all = [...legends].flatMap((legend) => [...legend.children]);
    return all.filter((entry) => !entry.querySelector("input:not(:checked)")).map((entry) => {
      const text = entry.querySelector("bdi") ?? entry.querySelector("label") ?? entry;
      return { marks: [...entry.querySelectorAll("svg, .swatch")], text: text.textContent.trim() };
    }).filter(({ text }) => shows(text));
  }

  function drawMark(mark, x, y) {
    const box = mark.viewBox?.baseVal;
    if (box) {
      const place = { x, y: y - 14, width: box.width * 0.8, height: 16 };
      return [copy(mark, place), place.width];
    }
    const fill = getComputedStyle(mark).backgroundColor;
    return [node("rect", { x, y: y - 11, width: 12, height: 12, fill }), 12];
  }

  // ---- A file ----

  // "Layers · MiniLM · my corpus" is the title of a page of layers.
  const pageTitle = () => document.title.split(" · ").slice(1).join(" · ");

  // `picture` is an SVG element with a view box; `legend` has entries.
  function compose({ title, details = pageTitle(), picture, legend }) {
    const { width: inner, height } = picture.viewBox.baseVal;
    const room = Math.max(inner, LEAST_WIDTH), file = node("svg", { "font-family": "sans-serif" });
    let y = MARGIN;
    function write(text, size, fill, weight = "normal") {
      for (const row of lines(text, room, size, weight)) {
        y += size * 1.35;
        file.append(node("text", { x: MARGIN, y, fill, "font-size": size, "font-weight": weight }, row));
      }
    }
    write(title, 18, INK, "bold");
    if (details) write(details, 13, QUIET);
    y += 10;
    file.append(set(picture, { x: MARGIN, y, width: inner, height }));
    y += height + 24;
    let x = MARGIN;
    for (const { marks, text } of legend) {
      const width = marks.reduce((sum, mark) => sum + (mark.viewBox?.baseVal.width ?? 15) * 0.8 + 2, 0);
      const whole = width + 6 + widthOf(text, 13);
      if (x > MARGIN && x + whole > MARGIN + room) [x, y] = [MARGIN, y + 22];
      let at = x;
      for (const mark of marks) {
        const [drawn, used] = drawMark(mark, at, y);
        file.append(drawn);
        at += used + 2;
      }
      file.append(node("text", { x: at + 4, y, fill: INK, "font-size": 13 }, text));
      x += whole + 20;
    }
    if (legend.length) y += 8;
    write(document.querySelector("footer").dataset.source, 11, QUIET);
    const size = { width: room + 2 * MARGIN, height: Math.ceil(y + MARGIN) };
    set(file, { ...size, viewBox: `0 0 ${size.width} ${size.height}` });
    file.prepend(node("title", {}, title), node("rect", { width: "100%", height: "100%", fill: "#ffffff" }), markers(file));
    return file;
  }

  async function png(svg) {
    const image = new Image(), canvas = document.createElement("canvas");
    // The policy allows data: images, but not blob: images.
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => { canvas.toBlob(resolve); });
  }

  async function save(kind, name, { picture, legends, shows, ...titles }) {
    const drawn = await picture();
    const svg = inLight(() => compose({ ...titles, picture: drawn, legend: entries(legends, shows) }));
    const text = new XMLSerializer().serializeToString(svg);
    const blob = kind === "png" ? await png(text) : new Blob([text], { type: "image/svg+xml" });
    wsd.download(blob, `${name}.${kind}`);
  }

  return { inLight, draw, save };
})();
