"""Overlapping clouds of vectors, hard enough that classifiers differ on them."""

import numpy as np


def clouds(
    seed: int,
    *,
    classes: int = 3,
    rows: int = 150,
    width: int = 12,
    spread: float = 1.0,
    shares: tuple[float, ...] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return training vectors, their classes, and as many test vectors."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(classes, width))
    y = random.choice(classes, rows, p=shares) if shares else random.integers(classes, size=rows)
    X = centres[y] + spread * random.normal(size=(rows, width))
    test = centres[random.integers(classes, size=rows)]
    return X, y, test + spread * random.normal(size=test.shape)
