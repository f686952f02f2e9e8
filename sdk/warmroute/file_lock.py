"""Keeps a folder for one process at a time, by a lock that ends with the process."""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":

    def lock(file: IO[bytes]) -> None:
        """Lock an open file until it is closed.

        Raises:
            OSError: Another process has it.
        """
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:

    def lock(file: IO[bytes]) -> None:
        """Lock an open file until it is closed.

        Raises:
            OSError: Another process has it.
        """
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
