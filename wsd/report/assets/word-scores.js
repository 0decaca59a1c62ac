// The numbers next to the plot: each classifier's scores, the confusion matrix, and a note on the
// projection.
"use strict";

wsd.wordScores = (data, state, { selectCell }) => {
  const { byId, button, count, heading, make, markCurrent, percent } = wsd;
  const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

  function showProjectionNote() {
    const { score, projections } = state.layers, projection = projections[state.method], { explained } = projection;
    const width = count(Number(byId("projection-note").dataset.width));
    const share = explained && percent(explained[0] + explained[1], 1);
    const method = {
      pca: `PC 1 and PC 2, fitted on the training instances, explain ${share}% of their variance.`,
      discriminant: `${explained?.[1]
        ? `The first two axes of an LDA, fitted with the labels of the training instances, explain ${share}% of the variance between senses, relative to the within-class covariance.`
        : "An LDA, fitted with the labels of the training instances, has one axis for two senses; the second axis is the first principal component of the residuals."
      } Each training instance is projected by a fit without it.`,
      tsne: "t-SNE of training and test instances together, without labels. Distances between groups and their sizes mean little, and its score may exceed the full space's.",
    }[state.method];
    const scores = score === null ? ""
      : ` A vote of the 5 nearest training instances scores macro‑F1 ${percent(score, 1)} in the full space (${width} dimensions a layer) and ${percent(projection.score, 1)} in this plot.`;
    byId("projection-note").textContent = method + scores;
  }

  // Over all test instances, which may be more than the page shows.
  function testsAndErrors(confusion) {
    const total = sumOf(confusion.flat());
    return { total, wrong: total - sumOf(confusion.map((counts, sense) => counts[sense])) };
  }

  function showErrors() {
    byId("n-errors").textContent = count(state.wrongShown().length);
  }

  function showScores() {
    const { name: layers, scores, confusion } = state.layers;
    const counted = confusion.map(testsAndErrors);
    for (const line of byId("scores").tBodies[0].rows) {
      const classifier = Number(line.dataset.classifier);
      markCurrent(line, classifier === state.classifier);
      for (const cell of line.querySelectorAll("[data-metric]")) {
        const key = cell.dataset.metric;
        cell.textContent = key === "wrong" ? count(counted[classifier].wrong) : percent(scores[classifier][key]);
      }
    }
    for (const line of byId("choices").tBodies[0].rows) markCurrent(line, line.dataset.layers === layers);
    const texts = data.classifiers.map(({ name }, i) =>
      `${name}: macro-F1 ${percent(scores[i].macro_f1)}, word accuracy ${percent(scores[i].accuracy)}, ` +
        `${count(counted[i].wrong)} error${counted[i].wrong === 1 ? "" : "s"} of ${count(counted[i].total)}`);
    const shown = ["layers", "method"].filter(byId).map((id) => byId(id).selectedOptions[0].textContent);
    byId("status").textContent = `${shown.join(", ")}. ${texts.join("; ")}.`;
  }

  function senseHeading(scope, sense) {
    const breakable = make("bdi");
    data.names[sense].split("_").forEach((part, i) =>
      breakable.append(...(i ? ["_", make("wbr"), part] : [part])));
    const cell = heading(scope, breakable);
    cell.title = [data.senses[sense], data.glosses[sense]].filter(Boolean).join(": ");
    return cell;
  }

  // A click on a number filters the instances; a second click shows all again.
  function confusionCell(number, gold, predicted) {
    const cell = make("td", undefined, `n${gold === predicted ? " ok" : number ? " wrong" : " quiet"}`);
    if (!number) {
      cell.textContent = "0";
      return cell;
    }
    const isSelected = String(state.cell) === String([gold, predicted]);
    const label = `${count(number)} of ${data.names[gold]} predicted as ${data.names[predicted]}`;
    const shows = button(count(number), () => {
      selectCell(isSelected ? null : [gold, predicted]);
      byId("confusion").rows[gold + 1].cells[predicted + 1].firstChild.focus({ preventScroll: true });
    }, label);
    shows.setAttribute("aria-pressed", String(isSelected));
    cell.append(shows);
    return cell;
  }

  function showConfusion() {
    const head = make("thead"), body = make("tbody"), top = make("tr");
    top.append(make("td", `${state.classifierName}: gold ↓, predicted →`, "quiet"));
    for (const sense of data.senses.keys()) {
      const cell = senseHeading("col", sense);
      cell.className = "n sense";
      top.append(cell);
    }
    head.append(top);
    state.layers.confusion[state.classifier].forEach((counts, i) => {
      const line = make("tr");
      line.append(senseHeading("row", i), ...counts.map((number, j) => confusionCell(number, i, j)));
      body.append(line);
    });
    byId("confusion").replaceChildren(head, body);
  }

  return { showProjectionNote, showErrors, showScores, showConfusion };
};
