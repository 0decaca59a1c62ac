// The controls. They step through the layer choices: select, film strip, buttons, arrow keys, links, and
// "Play". And they set classifier, colour, errors only, a value, projection, search, and the legend's boxes.
// The key P can be switched off, since speech input may produce single letters by accident.
"use strict";

wsd.wordControls = (data, state, { choose, changed }) => {
  const { byId } = wsd;

  // ---- Layer choices ----

  const showChoice = wsd.stepper(chooseByHand);
  // "Play" goes through the single layers, upwards, and again from the first: combinations are no
  // further layers.
  const following = () => data.singleLayers.find((layer) => layer > state.choice) ?? data.singleLayers[0];
  let playing = 0;
  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => choose(following()), 1000) : 0;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").textContent = on ? "Pause" : "Play";
  }
  function chooseByHand(choice) {
    play(false);
    choose(choice);
  }
  byId("play").hidden = data.singleLayers.length < 2;
  byId("play").addEventListener("click", () => play(!playing));
  for (const links of [byId("strip"), byId("choices")]) {
    links.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-layers]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      chooseByHand(data.choices.findIndex(({ name }) => name === link.dataset.layers));
    });
  }

  // ---- Filters and looks ----

  const SELECTS = ["colour", "show", "only", "method"].filter(byId);
  const boxes = [...document.querySelectorAll(".senses input, #keys")];

  function show() {
    showChoice(state.choice);
    byId("classifier").selectedIndex = state.classifier;
    for (const key of SELECTS) byId(key).value = state[key];
    if (byId("search") && byId("search").value !== state.query) byId("search").value = state.query;
    for (const box of boxes) {
      const [hidden, key] = hiddenBy(box);
      box.checked = hidden ? !hidden.has(key) : state[box.id];
    }
  }

  // A box hides a sense, a split or a part of the plot, or switches the key P.
  function hiddenBy({ dataset: { sense, split } }) {
    if (sense !== undefined) return [state.hiddenSenses, Number(sense)];
    return split === undefined ? [] : [state.hiddenSplits, split];
  }

  byId("classifier").addEventListener("change", (event) => {
    state.classifier = event.target.selectedIndex;
    changed.classifier();
  });
  for (const key of SELECTS) {
    byId(key).addEventListener("change", (event) => {
      state[key] = event.target.value;
      changed[key]();
    });
  }
  let typing = 0;
  byId("search")?.addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      state.query = event.target.value;
      changed.search();
    }, 150);
  });
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const [hidden, key] = hiddenBy(box);
      if (!hidden) state[box.id] = box.checked;
      else if (box.checked) hidden.delete(key);
      else hidden.add(key);
      changed.legend();
    });
  }
  wsd.onKey((event) => {
    const select = byId("method");
    if (!select || !state.keys || event.key.toLowerCase() !== "p") return;
    if (event.target.closest("input:not([type=checkbox], [type=range]), select, textarea")) return;
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("change"));
  });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());

  const offered = Object.fromEntries(SELECTS.map((key) => [key, Array.from(byId(key).options, (option) => option.value)]));
  return { show, offered: { ...offered, search: !!byId("search") } };
};
