"""What a locustfile says of its replay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import CONNECTIONS, Load, Sending, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.load.share import Share
    from warmroute.measure.replay import Prepared, Target


class ReplaySettings:
    """The trace and the target, the same on every machine; `ReplayUser` has them."""

    trace: ClassVar[str | Sequence[str]] = ()
    """Recorded traffic, in any format; the same on every machine."""

    input_format: ClassVar[str | None] = None
    """Its format, if it is not recognised."""

    load: ClassVar[Load] = Load()
    """When requests are sent, and how many."""

    sending: ClassVar[Sending] = Sending()
    """What is sent of them."""

    connections: ClassVar[int] = CONNECTIONS
    """Connections of each worker, at most."""

    folder: ClassVar[str | Path] = "load"
    """Each run is recorded in a folder in it, named by the time of its start: on the master all rows, on a worker its
    own."""

    @classmethod
    def target(cls) -> Target:
        """Where requests go; called on every machine."""
        raise WarmrouteError(f"{cls.__name__}: the class names no target.", "Give it a class method target().")

    @classmethod
    def prepared(cls, share: Share) -> Prepared:
        """The share of a worker in the trace.

        Raises:
            WarmrouteError: The trace cannot be read or planned, or has nothing to send.
        """
        trace = [cls.trace] if isinstance(cls.trace, str) else list(cls.trace)
        if not trace:
            raise WarmrouteError(f"{cls.__name__}: the class names no trace.", "Set trace.")
        chat_only = cls.target().chat_only
        prepared = prepare(
            trace, cls.load, cls.sending, chat_only=chat_only, input_format=cls.input_format, share=share
        )
        if not share.planned:
            raise WarmrouteError("The trace has no request to send.", "Give a longer duration, or another trace.")
        return prepared

    @classmethod
    def folder_of(cls, run: str) -> Path:
        """The folder of a run.

        Args:
            run: Its name.
        """
        return Path(cls.folder) / run
