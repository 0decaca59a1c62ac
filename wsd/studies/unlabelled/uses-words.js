// The words that distinguish a cluster from the others: log-odds ratios with an informative Dirichlet
// prior (Monroe, Colaresi and Quinn 2008, "Fightin' Words"), divided by their standard deviation. The
// study of substitutes has the same measure in Python; tests/helpers/log_odds_cases.py tests both.
"use strict";

// The words of a sentence in lower case: tokens with a letter or a digit, without the focal word, which
// is the tokens from `start` to before `end`.
wsd.wordsOf = (tokens, start, end) => tokens.flatMap((token, i) =>
  ((i < start || i >= end) && /[\p{L}\p{N}]/u.test(token) ? [token.toLowerCase()] : []));

// Per cluster, [word, z] with z above LEAST, the highest first. The prior of a word is its count in all
// sentences.
wsd.distinguishingWords = (words, labels, k) => {
  const LEAST = 1, SHOWN = 12;
  const all = new Map(), own = Array.from({ length: k }, () => new Map());
  const add = (to, word) => to.set(word, (to.get(word) ?? 0) + 1);
  const sizes = new Array(k).fill(0);
  let total = 0;
  words.forEach((sentence, row) => {
    if (labels[row] < 0) return;
    for (const word of sentence) {
      add(all, word);
      add(own[labels[row]], word);
    }
    sizes[labels[row]] += sentence.length;
    total += sentence.length;
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
