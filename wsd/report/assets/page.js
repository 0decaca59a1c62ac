// Shared by all pages: elements, numbers as text, tooltips, the address, packed data, downloads and the
// start. No eval, no network; text enters a page only as text nodes.
"use strict";

const wsd = (() => {
  const byId = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString("en");
  const percent = (share, digits = 2) => share === null ? "–" : (share * 100).toFixed(digits);

  // A function that computes its value for a key once.
  function cached(compute) {
    const values = new Map();
    return (key) => {
      if (!values.has(key)) values.set(key, compute(key));
      return values.get(key);
    };
  }

  // Call `draw` with a share that grows from 0 to 1 within a time in ms, slowly at both ends, and return a
  // function that stops this. People who prefer less motion see the end at once.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  function animate(time, draw) {
    const start = performance.now();
    let frame = 0;
    (function step(now) {
      const share = still.matches ? 1 : Math.min(1, Math.max(0, now - start) / time);
      draw(share * share * (3 - 2 * share));
      if (share < 1) frame = requestAnimationFrame(step);
    })(start);
    return () => cancelAnimationFrame(frame);
  }

  // ---- Elements ----

  // `looks` is a class; or styles, for tooltips of Bokeh, which the style sheet does not reach.
  function make(tag, text, looks) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (typeof looks === "string") element.className = looks;
    else Object.assign(element.style, looks);
    return element;
  }

  function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }
  function svg(tag, attributes, ...content) {
    const element = set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);
    element.append(...content);
    return element;
  }

  function heading(scope, ...content) {
    const cell = make("th");
    cell.scope = scope;
    cell.append(...content);
    return cell;
  }

  function button(text, act, label) {
    const element = make("button", text);
    element.type = "button";
    element.setAttribute("aria-label", label);
    element.addEventListener("click", act);
    return element;
  }

  function markCurrent(element, isCurrent) {
    if (isCurrent) element.setAttribute("aria-current", "true");
    else element.removeAttribute("aria-current");
  }

  // Keys pressed without a modifier key.
  function onKey(act) {
    addEventListener("keydown", (event) => {
      if (!(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)) act(event);
    });
  }

  // ---- The layer choices: their select, its buttons, the arrow keys ----

  // Return a function that shows the current layer choice. `choose` gets the number of the next one.
  function stepper(choose) {
    const select = byId("layers"), last = select.options.length - 1;
    const step = (by) => choose(Math.max(0, Math.min(select.selectedIndex + by, last)));
    select.addEventListener("change", () => choose(select.selectedIndex));
    byId("previous").addEventListener("click", () => step(-1));
    byId("next").addEventListener("click", () => step(1));
    onKey((event) => {
      // Elements that use the arrow keys themselves keep them.
      if (event.target.closest("input:not([type=checkbox]), select, textarea, [role=region]:not(.strip)")) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      step(by);
    });
    return (choice) => {
      select.selectedIndex = choice;
      byId("previous").disabled = choice === 0;
      byId("next").disabled = choice === last;
    };
  }

  // ---- A tooltip for points of SVG plots ----

  // `describe` returns the content for a point, an element that matches `selector`.
  function svgTooltip(selector, describe) {
    const tip = make("div", undefined, "tip");
    tip.hidden = true;
    document.body.append(tip);
    function show(event) {
      const point = event.target.closest(selector);
      tip.hidden = !point;
      if (!point) return;
      tip.replaceChildren(...describe(point));
      const { width, height } = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 8))}px`;
      tip.style.top = `${event.clientY > height + 20 ? event.clientY - height - 12 : event.clientY + 18}px`;
    }
    return {
      follow(plot) {
        plot.addEventListener("pointerover", show);
        plot.addEventListener("pointerleave", () => { tip.hidden = true; });
      },
    };
  }

  // ---- The address: key=value&key=value after the "#" ----

  const fragment = {
    encode: (parts) => parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&"),
    // A plus stays a plus: only forms encode spaces that way.
    decode: (text) => new URLSearchParams(text.replace(/^#/, "").replaceAll("+", "%2B")),
    show: (text) => history.replaceState(null, "", text ? `#${text}` : location.pathname.split("/").pop() + location.search),
  };

  // ---- Data in, files out ----

  // Arrays of numbers are base64 of their bytes.
  function decode(base64, Type) {
    if (Uint8Array.fromBase64) return new Type(Uint8Array.fromBase64(base64).buffer);
    const text = atob(base64), bytes = new Uint8Array(text.length);
    // Several times as fast as Uint8Array.from with a function.
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Type(bytes.buffer);
  }

  // Packed values are JSON, deflated, in base64.
  async function inflate(base64) {
    const bytes = decode(base64, Uint8Array);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }

  // The page's data; a page that is one file has Bokeh's script there too.
  async function unpack() {
    const packed = await inflate(byId("packed").textContent);
    if (packed.bokeh) document.head.append(make("script", packed.bokeh));
    return packed;
  }

  function download(blob, name) {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    // A word may contain characters that a file name may not.
    link.download = name.replace(/[^\p{L}\p{N}.-]+/gu, "_");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function start(page) {
    try {
      await page();
      document.documentElement.dataset.ready = "true";
    } catch (error) {
      const problem = byId("problem");
      if (problem) {
        problem.hidden = false;
        problem.textContent = `The plot could not be drawn: ${error.message}. Try a newer browser.`;
      }
      console.error(error);
    }
  }

  return {
    byId, animate, cached, count, percent, make, set, svg, heading, button, markCurrent, onKey, stepper, svgTooltip,
    fragment, decode, inflate, unpack, download, start,
  };
})();
