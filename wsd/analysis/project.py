"""Two dimensions to look at: principal components, the axes of an LDA, or t-SNE.

One file per method and layer choice holds all words: word, split, index, x, y; its metadata has
what share each axis holds, two scores, and why a word has no picture. A picture is not the
classifier's view: two axes of hundreds. How much of the senses it still shows is what the score
says, the macro-F1 on the test split of a vote of the five nearest training points;
:mod:`wsd.artifacts.neighbour_table` has the same score for the full space. The cross-validated
score is the same vote among the training points, each by the points of the other folds: pages
choose a projection by it, so that no test label decides which one is shown.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from wsd.analysis.discriminant import discriminants, obstacle
from wsd.arguments import add_feature_set, add_out, add_seed
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpora, Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.fold_table import WordFolds, read_for_words
from wsd.artifacts.projection import METHODS, Projection, write_projections
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError
from wsd.metrics.eigenvectors import largest
from wsd.metrics.nearest import K, blocks, highest, vote_macro_f1
from wsd.metrics.single_thread import one_thread

PERPLEXITY = 30.0
# MB that t-SNE's search for neighbours may take; scikit-learn's own limit is 1024.
WORKING_MEMORY = 64


def pca(vectors: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """The first two principal components of the training rows, and all rows on them.

    An axis that the training rows do not have (there are too few, or all are equal) is zero.

    Parameters
    ----------
    vectors : array of shape (n, features)
    train : bool array of shape (n,)

    Returns
    -------
    points, explained
        As in :class:`Projection`.
    """
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    explained = [0.0, 0.0]
    fitted = vectors[train].astype(np.float64)
    if np.ptp(fitted, axis=0).any():
        with one_thread():
            origin = fitted.mean(axis=0)
            fitted -= origin
            wide = fitted.shape[0] < fitted.shape[1]
            products = fitted @ fitted.T if wide else fitted.T @ fitted
            variances, axes = largest(products, 2)
            ratios = variances / products.trace()
            # Beyond the rank of the training rows an axis is rounding error of any direction.
            found = int((ratios > 1e-12).sum())
            axes = axes[:, :found]
            if wide:
                axes = fitted.T @ (axes / np.sqrt(variances[:found]))
            # An axis has no sign but the one given it: its largest entry is positive.
            axes *= np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0))
            points[:, :found] = (vectors.astype(np.float64) - origin) @ axes
        explained[:found] = ratios[:found].tolist()
    return points, (explained[0], explained[1])


def tsne(vectors: np.ndarray, seed: int) -> np.ndarray:
    """scikit-learn's t-SNE under cosine distance, started from the principal components.

    It cannot place a point that it was not fitted on, so training and test instances are fitted
    together, without their labels: a test instance shapes the picture, which a classifier would
    not let it, and a score can come out above that of the full space. Distances between far
    clouds mean nothing. Fewer than four rows, which leave no perplexity of 1, rows that are all
    equal and vectors of one number give zeros.

    Parameters
    ----------
    vectors : array of shape (n, features)
        All of what takes part: no sentence from out of domain.
    seed : int

    Returns
    -------
    float32 array of shape (n, 2)
    """
    from sklearn import config_context
    from sklearn.manifold import TSNE

    n, width = vectors.shape
    if n < 4 or width < 2 or not np.ptp(vectors, axis=0).any():
        return np.zeros((n, 2), dtype=np.float32)
    perplexity = min(PERPLEXITY, (n - 1) / 3)
    model = TSNE(init="pca", perplexity=perplexity, metric="cosine", random_state=seed, n_jobs=1)
    # The last bits of a sum depend on the number of threads, and t-SNE makes much of them.
    with one_thread(), config_context(working_memory=WORKING_MEMORY):
        return np.asarray(model.fit_transform(vectors), dtype=np.float32)


def place(
    corpus: Corpus, vectors: np.ndarray, method: str, seed: int, folds: WordFolds | None = None
) -> Projection:
    """Put one word's instances in the plane and score the picture.

    Sentences from out of domain lie on the axes of the training instances like any others; in
    t-SNE they take no part and are NaN.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    method : str
        One of ``METHODS``.
    seed : int
        Of t-SNE; nothing else is drawn.
    folds : WordFolds, optional
        Of the word's full training set. Without them it has no axes of an LDA, and no projection
        of it has a score on folds.
    """
    explained = None
    if method == "pca":
        points, explained = pca(vectors, corpus.split == "train")
    elif method == "discriminant":
        why = obstacle(corpus, folds)
        if folds is None or why:
            nowhere = np.full((len(corpus), 2), np.nan, dtype=np.float32)
            return Projection(nowhere, None, float("nan"), why)
        points, explained = discriminants(vectors, corpus, folds)
    else:
        points = np.full((len(corpus), 2), np.nan, dtype=np.float32)
        kept = corpus.split != OUT_OF_DOMAIN
        points[kept] = tsne(vectors[kept], seed)
    train, test = (np.flatnonzero(corpus.split == split) for split in ("train", "test"))
    voters = _nearest_points(points[test], points[train])
    senses = len(corpus.senses)
    score = vote_macro_f1(voters, corpus.gold[train], corpus.gold[test], senses)
    on_folds = _score_cv(points[train], corpus.gold[train], senses, folds)
    return Projection(points, explained, score, score_cv=on_folds)


def _score_cv(
    points: np.ndarray, gold: np.ndarray, n_senses: int, folds: WordFolds | None
) -> float:
    """Macro-F1 over the training points of a vote of the five nearest points of other folds."""
    if folds is None or folds.held is None:
        return float("nan")
    voters = np.empty((len(points), K), dtype=np.int64)
    for seen, held in folds.splits(0):
        nearest = _nearest_points(points[held], points[seen])
        voters[held] = np.where(nearest >= 0, seen[nearest], -1)
    return vote_macro_f1(voters, gold, gold, n_senses)


def _nearest_points(tested: np.ndarray, trained: np.ndarray) -> np.ndarray:
    """The five nearest training points of each test point, numbered among themselves."""
    # As they are drawn, but in float64, where equal points are equally far.
    tested, trained = tested.astype(np.float64), trained.astype(np.float64)
    voters = np.empty((len(tested), K), dtype=np.int32)
    for block in blocks(len(tested), len(trained)):
        voters[block] = highest(-cdist(tested[block], trained, "sqeuclidean"))[0]
    return voters


def _folds(path: Path | None, corpora: Corpora, method: str) -> dict[str, WordFolds]:
    """The folds of each word that has them, if they are of these very training instances."""
    if path is None:
        if method != "discriminant":
            return {}
        what = "training instances are placed on the axes of an LDA fold by fold: no folds given"
        raise ConfigError(what, where="--folds", fix="name the file that `wsd folds` wrote")
    found = read_for_words(path, corpora)
    if found.train != FULL:
        what = f"the folds are of the training set {found.train!r}, not of {FULL!r}"
        raise ConfigError(what, where=str(path), fix="name the folds of the full training set")
    words = [word for word in corpora if word in found.words]
    for word in words:
        found.rows(corpora[word])  # refuses folds of another table
    return {word: found.words[word] for word in words}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_feature_set(parser)
    parser.add_argument("--method", default="pca", choices=METHODS)
    text = "of the full training set: needed for discriminant, else for the score on folds"
    parser.add_argument("--folds", type=Path, nargs="?", metavar="FILE", help=text)
    add_seed(parser, "of tsne")
    add_out(parser, "the projections", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Project every word on one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    folds = _folds(args.folds, corpora, args.method)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    pictures = {
        word: place(corpus, stored.read(corpus), args.method, args.seed, folds.get(word))
        for word, corpus in corpora.items()
    }
    seed = {"seed": args.seed} if args.method == "tsne" else {}
    made_by = {**stored.provenance(args.out), "method": args.method, **seed}
    write_projections(args.out, corpora, pictures, made_by)
