// Stepping through the layer choices: select, film strip, buttons, arrow keys, links, and "Play".
"use strict";

wsd.wordSteps = (data, state, { choose }) => {
  const { byId } = wsd;

  function show() {
    byId("layers").selectedIndex = state.choice;
    byId("previous").disabled = state.choice === 0;
    byId("next").disabled = state.choice === data.choices.length - 1;
  }

  // Through the single layers, upwards, and again from the first: combinations are no further layers.
  const following = () => data.singleLayers.find((layer) => layer > state.choice) ?? data.singleLayers[0];
  let playing = 0;
  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => choose(following()), 1000) : 0;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").textContent = on ? "Pause" : "Play";
  }
  const chooseByHand = (choice) => { play(false); choose(choice); };

  byId("play").hidden = data.singleLayers.length < 2;
  byId("play").addEventListener("click", () => play(!playing));
  byId("layers").addEventListener("change", (event) => chooseByHand(event.target.selectedIndex));
  byId("previous").addEventListener("click", () => chooseByHand(state.choice - 1));
  byId("next").addEventListener("click", () => chooseByHand(state.choice + 1));
  for (const links of [byId("strip"), byId("choices")]) {
    links.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-layers]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      chooseByHand(data.choices.findIndex(({ name }) => name === link.dataset.layers));
    });
  }
  wsd.onKey((event) => {
    // Elements that use the arrow keys themselves keep them.
    if (event.target.closest("input:not([type=checkbox]), select, textarea, [role=region]:not(.strip)")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    chooseByHand(state.choice + step);
  });

  return { show };
};
