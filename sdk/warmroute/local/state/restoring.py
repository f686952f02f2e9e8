"""A server's account is what it was before the server serves."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.local.state.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator
    from pathlib import Path

    from warmroute.local.state.remembering import RememberingControlPlane


@contextmanager
def journal_in(directory: Path | None) -> Iterator[Journal | None]:
    """The journal of a directory, which is this process's until the block ends; none where none is named.

    Raises:
        LocalEndpointError: The directory holds something else, another process has it, or the journal is damaged.
    """
    if directory is None:
        yield None
        return
    with closing(Journal(directory)) as journal:
        yield journal


async def once_restored(
    serving: Coroutine[Any, Any, None],
    memory: RememberingControlPlane | None,
    speed: float,
    say: Callable[[str], None],
    give_up: Callable[[], Awaitable[None]],
) -> None:
    """Serve once the account is what it was.

    Args:
        serving: What serves.
        memory: The control plane that remembers; none where nothing was kept.
        speed: Seconds of its clock in one real second.
        say: Told what is lost.
        give_up: Called where the account cannot be had again, and nothing will be served.

    Raises:
        LocalEndpointError: The journal is damaged.
    """
    if memory is not None:
        try:
            for refused in await memory.restore(speed):
                say(f"Lost from the kept account, since it is refused now: {refused}.")
        except BaseException:
            serving.close()
            await give_up()
            raise
    await serving
