"""What is kept of a sentence: the names of the views, and of the ways in which they are made.

A contextual view has a vector per hidden state. A static one is taken from the matrix of the
input embeddings alone, before positions, segments and norms: a word piece has the same vector in
every sentence, no layer comes into it, and its file has one layer, number 0.

``focal``
    the focal word: its word pieces pooled by ``mean``, ``first`` or ``last``;
``context``
    the mean of the other word pieces, without special tokens and without padding;
``sentence``
    the mean of all word pieces, those of the focal word too, without special tokens and padding;
``cls``
    the tokenizer's ``[CLS]`` token, wherever it puts it;
``other``
    one other word piece, drawn with the seed for each instance, the same in every layer;
``static``
    the rows of the focal word's pieces, pooled as in ``focal``;
``static_context``
    the mean of the rows of the other word pieces.

A sentence of nothing but the focal word has no context: its ``context``, ``other`` and
``static_context`` are zero.
"""

# What the encoder reads: the sentence, or the sentence with a mask token for the focal word.
PLAIN, MASKED = INPUTS = ("plain", "masked")
# The view of a random word: the one that a seed decides, and that has no meaning on new text.
DRAWN = "other"
CONTEXTUAL = ("focal", "context", "cls", DRAWN, "sentence")
STATIC = ("static", "static_context")
VIEWS = (*CONTEXTUAL, *STATIC)
# How the pieces of the focal word become one vector.
POOLINGS = ("mean", "first", "last")
DEVICES = ("auto", "cpu", "cuda")
# What the encoder computes in; the vectors are float32 whatever it is.
PRECISIONS = ("float32", "bfloat16", "float16")


def blocks_of(view: str, blocks: int) -> int:
    """How many layers beyond layer 0 a view has, of an encoder of ``blocks`` blocks."""
    return 0 if view in STATIC else blocks
