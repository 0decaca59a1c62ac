"""Logistic regression on a learned mixture of layers.

After Peters et al. (2018), "Deep contextualized word representations", and Tenney, Das and
Pavlick (2019), "BERT Rediscovers the Classical NLP Pipeline": one weight per layer, a softmax,
fitted together with the classifier. Where the weight lies says where the classifier finds what
it needs. Left out is their factor that scales the mixture: the classifier's own weights scale
it, and a free factor would undo the penalty on them.
"""

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from wsd.classification.estimators.base import Classifier, Points
from wsd.classification.estimators.logistic import Logistic
from wsd.errors import ConfigError, WsdError
from wsd.metrics.one_thread import one_thread

# L-BFGS's line search can fail close to the minimum; begun anew from there it gets on. What
# then still fails is no failure if the gradient, per instance, is as small as this.
STARTS = 5
LIMITS = {"maxiter": 100_000, "maxfun": 100_000, "maxcor": 30, "maxls": 50}
SMALL_GRADIENT = 1e-4


class ScalarMix(BaseEstimator):
    """A softmax-weighted sum of layers and a logistic regression on it, fitted together.

    Each feature of each layer is standardised. The loss is scikit-learn's for
    ``LogisticRegression``, with one logit for two classes and one per class for more, an L2
    penalty of 1 / (2 C) on the classifier's weights and none on intercepts and mixture. It is
    not convex in both; the fit starts from equal weights for all layers and zeros, so that it is
    deterministic. BLAS runs on one thread within it.

    A sum of unlike layers has smaller features than one layer alone, and so needs larger weights
    for the same logits. With the penalty on those, the mixture is driven to one layer whatever
    the layers hold: with MiniLM and C = 1, the largest weight was above 0.99 for each of five
    words of CoarseWSD-20. So the penalty is on the weights of the standardised mixture.

    Parameters
    ----------
    layers : int
        How many layers lie side by side in a row of ``X``.
    C : float
        Inverse strength of the penalty.
    tol : float
        The solver stops when no component of the gradient of the mean loss exceeds it, or when
        the loss no longer changes in double precision.

    Attributes
    ----------
    weights_ : array of shape (layers,)
        Sums to 1; equal weights if there was one class only.
    scaler_ : StandardScaler
    coef_ : array of shape (n_logits, width)
        On the mixture of the standardised layers, not standardised itself.
    intercept_ : array of shape (n_logits,)
        One logit for two classes, none for one.
    """

    def __init__(self, layers: int = 1, C: float = 1.0, tol: float = 1e-6) -> None:
        self.layers = layers
        self.C = C
        self.tol = tol

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Standardise the features and fit mixture and classifier.

        Parameters
        ----------
        X : array of shape (n_samples, layers * width)
            The layers' vectors one after the other, as ``concat`` of
            :mod:`wsd.artifacts.layer_choice` gives.
        y : array of shape (n_samples,)

        Raises
        ------
        ConfigError
            If a row of ``X`` is not ``layers`` vectors of one width.
        WsdError
            If the solver does not converge.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        if self.layers < 1 or X.shape[1] % self.layers:
            what = f"{X.shape[1]} features are not {self.layers} layers of one width"
            raise ConfigError(what, fix="give the number of layers that lie side by side in a row")
        width = X.shape[1] // self.layers
        classes, codes = np.unique(y, return_inverse=True)
        self.scaler_ = StandardScaler().fit(X)
        n_logits = len(classes) if len(classes) > 2 else len(classes) - 1
        theta = np.zeros(self.layers + n_logits * (width + 1))
        if n_logits:
            with one_thread():
                scaled = self.scaler_.transform(X).reshape(len(X), self.layers, width)
                stack = np.ascontiguousarray(scaled.swapaxes(0, 1))
                theta = self._converged(theta, stack, codes)
        mixture, self.coef_, self.intercept_ = _unpacked(theta, self.layers, width)
        self.weights_ = softmax(mixture)
        return self

    def _converged(self, theta: np.ndarray, stack: np.ndarray, codes: np.ndarray) -> np.ndarray:
        penalty = 1 / (self.C * len(codes))
        spread = np.einsum("lnw,mnw->lmw", stack, stack, optimize=True) / len(codes)
        options = {**LIMITS, "gtol": self.tol, "ftol": 64 * np.finfo(float).eps}
        args = (stack, codes, penalty, spread)
        for _ in range(STARTS):
            found: Any = minimize(
                loss_and_gradient, theta, args=args, jac=True, method="L-BFGS-B", options=options
            )
            theta = found.x
            if found.success:
                return theta
        if not np.abs(found.jac).max() <= SMALL_GRADIENT:
            said = f"the scalar mix did not converge: {found.message}"
            raise WsdError(said, fix="use a smaller C in the config")
        return theta


