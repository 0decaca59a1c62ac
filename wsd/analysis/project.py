"""Project the instances of a word to two dimensions: PCA, the axes of an LDA, or t-SNE.

A file per method and layer choice holds all words: word, split, index, x, y. Its metadata has the
share of variance of each axis, two scores, and why a word has no projection. Two axes show less
than the classifier uses. The score measures how well they separate the senses: the five nearest
training points vote on each test point, and the score is the macro-F1 of the votes.
:mod:`wsd.artifacts.instance_tables` has the same score for the full space. For the cross-validated
score, points of the other folds vote on each training point. Pages select a projection by this
score, which uses no test label.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from wsd.arguments import add_feature_set, add_out, add_seed
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpora, Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.instance_tables import METHODS, Projection, write_projections
from wsd.artifacts.training_set import FULL, WordFolds, read_folds_for
from wsd.errors import ConfigError
from wsd.metrics.covariance import Covariance, classes_of, largest
from wsd.metrics.nearest import K, blocks, highest, vote_macro_f1
from wsd.metrics.single_thread import one_thread

PERPLEXITY = 30.0
# MB for t-SNE's search for neighbours; scikit-learn's default is 1024.
WORKING_MEMORY = 64


def pca(vectors: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """Project all rows on the first two principal components of the training rows.

    An axis that the training rows lack (they are too few, or all equal) is zero.

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
            # Beyond the rank of the training rows an axis is rounding error.
            rank = int((ratios > 1e-12).sum())
            axes = axes[:, :rank]
            if wide:
                axes = fitted.T @ (axes / np.sqrt(variances[:rank]))
            # The sign of an axis is arbitrary: its largest entry is made positive.
            axes *= np.sign(_largest(axes))
            points[:, :rank] = (vectors.astype(np.float64) - origin) @ axes
        explained[:rank] = ratios[:rank].tolist()
    return points, (explained[0], explained[1])


