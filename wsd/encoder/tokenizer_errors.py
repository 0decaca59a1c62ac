"""What the tokenizers library fails with, as one error.

It panics on some damaged files, and on text that a pattern of theirs takes too long for. A panic of
Rust is no Exception in Python, so that nothing else would catch it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from wsd.errors import ModelError


@contextmanager
def tokenizing(where: str | None = None) -> Iterator[None]:
    """Turn a panic of the tokenizers library, or its bare Exception, into a ModelError.

    Parameters
    ----------
    where : str, optional
        The model's folder, or the word whose sentences are tokenized.
    """
    try:
        yield
    except BaseException as error:
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        problem = f"the tokenizer fails: {error}"
        fix = "use the tokenizer.json that the model came with, or another model"
        raise ModelError(problem, where=where, fix=fix) from error
