// Names of an earlier clustering in the same place: they are offered, since its clusters held other
// sentences.
"use strict";

wsd.usesOlder = (state, { changed }) => {
  const { byId, make } = wsd;

  function show() {
    const older = state.older();
    byId("older").hidden = !older;
    if (!older) return;
    const names = older.names.flatMap((name, i) => [...(i ? [", "] : []), make("bdi", name)]);
    byId("older-names").replaceChildren("Names of an earlier clustering are kept here: ", ...names,
      older.known
        ? ". Its clusters held other sentences, so the names are not applied."
        : ". Which sentences its clusters held is not known, so the names are not applied: check each cluster after taking them over.");
  }

  byId("adopt").addEventListener("click", () => { state.adopt(); changed(); });
  byId("discard").addEventListener("click", () => { state.discard(); show(); });
  return { show };
};
