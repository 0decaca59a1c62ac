"""Name the views of a sentence, and the options for computing them.

A contextual view has a vector per hidden state. A static view comes from the matrix of the input
embeddings, before positions, segments and norms are added: a word piece has the same vector in
every sentence. Its file has a single layer, number 0.

``focal``
    the focal word: its word pieces pooled by ``mean``, ``first`` or ``last``;
``context``
    the mean of the other word pieces, without special tokens and padding;
``sentence``
    the mean of all word pieces, without special tokens and padding;
``cls``
    the tokenizer's ``[CLS]`` token, whether first or last;
``other``
    one other word piece, drawn with the seed for each instance, the same in every layer;
``static``
    the input embeddings of the focal word's pieces, pooled as in ``focal``;
``static_context``
    the mean of the input embeddings of the other word pieces.

If the focal word is the only word, ``context``, ``other`` and ``static_context`` are zero.
"""

# The inputs that have a name (wsd/artifacts/input_template.py).
PLAIN, MASKED, ECHO = INPUTS = ("plain", "masked", "echo")
# The view of a random word piece, the only view that depends on the seed.
DRAWN = "other"
CONTEXTUAL = ("focal", "context", "cls", DRAWN, "sentence")
STATIC = ("static", "static_context")
VIEWS = (*CONTEXTUAL, *STATIC)
# The ways to pool the pieces of the focal word into one vector.
POOLINGS = ("mean", "first", "last")
DEVICES = ("auto", "cpu", "cuda")
# How a model is spread over several devices.
DEVICE_MAPS = ("auto",)
# The precision of weights and computation. The encoder's vectors are always float32.
PRECISIONS = ("float32", "bfloat16", "float16")


def blocks_of(view: str, blocks: int) -> int:
    """Return the number of layers above layer 0 that a view has, for an encoder's ``blocks``."""
    return 0 if view in STATIC else blocks
