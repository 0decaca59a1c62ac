"""Name arguments in errors as Python does, where a command's module names its options."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from wsd.errors import ConfigError, ModelError

_OPTION = re.compile(r"--(classifier|device|encoder|layers|model|results|run|view|word)\b")


@contextmanager
def python_names() -> Iterator[None]:
    """Turn options into arguments in the errors of the calls inside.

    Raises
    ------
    ConfigError, ModelError
        With ``layers`` for ``--layers``.
    """
    try:
        yield
    except (ConfigError, ModelError) as error:
        where, fix = (_OPTION.sub(r"\1", text or "") or None for text in (error.where, error.fix))
        raise type(error)(error.problem, where=where, fix=fix) from None
