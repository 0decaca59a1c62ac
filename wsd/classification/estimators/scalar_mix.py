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
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from wsd.classification.estimators.base import Classifier, Points
from wsd.classification.estimators.design_matrices import Dense
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.newton import fit_all
from wsd.errors import ConfigError, WsdError
from wsd.metrics.single_thread import one_thread

# L-BFGS's line search can fail close to the minimum; begun anew from there it gets on. What
# then still fails is no failure if the gradient, per instance, is as small as this.
STARTS = 5
ROUNDING = 64 * np.finfo(float).eps
SMALL_GRADIENT = 1e-4


def layer_weights(
    stack: np.ndarray, codes: np.ndarray, C: float = 1.0, tol: float = 1e-6
) -> np.ndarray:
    """The weights of layers in a softmax-weighted sum that a logistic regression is best on.

    The loss is scikit-learn's for ``LogisticRegression`` on the standardised mixture, with an L2
    penalty of 1 / (2 C) on the classifier's weights and none on intercepts and mixture. It is
    not convex in both; the search starts from equal weights for all layers and goes down the
    lowest loss that each mixture allows (:class:`Mixtures`), so that it is deterministic.

    A sum of unlike layers has smaller features than one layer alone, and so needs larger weights
    for the same logits. With the penalty on those, the mixture is driven to one layer whatever
    the layers hold: with MiniLM and C = 1, the largest weight was above 0.99 for each of five
    words of CoarseWSD-20. So the penalty is on the weights of the standardised mixture.

    Parameters
    ----------
    stack : array of shape (layers, n, width), contiguous
        Each feature of each layer standardised.
    codes : int array of shape (n,)
        From 0 to n_classes - 1; of a single class, all layers weigh the same.
    C : float
        Inverse strength of the penalty.
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
    """The minimum of a logistic regression's loss, as a function of the mixture of layers.

    At the minimum, the derivative by the mixture is that for a constant classifier (variable
    projection, Golub and Pereyra 1973). So only the layers' weights are searched. Each fit starts
    at the weights of the previous one.

    Parameters
    ----------
    stack, codes, C
        As in :func:`layer_weights`.
    tol : float
        No component of the gradient of a fit's mean loss exceeds it.
    """

    def __init__(self, stack: np.ndarray, codes: np.ndarray, C: float, tol: float) -> None:
        self.stack, self.codes, self.C, self.tol = stack, codes, C, tol
        n = len(codes)
        # Per feature, the layers' covariances: what a mixture's feature varies by.
        self.spread = np.einsum("lnw,mnw->lmw", stack, stack, optimize=True) / n
        self.gold = codes == np.arange(codes.max() + 1)[:, None]
        self.weights: np.ndarray | None = None

    def lowest(self, mixture: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the lowest penalised mean loss for logits of the layers, and its gradient."""
        layers, n, width = self.stack.shape
        share = softmax(mixture)
        flat = self.stack.reshape(layers, n * width)
        covariance = np.einsum("lmw,m->lw", self.spread, share)
        scale = np.sqrt(share @ covariance)
        scale[scale == 0] = 1
        rows = (share @ flat).reshape(n, width) / scale
        every = np.ones((1, n))
        design = Dense(rows, np.ones((1, width)))
        (fit,) = fit_all(design, self.codes, every, [self.C], self.tol, self.weights)
        self.weights = fit.weights
        weights = fit.weights[:, 0, :-1] / scale  # on the mixture as it is
        residual = softmax(fit.logits[:, 0], axis=0) - self.gold
        # Two classes have one vector of weights: see newton.py.
        penalty = (2 if len(weights) == 2 else 1) / self.C
        of_share = flat @ (residual.T @ weights).ravel()
        of_share += penalty * (covariance @ (weights**2).sum(axis=0))
        return float(fit.objective[0]) / n, share * (of_share - share @ of_share) / n


class MixedLogistic(Classifier):
    """Softmax weights over layers, then :class:`Logistic` on the weighted mean of the layers.

    The weights are those of :func:`layer_weights`, which learns them together with a classifier of
    its own at its default penalty. That is the expensive part, so it is done once per fold; penalty
    and prior shift are then tuned as on any other vector.

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

        Raises
        ------
        ConfigError
            If a row of ``X`` is not ``layers`` vectors of one width.
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
            raise ConfigError(
                problem, fix="give the number of layers that lie side by side in a row"
            )
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
        """Probability of each class: array of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return self.logistic_.predict_proba(self._mixed(X))

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`Logistic.search`.
        """
        mixed = self._learn_mixture(X, y)
        return self._unfitted().search(mixed, y, self._mixed(held), grid)
