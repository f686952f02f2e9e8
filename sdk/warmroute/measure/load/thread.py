"""Work that takes a while, beside Locust's."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import gevent

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")


def in_thread(work: Callable[[], Found]) -> Found:
    """Do it in a thread of the system, so that Locust's master goes on hearing of its workers.

    Args:
        work: What is to be done.

    Raises:
        WarmrouteError: The work did.
    """

    def carried() -> Found | WarmrouteError:
        # Gevent prints a traceback of whatever is raised in such a thread, and then raises it here.
        try:
            return work()
        except WarmrouteError as error:
            return error

    found: Found | WarmrouteError = gevent.get_hub().threadpool.apply(carried)
    if isinstance(found, WarmrouteError):
        raise found
    return found
