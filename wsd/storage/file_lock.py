"""Lock open files. A lock ends with the process that holds it, however that process ends."""

import errno
import fcntl
from typing import Protocol

# The last one: NFS locks only what is open for writing, and so no folder.
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)


class _Open(Protocol):
    def fileno(self) -> int: ...


def lock_file(file: int | _Open, *, shared: bool = False, wait: bool = False) -> bool | None:
    """Lock an open file with :func:`fcntl.flock`, until it is closed.

    Parameters
    ----------
    file : int or file
        A descriptor or an open file; on NFS, it must be open for writing.
    shared : bool
        Whether others may hold a shared lock too.
    wait : bool
        Whether to wait for whoever holds the lock.

    Returns
    -------
    bool or None
        True if the file is locked now, False if another process holds the lock, None where files
        cannot be locked, as on some network mounts.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
        return None
    return True