def tsne(vectors: np.ndarray, seed: int) -> np.ndarray:
    """Project rows by scikit-learn's t-SNE with cosine distance, initialised by PCA.

    t-SNE cannot place new points, so training and test instances are fitted together, without
    labels. Since test instances take part in the fit, a score can exceed the full space's score.
    Distances between clusters mean nothing. The result is zero for fewer than four rows, for rows
    that are all equal, and for vectors of one number.

    Parameters
    ----------
    vectors : array of shape (n, features)
        Without out-of-domain sentences.
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
    # The last bits of a sum depend on the number of threads, and t-SNE amplifies them.
    with one_thread(), config_context(working_memory=WORKING_MEMORY):
        return np.asarray(model.fit_transform(vectors), dtype=np.float32)


def place(
    corpus: Corpus, vectors: np.ndarray, method: str, seed: int, folds: WordFolds | None = None
) -> Projection:
    """Project one word's instances to the plane and score the projection.

    Out-of-domain sentences are projected on the axes of the training instances; t-SNE leaves them
    out (NaN).

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    method : str
        Among ``METHODS``.
    seed : int
        For t-SNE.
    folds : WordFolds, optional
        Folds of the word's full training set. Without them there are no axes of an LDA, and no
        cross-validated score.
    """
    points, explained = np.full((len(corpus), 2), np.nan, dtype=np.float32), None
    if method == "pca":
        points, explained = pca(vectors, corpus.split == "train")
    elif method == "tsne":
        kept = corpus.split != OUT_OF_DOMAIN
        points[kept] = tsne(vectors[kept], seed)
    else:
        reason = obstacle(corpus, folds)
        if folds is None or reason:
            return Projection(points, None, float("nan"), reason)
        points, explained = discriminants(vectors, corpus, folds)
    train, test = (np.flatnonzero(corpus.split == split) for split in ("train", "test"))
    voters = _nearest_points(points[test], points[train])
    senses = len(corpus.senses)
    score = vote_macro_f1(voters, corpus.gold[train], corpus.gold[test], senses)
    score_cv = _score_cv(points[train], corpus.gold[train], senses, folds)
    return Projection(points, explained, score, score_cv=score_cv)


def _score_cv(
    points: np.ndarray, gold: np.ndarray, n_senses: int, folds: WordFolds | None
) -> float:
    """Return macro-F1 on training points, by a vote of the five nearest points of other folds."""
    if folds is None or folds.held is None:
        return float("nan")
    voters = np.empty((len(points), K), dtype=np.int64)
    for fit, held in folds.splits(0):
        nearest = _nearest_points(points[held], points[fit])
        voters[held] = np.where(nearest >= 0, fit[nearest], -1)
    return vote_macro_f1(voters, gold, gold, n_senses)


def _nearest_points(tested: np.ndarray, trained: np.ndarray) -> np.ndarray:
    """Return the five nearest training points of each test point, as rows of ``trained``."""
    # In float64, where equal points have equal distances.
    tested, trained = tested.astype(np.float64), trained.astype(np.float64)
    voters = np.empty((len(tested), K), dtype=np.int32)
    for block in blocks(len(tested), len(trained)):
        voters[block] = highest(-cdist(tested[block], trained, "sqeuclidean"))[0]
    return voters


def _folds(path: Path | None, corpora: Corpora, method: str) -> dict[str, WordFolds]:
    """Return the folds of the words that have them; refuse folds of other training instances."""
    if path is None:
        if method != "discriminant":
            return {}
        problem = "the method 'discriminant' needs the folds of the training set"
        raise ConfigError(problem, where="--folds", fix="name the file that `wsd folds` wrote")
    folds = read_folds_for(path, corpora)
    if folds.train != FULL:
        problem = f"the folds are of the training set {folds.train!r}, not of {FULL!r}"
        raise ConfigError(problem, where=str(path), fix="name the folds of the full training set")
    words = [word for word in corpora if word in folds.words]
    for word in words:
        folds.rows(corpora[word])  # refuses folds of another table
    return {word: folds.words[word] for word in words}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_feature_set(parser)
    parser.add_argument("--method", default="pca", choices=METHODS)
    text = "folds of the full training set, for the cross-validated score; discriminant needs them"
    parser.add_argument("--folds", type=Path, nargs="?", metavar="FILE", help=text)
    add_seed(parser, "of tsne")
    add_out(parser, "the projections", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Project every word on one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    folds = _folds(args.folds, corpora, args.method)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    projections = {
        word: place(corpus, stored.read(corpus), args.method, args.seed, folds.get(word))
        for word, corpus in corpora.items()
    }
    seed = {"seed": args.seed} if args.method == "tsne" else {}
    provenance = {**stored.provenance(), "method": args.method, **seed}
    write_projections(args.out, corpora, projections, provenance)


SHRINKAGE = 0.5  # the default of the classifier `lda`
RANK = 1e-10  # eigenvalues below this share of the largest are rounding


def obstacle(corpus: Corpus, folds: WordFolds | None) -> str:
    """Return why a word has no such projection; empty if it has one.

    Parameters
    ----------
    corpus : Corpus
    folds : WordFolds or None
        Folds of the full training set.
    """
    gold = corpus.gold[corpus.split == "train"]
    senses, counts = np.unique(gold, return_counts=True)
    if len(senses) < 2:
        return "all its training instances have one sense"
    rarest = corpus.senses[senses[counts.argmin()]]
    if folds is None or folds.held is None:
        n = int(counts.min())
        return f"too few to fold: the sense {rarest!r} has {n} training instance{'s' * (n > 1)}"
    for fitted, _ in folds.splits(0):
        for sense in senses:
            if (gold[fitted] == sense).sum() < 2:
                name = corpus.senses[sense]
                return f"near-duplicates leave a fold's fit too few instances of the sense {name!r}"
    return ""


def discriminants(
    vectors: np.ndarray, corpus: Corpus, folds: WordFolds
) -> tuple[np.ndarray, tuple[float, float] | None]:
    """Project every instance on the first two axes of an LDA.

    With two senses there is one axis; the second axis is then the first principal component of the
    residuals. The unit of an axis is the standard deviation within senses.

    Parameters
    ----------
    vectors : array of shape (n, features)
    corpus : Corpus
    folds : WordFolds
        Folds of the full training set; the first repeat is used.

    Returns
    -------
    points : float32 array of shape (n, 2)
    explained : tuple of 2 floats, or None
        Share of the between-sense variance along each axis. None with two senses, because the one
        axis then has all of it.
    """
    train = np.flatnonzero(corpus.split == "train")
    _, gold = np.unique(corpus.gold[train], return_inverse=True)
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    vectors = vectors.astype(np.float64)
    fitted = vectors[train]
    if not np.ptp(fitted, axis=0).any():
        return points, None
    with one_thread():
        whole = _fit(fitted, gold)
        points[:] = whole.place(vectors)
        for fit, held in folds.splits(0):
            fold = _fit(fitted[fit], gold[fit]).aligned_with(whole, fitted[fit])
            points[train[held]] = fold.place(fitted[held])
    return points, whole.explained


@dataclass(frozen=True, eq=False)
class _Fit:
    """A shrinkage LDA of some training rows.

    Attributes
    ----------
    origin : array of shape (features,)
    axes : array of shape (features, senses - 1 or 2)
        The discriminants, the best first; with two senses also the first principal component of
        the residuals.
    means : array of shape (senses, senses - 1)
        The senses' means on the discriminants, weighted by their frequency.
    """

    origin: np.ndarray
    axes: np.ndarray
    means: np.ndarray

    @property
    def explained(self) -> tuple[float, float] | None:
        """Return the shares of between-sense variance of the first two axes, if there are two."""
        between = (self.means**2).sum(axis=0)
        if len(between) < 2:
            return None
        shares = between / (between.sum() or 1)
        return float(shares[0]), float(shares[1])

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Return points of shape (n, 2)."""
        return (vectors - self.origin) @ self.axes[:, :2]

    def aligned_with(self, other: "_Fit", rows: np.ndarray) -> "_Fit":
        """Return the same fit, rotated onto the axes of another fit.

        The discriminants are rotated and reflected so that the means of the senses match the other
        fit's means (orthogonal Procrustes). The axis of residuals is reflected so that the given
        rows match.
        """
        n = self.means.shape[1]
        u, _, v = np.linalg.svd(self.means.T @ other.means)
        axes = self.axes.copy()
        axes[:, :n] = axes[:, :n] @ (u @ v)
        own, others = (rows @ fit.axes[:, n:] for fit in (self, other))
        products = ((own - own.mean(axis=0)) * (others - others.mean(axis=0))).sum(axis=0)
        axes[:, n:] *= np.where(products < 0, -1, 1)
        return _Fit(self.origin, axes, self.means @ (u @ v))


