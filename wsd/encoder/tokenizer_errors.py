"""Turn a failure of the tokenizers library into one error.

The library panics on some damaged files, and on text that takes one of its patterns too long. In
Python a panic of Rust is not an Exception, so that ``except Exception`` does not catch it.
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