def loss_and_gradient(
    theta: np.ndarray, stack: np.ndarray, codes: np.ndarray, penalty: float, spread: np.ndarray
) -> tuple[float, np.ndarray]:
    """Mean cross-entropy plus penalty, and its gradient.

    Parameters
    ----------
    theta : array of shape (layers + n_logits * (width + 1),)
        Logits of the mixture; weights of the classifier, row by row; its intercepts.
    stack : array of shape (layers, n, width), contiguous
    codes : int array of shape (n,)
        0 and 1 where there is one logit, which is class 1's.
    penalty : float
        On half the sum of the classifier's squared weights.
    spread : array of shape (layers, layers, width)
        Per feature, the layers' covariances. A squared weight counts as often as the
        variance of the mixture's feature says.
    """
    layers, n, width = stack.shape
    mixture, weights, intercepts = _unpacked(theta, layers, width)
    share = softmax(mixture)
    # The only two products that read all features: time goes with how often that is done.
    flat = stack.reshape(layers, n * width)
    mixed = (share @ flat).reshape(n, width)
    logits = _all_logits(mixed @ weights.T + intercepts)
    loss = (logsumexp(logits, axis=1) - logits[np.arange(n), codes]).mean()
    residual = softmax(logits, axis=1)
    residual[np.arange(n), codes] -= 1
    residual = residual[:, -len(weights) :] / n
    of_share = flat @ (residual @ weights).ravel()
    squares = np.sum(weights**2, axis=0)
    covariance = np.einsum("lmw,m->lw", spread, share)
    variance = share @ covariance
    of_share += penalty * (covariance @ squares)
    of_mixture = share * (of_share - share @ of_share)
    of_weights = residual.T @ mixed + penalty * variance * weights
    gradient = np.concatenate([of_mixture, of_weights.ravel(), residual.sum(axis=0)])
    return float(loss + penalty / 2 * (squares @ variance)), gradient


def _unpacked(
    theta: np.ndarray, layers: int, width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits of the mixture, weights of shape (n_logits, width), intercepts."""
    n_logits = (len(theta) - layers) // (width + 1)
    weights = theta[layers : len(theta) - n_logits].reshape(n_logits, width)
    return theta[:layers], weights, theta[len(theta) - n_logits :]


def _all_logits(logits: np.ndarray) -> np.ndarray:
    """A logit for every class: the first of two has 0, a single class too."""
    if logits.shape[1] > 1:
        return logits
    return np.column_stack([np.zeros(len(logits)), logits])


class MixedLogistic(Classifier):
    """Softmax weights over layers, then :class:`Logistic` on the weighted mean of the layers.

    The weights are those of :class:`ScalarMix`, which learns them together with a classifier of its
    own at its default penalty. That is the expensive part, so it is done once per fold; penalty and
    prior shift are then tuned as on any other vector.

    Parameters
    ----------
    layers : int
        How many layers lie side by side in a row of ``X``.
    C, prior_shift
        As of :class:`Logistic`.

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
        """Learn the weights of the layers, then the classifier.

        Parameters
        ----------
        X : array of shape (n_samples, layers * width)
        y : array of shape (n_samples,)
        """
        self.logistic_ = self._unfitted().fit(self._learn_mixture(X, y), y)
        self.classes_ = self.logistic_.classes_
        return self

    def _unfitted(self) -> Logistic:
        return Logistic(C=self.C, prior_shift=self.prior_shift)

    def _learn_mixture(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        X, y = validate_data(self, X, y, dtype=np.float64)
        mix = ScalarMix(layers=self.layers).fit(X, y)
        self.scaler_, self.weights_ = mix.scaler_, mix.weights_
        return self._mixed(X)

    def _mixed(self, X: np.ndarray) -> np.ndarray:
        scaled = self.scaler_.transform(X).reshape(len(X), self.layers, -1)
        return np.einsum("nlw,l->nw", scaled, self.weights_)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class: array of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return self.logistic_.predict_proba(self._mixed(X))

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`Logistic.search`.
        """
        mixed = self._learn_mixture(X, y)
        return self._unfitted().search(mixed, y, self._mixed(held), grid)
