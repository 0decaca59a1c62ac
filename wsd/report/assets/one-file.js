// A report in one file: the index, and the other files of the report packed. The address names the
// page: "report.html?words/bank.html#layers=4". Needs page.js.
"use strict";

(async () => {
  const { byId, download, inflate, make } = wsd;
  // A host that no link outside the report has.
  const BASE = "https://report.invalid/";
  const files = new Map(Array.from(document.querySelectorAll("script[data-file]"), (script) => [script.dataset.file, script]));
  const unpack = (name) => inflate(files.get(name).textContent);
  const { scripts, ofIndex } = await unpack("scripts");

  // Put a page in the place of the current one, and return the names of its scripts.
  async function open(name) {
    const page = new DOMParser().parseFromString(await unpack(name), "text/html");
    const names = Array.from(page.querySelectorAll("script[src]"), (script) => script.getAttribute("src").split("/").pop());
    // A parser without scripts takes the content of <noscript> as a part of the page.
    for (const element of page.querySelectorAll("meta[http-equiv], link[rel=stylesheet], script[src], noscript")) element.remove();
    page.head.append(document.querySelector("style"));
    document.documentElement.replaceWith(page.documentElement);
    return names;
  }

  function follow(link, page) {
    const { href, pathname, hash } = new URL(link.getAttribute("href"), BASE + page);
    if (!href.startsWith(BASE)) return;
    link.href = `?${pathname.slice(1)}${hash}`;
    if (!pathname.endsWith(".csv")) return;
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      download(new Blob([await unpack(pathname.slice(1))], { type: "text/csv" }), pathname.split("/").pop());
    });
  }

  const page = location.search.slice(1), name = decodeURIComponent(page);
  const names = files.has(name) && name.endsWith(".html") ? await open(name) : ofIndex;
  // For a script that adds links later, too.
  wsd.follow = (root) => {
    for (const link of root.querySelectorAll("a[href]:not([href^='#'])")) follow(link, page);
  };
  wsd.follow(document);
  document.documentElement.hidden = false;
  for (const script of names) if (script !== "page.js") document.head.append(make("script", scripts[script]));
  if (names !== ofIndex) byId(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
})();