def _fit(vectors: np.ndarray, gold: np.ndarray) -> _Fit:
    """Fit on rows of every sense, numbered from 0."""
    origin, varies = vectors.mean(axis=0), np.ptp(vectors, axis=0) > 0
    scale = np.where(varies, vectors.std(axis=0), 1.0)
    scaled = vectors - origin
    scaled /= scale
    scaled[:, ~varies] = 0
    classes = classes_of(scaled, gold)
    weighted = classes.means * np.sqrt(classes.counts / classes.counts.sum())[:, None]
    covariance = Covariance(classes, SHRINKAGE)
    solved = covariance.solve(weighted.T)
    # The means are centred, so there is one discriminant fewer than senses.
    values, turns = (array[..., :0:-1] for array in eigh(weighted @ solved))
    lengths = np.sqrt(values.clip(0))
    nonzero = values > RANK * max(values[0], 0)
    axes = solved @ np.divide(turns, lengths, out=np.zeros_like(turns), where=nonzero)
    axes *= np.where(_largest(axes) < 0, -1, 1)
    senses = len(classes.counts)
    if senses == 2:
        axes = np.column_stack([axes, _residual_component(axes[:, 0], covariance)])
    return _Fit(origin, axes / scale[:, None], weighted @ axes[:, : senses - 1])


def _residual_component(axis: np.ndarray, covariance: Covariance) -> np.ndarray:
    """Return the first principal component of the residuals, the rows minus their part on an axis.

    It is uncorrelated with the axis, in units of its standard deviation.
    """
    with_axis = covariance.times(axis)
    # The products of the residuals, from the products of the rows.
    if covariance.rows is None:
        part, other = with_axis, covariance.crossed(axis)
        square = axis @ other
    else:
        part, other = covariance.rows @ axis, covariance.rows @ with_axis
        square = with_axis @ with_axis
    along = np.outer(part, other - square / 2 * part)
    residuals = covariance.products - along
    residuals -= along.T
    if residuals.trace() <= RANK * covariance.products.trace():
        return np.zeros_like(axis)
    component = largest(residuals, 1)[1][:, 0]
    if covariance.rows is not None:
        component = covariance.rows.T @ component - with_axis * (part @ component)
    component *= np.where(_largest(component) < 0, -1, 1)
    component = component - axis * (with_axis @ component)
    return np.asarray(component / np.sqrt(component @ covariance.times(component)))


def _largest(axes: np.ndarray) -> np.ndarray:
    """Return the entry of each axis with the largest absolute value, which fixes its sign."""
    return np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)[0]
