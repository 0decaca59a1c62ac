"""Lock open files. A lock ends with the process that holds it, however that process ends."""

import errno
import fcntl
from typing import IO, Any

# The last error comes from NFS, which locks only files that are open for writing, and no folders.
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)


def lock_file(file: int | IO[Any]) -> bool | None:
    """Lock an open file with :func:`fcntl.flock`, until it is closed.

    Parameters
    ----------
    file : int or file
        A descriptor or an open file. On NFS, it must be open for writing.

    Returns
    -------
    bool or None
        True if the file is locked now, False if another process holds the lock, None if files
        cannot be locked here, as on some network mounts.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
        return None
    return True
