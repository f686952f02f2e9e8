"""Ctrl-C: one line and exit code 130, wherever it meets a command."""

from __future__ import annotations


class StoppedError(Exception):
    """Ctrl-C ended a command.

    Args:
        hint: What goes on all the same, and what to do about it; empty where nothing does.
    """

    def __init__(self, hint: str = "") -> None:
        super().__init__(f"Stopped. {hint}".strip())
