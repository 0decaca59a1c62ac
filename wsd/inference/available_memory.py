"""Refuse an array that does not fit into memory before it is allocated.

An operating system may grant more memory than it has, and end the process once the memory is used.
"""

from contextlib import suppress
from pathlib import Path

import psutil

from wsd.errors import ConfigError

# The files of this process's control group, in a container or a SLURM job.
CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return the bytes that this process may still use: of the machine, and of its cgroup."""
    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError, KeyError):  # without a limit, no file or `max`
        limit, used = (int((CGROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        stat = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
        # Cached files count as used, and make room for arrays.
        free = min(free, limit - used + int(stat["file"]))
    return free


def require_memory(nbytes: int, *, what: str, fix: str) -> None:
    """Refuse an array that is larger than the available memory.

    Parameters
    ----------
    nbytes : int
    what : str
        The array, as the error names it.
    fix : str

    Raises
    ------
    ConfigError
        With the size of the array and of the available memory.
    """
    if nbytes > (free := available_memory()):
        problem = f"{what} take {nbytes / 1e9:.1f} GB, and {free / 1e9:.1f} GB of memory are free"
        raise ConfigError(problem, fix=fix)
