// What all pages share: elements, numbers as text, the address, packed data, files to save, and the
// start. No eval, no network; text enters a page only as text nodes.
"use strict";

const wsd = (() => {
  const byId = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString("en");
  const percent = (share, digits = 2) => share === null ? "–" : (share * 100).toFixed(digits);

  // ---- Elements ----

  // Looks are a class, or styles where the style sheet does not reach: in a tooltip.
  function make(tag, text, looks) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (typeof looks === "string") element.className = looks;
    else Object.assign(element.style, looks);
    return element;
  }

  function heading(scope, ...content) {
    const cell = make("th");
    cell.scope = scope;
    cell.append(...content);
    return cell;
  }

  function button(text, act, label) {
    const made = make("button", text);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  function markCurrent(element, is) {
    if (is) element.setAttribute("aria-current", "true");
    else element.removeAttribute("aria-current");
  }

  // Keys pressed with none that gives them another meaning.
  function onKey(act) {
    addEventListener("keydown", (event) => {
      if (!(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)) act(event);
    });
  }

  // ---- The address: key=value&key=value after the "#" ----

  const fragment = {
    encode: (parts) => parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&"),
    // A plus is a plus: only forms mean a space by it.
    decode: (text) => new URLSearchParams(text.replace(/^#/, "").replaceAll("+", "%2B")),
    show: (text) => history.replaceState(null, "", text ? `#${text}` : location.pathname.split("/").pop()),
  };

  // ---- Data in, files out ----

  // Numbers lie as base64 of their bytes.
  const decode = (base64, Type) =>
    new Type(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);

  // Data lie deflated in base64; a page that is one file carries Bokeh there too.
  async function unpack() {
    const bytes = decode(byId("packed").textContent, Uint8Array);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const packed = JSON.parse(await new Response(stream).text());
    if (packed.bokeh) document.head.append(make("script", packed.bokeh));
    return packed;
  }

  function download(blob, name) {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    // A word may hold what a file's name may not.
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
        problem.textContent = `The picture could not be drawn: ${error.message}. A newer browser may help.`;
      }
      console.error(error);
    }
  }

  return {
    byId, count, percent, make, heading, button, markCurrent, onKey, fragment, decode, unpack, download, start,
  };
})();
