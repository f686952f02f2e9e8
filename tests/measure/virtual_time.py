"""An event loop whose clock stands still while something can run, and jumps to the next timer when nothing can."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class _Selector(selectors.SelectSelector):
    waited = 0.0

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "The program waits for something that never comes."
        self.waited += timeout
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.waited

    def spend(self, seconds: float) -> None:
        """Keep the loop busy for a time, as slow code would."""
        self._virtual.waited += seconds


def run_virtually(main: Callable[[VirtualTimeLoop], Coroutine[Any, Any, Any]]) -> Any:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualTimeLoop)
        return runner.run(main(loop))
