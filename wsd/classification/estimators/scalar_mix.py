"""Classify by logistic regression on a learned mixture of layers (a scalar mix).

After Peters et al. (2018), "Deep contextualized word representations", and Tenney, Das and
Pavlick (2019), "BERT Rediscovers the Classical NLP Pipeline". The mixture has one softmax weight
per layer, fitted together with a classifier; the classifier uses layers with large weights most.
Their extra factor that scales the mixture is left out: the weights of the classifier scale it too,
and a free factor would undo the penalty on them.
"""

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from wsd.classification.estimators.design_matrices import Dense
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.newton import fit_all
from wsd.classification.estimators.vector_classifiers import Classifier, Points
from wsd.errors import ConfigError, WsdError
from wsd.metrics.single_thread import one_thread

# L-BFGS's line search can fail close to the minimum; a restart from there often succeeds.
STARTS = 5
# After the last start, a gradient of the mean loss as small as this counts as converged.
SMALL_GRADIENT = 1e-4
ROUNDING = 64 * np.finfo(float).eps


def layer_weights(
    stack: np.ndarray, codes: np.ndarray, C: float = 1.0, tol: float = 1e-6
) -> np.ndarray:
    """Return the softmax weights of layers for which logistic regression has the lowest loss.

    The loss is scikit-learn's for ``LogisticRegression`` on the standardised mixture, with an L2
    penalty of 1 / (2 C) on the weights of the classifier. Intercepts and mixture have no
    penalty. The search starts with equal weights of all layers, and descends on the lowest loss for
    each mixture (:class:`Mixtures`). It is deterministic; the loss is not convex in the mixture.

    The penalty is on the weights for the standardised mixture. Otherwise a sum of unlike layers
    would need larger weights for the same logits than one layer, because its features are smaller;
    the penalty would then select one layer, whatever the layers encode. With MiniLM and C = 1, the
    largest weight was above 0.99 for each of five words of CoarseWSD-20.

    Parameters
    ----------
    stack : array of shape (layers, n, width), contiguous
        Each feature of each layer is standardised.
    codes : int array of shape (n,)
        Classes from 0 to n_classes - 1. With a single class, all layers have the same weight.
    C : float
        Inverse of the penalty.
    tol : float
        The solver stops when no component of the gradient of the mean loss exceeds it, or when
        the loss no longer changes in double precision.

    Returns
    -------
    array of shape (layers,)
        Sums to 1.

    Raises
    ------
    WsdError
        If the solver does not converge.
    """
    mixture = np.zeros(len(stack))
    if codes.max() == 0:
        return softmax(mixture)
    options = {"gtol": tol, "ftol": ROUNDING}
    lowest = Mixtures(stack, codes, C, tol).lowest
    for _ in range(STARTS):
        result: Any = minimize(lowest, mixture, jac=True, method="L-BFGS-B", options=options)
        mixture = result.x
        if result.success:
            break
    if not (result.success or np.abs(result.jac).max() <= SMALL_GRADIENT):
        problem = f"the scalar mix did not converge: {result.message}"
        raise WsdError(problem, fix="use a smaller C in the config")
    return softmax(mixture)


