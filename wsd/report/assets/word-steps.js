// Stepping through the layer choices: select, slider, buttons, arrow keys, links, and "Play".
"use strict";

wsd.wordSteps = (data, state, { choose }) => {
  const { byId } = wsd;

  function show() {
    byId("layers").selectedIndex = state.choice;
    byId("slider").value = state.choice;
    byId("slider").setAttribute("aria-valuetext", byId("layers").selectedOptions[0].textContent);
    byId("previous").disabled = state.choice === 0;
    byId("next").disabled = state.choice === data.choices.length - 1;
  }

  let playing = 0;
  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => choose((state.choice + 1) % data.choices.length), 1000) : 0;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").textContent = on ? "Pause" : "Play";
  }
  const chooseByHand = (choice) => { play(false); choose(choice); };

  byId("play").addEventListener("click", () => play(!playing));
  byId("layers").addEventListener("change", (event) => chooseByHand(event.target.selectedIndex));
  byId("slider").addEventListener("input", (event) => chooseByHand(Number(event.target.value)));
  byId("previous").addEventListener("click", () => chooseByHand(state.choice - 1));
  byId("next").addEventListener("click", () => chooseByHand(state.choice + 1));
  byId("choices").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-layers]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    chooseByHand(data.choices.findIndex(({ name }) => name === link.dataset.layers));
  });
  wsd.onKey((event) => {
    // Elements that use the arrow keys themselves keep them.
    if (event.target.closest("input:not([type=checkbox]), select, textarea, [role=region]")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    chooseByHand(state.choice + step);
  });

  return { show };
};
