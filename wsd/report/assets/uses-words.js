// The words that set a cluster apart from the rest: log-odds ratios with an informative Dirichlet
// prior (Monroe, Colaresi and Quinn 2008, "Fightin' Words"), over their standard deviation.
"use strict";

// Of each sentence the words that count: in small letters, with a letter or a digit in them, and
// without the focal word, which is the tokens from `start` to before `end`.
wsd.wordsOf = (tokens, start, end) => tokens.flatMap((token, i) =>
  ((i < start || i >= end) && /[\p{L}\p{N}]/u.test(token) ? [token.toLowerCase()] : []));

// For cluster after cluster [word, z], the highest first, those above LEAST alone. The prior of a
// word is how often it stands in all sentences.
wsd.setApart = (words, labels, k) => {
  const LEAST = 1, SHOWN = 12;
  const all = new Map(), own = Array.from({ length: k }, () => new Map());
  const add = (to, word) => to.set(word, (to.get(word) ?? 0) + 1);
  const sizes = new Array(k).fill(0);
  let total = 0;
  words.forEach((of, row) => {
    if (labels[row] < 0) return;
    for (const word of of) {
      add(all, word);
      add(own[labels[row]], word);
    }
    sizes[labels[row]] += of.length;
    total += of.length;
  });
  return own.map((counts, cluster) => {
    const inside = sizes[cluster] + total, outside = total - sizes[cluster] + total;
    return [...counts].map(([word, count]) => {
      const prior = all.get(word), here = count + prior, there = prior - count + prior;
      const ratio = Math.log(here / (inside - here)) - Math.log(there / (outside - there));
      return [word, ratio / Math.sqrt(1 / here + 1 / there)];
    }).filter(([, z]) => z > LEAST).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, SHOWN);
  });
};