class Mixtures:
    """The lowest loss of logistic regression, as a function of the mixture of layers.

    At the lowest loss, its derivative by the mixture is the same as for a constant classifier
    (variable projection, Golub and Pereyra 1973). So only the mixture has to be searched. Each fit
    starts at the weights of the previous one.

    Parameters
    ----------
    stack, codes, C
        As in :func:`layer_weights`.
    tol : float
        No component of the gradient of the mean loss exceeds it, in each fit.
    """

    def __init__(self, stack: np.ndarray, codes: np.ndarray, C: float, tol: float) -> None:
        self.stack, self.codes, self.C, self.tol = stack, codes, C, tol
        n = len(codes)
        # The covariances of the layers, per feature: they give the variance of a mixture.
        self.covariances = np.einsum("lnw,mnw->lmw", stack, stack, optimize=True) / n
        self.gold = codes == np.arange(codes.max() + 1)[:, None]
        self.weights: np.ndarray | None = None

    def lowest(self, mixture: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the lowest penalised mean loss for a mixture, and its gradient.

        Parameters
        ----------
        mixture : array of shape (layers,)
            The logits of the layers' weights.

        Returns
        -------
        float, and array of shape (layers,)
        """
        layers, n, width = self.stack.shape
        share = softmax(mixture)
        flat = self.stack.reshape(layers, n * width)
        covariance = np.einsum("lmw,m->lw", self.covariances, share)
        scale = np.sqrt(share @ covariance)
        scale[scale == 0] = 1
        rows = (share @ flat).reshape(n, width) / scale
        design, counts = Dense(rows, np.ones((1, width))), np.ones((1, n))
        (fit,) = fit_all(design, self.codes, counts, [self.C], self.tol, self.weights)
        self.weights = fit.weights
        weights = fit.weights[:, 0, :-1] / scale  # of the mixture before standardisation
        residual = softmax(fit.logits[:, 0], axis=0) - self.gold
        # With two classes the factor is twice as large, as in newton.py.
        penalty = (2 if len(weights) == 2 else 1) / self.C
        gradient = flat @ (residual.T @ weights).ravel()  # by the shares of the layers
        gradient += penalty * (covariance @ (weights**2).sum(axis=0))
        return float(fit.objective[0]) / n, share * (gradient - share @ gradient) / n


class MixedLogistic(Classifier):
    """Learn the weights of the layers, then fit :class:`Logistic` on their weighted mean.

    :func:`layer_weights` learns the weights, with its default penalty. That is expensive, so it
    happens once per fold. Penalty and prior shift are then tuned as on any other vectors.

    Parameters
    ----------
    layers : int
        The number of layers that a row of ``X`` concatenates.
    C, prior_shift
        As in :class:`Logistic`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    weights_ : array of shape (layers,)
        Sums to 1.
    logistic_ : Logistic
    """

    def __init__(self, layers: int = 1, C: float = 1.0, prior_shift: float = 0.0) -> None:
        self.layers = layers
        self.C = C
        self.prior_shift = prior_shift

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit the weights of the layers, then the classifier.

        Parameters
        ----------
        X : array of shape (n_samples, layers * width)
        y : array of shape (n_samples,)

        Raises
        ------
        ConfigError
            If the number of features is not a multiple of ``layers``.
        """
        self.logistic_ = self._unfitted().fit(self._learn_mixture(X, y), y)
        self.classes_ = self.logistic_.classes_
        return self

    def _unfitted(self) -> Logistic:
        return Logistic(C=self.C, prior_shift=self.prior_shift)

    def _learn_mixture(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        X, y = validate_data(self, X, y, dtype=np.float64)
        if self.layers < 1 or X.shape[1] % self.layers:
            problem = f"{X.shape[1]} features are not {self.layers} layers of one width"
            raise ConfigError(problem, fix="give the number of layers that a row concatenates")
        self.scaler_ = StandardScaler().fit(X)
        with one_thread():
            stack = np.ascontiguousarray(self._layers(X).swapaxes(0, 1))
            self.weights_ = layer_weights(stack, np.unique(y, return_inverse=True)[1])
        return self._mixed(X)

    def _layers(self, X: np.ndarray) -> np.ndarray:
        return self.scaler_.transform(X).reshape(len(X), self.layers, -1)

    def _mixed(self, X: np.ndarray) -> np.ndarray:
        return np.einsum("nlw,l->nw", self._layers(X), self.weights_)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class: array of shape (n_samples, n_classes)."""
        X = self._check_vectors(X)
        return self.logistic_.predict_proba(self._mixed(X))

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return probabilities of held-out instances at every point of a search space.

        As :meth:`Logistic.search`.
        """
        mixed = self._learn_mixture(X, y)
        return self._unfitted().search(mixed, y, self._mixed(held), grid)
