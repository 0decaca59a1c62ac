"""Name the views of a sentence, and the options for computing them.

A view has a vector per hidden state:

``focal``
    the focal word: its word pieces pooled by ``mean``, ``first`` or ``last``;
``context``
    the mean of the other word pieces, without special tokens and padding; zero if the focal word
    is the only word;
``sentence``
    the mean of all word pieces, without special tokens and padding;
``cls``
    the tokenizer's ``[CLS]`` token, whether first or last.
"""

# The inputs that have a name (wsd/artifacts/input_template.py).
PLAIN, MASKED, ECHO = INPUTS = ("plain", "masked", "echo")
VIEWS = ("focal", "context", "cls", "sentence")
# The ways to pool the pieces of the focal word into one vector.
POOLINGS = ("mean", "first", "last")
DEVICES = ("auto", "cpu", "cuda")
# The precision of weights and computation. The encoder's vectors are always float32.
PRECISIONS = ("float32", "bfloat16", "float16")
