"""Parse layer choices, and combine the chosen layers into one vector.

An encoder of L blocks has L + 1 hidden states: ``0`` is the embedding layer, ``1`` to ``L`` are the
outputs of the blocks. A choice is

* a number, ``0`` to ``L``; ``-1`` counts from the top (``-1`` is ``L``);
* ``<op>-last-<k>``, the last k hidden states;
* ``<op>-all``, blocks 1 to L;
* ``<op>-<i>-<j>-...``, the hidden states of these numbers;

with op ``mean``, ``sum``, ``concat`` or ``mix``. A mix is a weighted mean: the classifier gets the
layers one after the other and learns the weights. In a list of choices ``all`` stands for every
single layer. All spellings of a choice have the same name: ``mean-last-1`` is ``L``,
``mean-last-L`` is ``mean-all``, ``mean-2-1`` is ``mean-1-2``, and ``mean-5-6`` of 6 blocks is
``mean-last-2``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wsd.errors import ConfigError

OPERATIONS = ("mean", "sum", "concat", "mix")
NUMBER = r"(?:0|[1-9][0-9]{0,3})"
MOST_BLOCKS = 9999  # the largest number of the grammar


@dataclass(frozen=True)
class LayerChoice:
    """Hidden states and the operation that combines them.

    Attributes
    ----------
    name : str
        The unique, file-safe name of this choice.
    operation : str
        ``mean``, ``sum``, ``concat`` or ``mix``; a single layer has ``mean``.
    layers : tuple of int
        Ascending numbers of hidden states.
    """

    name: str
    operation: str
    layers: tuple[int, ...]

    @property
    def order(self) -> tuple[bool, int, tuple[int, ...], str]:
        """Return a sort key: single layers first, then number of layers, layers, operation."""
        return (not self.is_single, len(self.layers), self.layers, self.operation)

    @property
    def is_single(self) -> bool:
        """Return whether this is one hidden state, not a combination."""
        return len(self.layers) == 1

    @property
    def widths(self) -> int:
        """Return the width of the vectors as a number of hidden states."""
        return len(self.layers) if self.operation in ("concat", "mix") else 1

    def combine(self, states: Mapping[int, np.ndarray]) -> np.ndarray:
        """Combine hidden states into the chosen vectors.

        Parameters
        ----------
        states : mapping of layer to array of shape (n, width)
            At least the layers of this choice.

        Returns
        -------
        array of shape (n, width * ``widths``)
        """
        chosen = [states[layer] for layer in self.layers]
        if len(chosen) == 1:
            return chosen[0]
        if self.widths > 1:
            return np.concatenate(chosen, axis=1)
        total = np.sum(chosen, axis=0)
        return total / np.float32(len(chosen)) if self.operation == "mean" else total


def parse_layers(
    choice: str | int, blocks: int, *, where: str | None = None, learned: bool = True
) -> LayerChoice:
    """Parse a layer choice for an encoder of ``blocks`` blocks.

    Parameters
    ----------
    choice : str or int
        See the grammar above, without ``all``, which :func:`expand_layers` handles.
    blocks : int
        Number of the encoder's blocks, L.
    where : str, optional
        The config key or argument that an error names.
    learned : bool
        Whether ``mix`` is allowed: a classifier learns its weights.

    Raises
    ------
    ConfigError
        If the choice does not exist. The error lists the possible choices.
    """
    text = str(choice)
    layers: Sequence[int] = ()
    operation, _, rest = text.partition("-")
    if re.fullmatch(rf"-?{NUMBER}", text) and text != "-0":
        operation, layers = "mean", [int(text) if text[0] != "-" else blocks + 1 + int(text)]
    elif rest == "all":
        layers = range(1, blocks + 1)
    elif last := re.fullmatch(rf"last-({NUMBER})", rest):
        layers = range(blocks + 1 - int(last[1]), blocks + 1)
    elif re.fullmatch(rf"{NUMBER}(-{NUMBER})*", rest):
        layers = sorted(map(int, rest.split("-")))
    operations = [name for name in OPERATIONS if learned or name != "mix"]
    exists = layers and layers[0] >= 0 and layers[-1] <= min(blocks, MOST_BLOCKS)
    if not exists or operation not in operations or len(set(layers)) < len(layers):
        raise ConfigError(
            f"layer choice {text!r}: there is no such layer choice",
            where=where,
            fix=f"with {blocks} blocks, use 0 to {blocks} (or -1 to -{blocks + 1} from the top), "
            f"<op>-last-<k> with k from 1 to {blocks + 1}, <op>-all, or <op>-<i>-<j>-... , "
            f"with op {', '.join(operations)}",
        )
    return _named(operation, tuple(layers), blocks)


def _named(operation: str, layers: tuple[int, ...], blocks: int) -> LayerChoice:
    """Return the choice under its shortest spelling."""
    if len(layers) == 1:
        return LayerChoice(str(layers[0]), "mean", layers)
    if layers == tuple(range(1, blocks + 1)):
        name = f"{operation}-all"
    elif layers == tuple(range(layers[0], blocks + 1)):
        name = f"{operation}-last-{len(layers)}"
    else:
        name = "-".join([operation, *map(str, layers)])
    return LayerChoice(name, operation, layers)


def expand_layers(
    choices: Iterable[str | int],
    blocks: int,
    *,
    where: str | None = None,
    stored: Sequence[int] | None = None,
) -> list[LayerChoice]:
    """Parse a list of layer choices; return the distinct choices in a fixed order.

    ``all`` stands for every single layer, or for the ``stored`` ones. Single layers come first, by
    number; combinations follow, by number of layers, then by the layers, then by operation.
    """
    parsed = {
        parse_layers(name, blocks, where=where and f"{where}[{i}]")
        for i, choice in enumerate(choices)
        for name in ((stored or range(blocks + 1)) if choice == "all" else (choice,))
    }
    return sorted(parsed, key=lambda choice: choice.order)
