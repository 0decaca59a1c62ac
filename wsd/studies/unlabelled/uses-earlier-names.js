// Names of an earlier clustering of the same layer choice, method and number: the page offers them, and
// never applies them by itself, since its clusters had other sentences.
"use strict";

wsd.usesEarlierNames = (state, { changed }) => {
  const { byId, make } = wsd;

  function show() {
    const earlier = state.earlier();
    byId("earlier").hidden = !earlier;
    if (!earlier) return;
    const names = earlier.names.flatMap((name, i) => [...(i ? [", "] : []), make("bdi", name)]);
    byId("earlier-names").replaceChildren("This browser has names of an earlier clustering: ", ...names,
      earlier.known
        ? ". Its clusters had other sentences, so the names are not applied."
        : ". The sentences of its clusters are unknown, so the names are not applied: check each cluster if you use them.");
  }

  byId("adopt").addEventListener("click", () => { state.adopt(); changed(); });
  byId("discard").addEventListener("click", () => { state.discard(); show(); });
  return { show };
};
