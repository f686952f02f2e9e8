"""The journal's directory: one file of calls, one line each, written before a call is acknowledged."""

from __future__ import annotations

import errno
import json
import os
import secrets
import zlib
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

from warmroute.errors import LocalEndpointError
from warmroute.file_lock import lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = 1
"""Of the file; a release that writes another one reads this one or refuses it."""

JOURNAL, LOCK = "journal", "lock"
_TITLE = "warmroute local state"


class Journal:
    """The calls that changed an account, in their order. One process has a directory at a time.

    Every line is a checksum and a JSON object; the first one says what the file is. A line without its end was never
    acknowledged, and is dropped.

    Args:
        directory: Where it is; made where there is none.

    Raises:
        LocalEndpointError: The directory holds something else, another process has it, or the file is damaged.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._path = directory / JOURNAL
        with ExitStack() as opened:
            try:
                directory.mkdir(parents=True, exist_ok=True)
                self._refuse_foreign()
                self._lock = opened.enter_context(self._own())
                if not self._path.exists():
                    self._begin()
                self._file = opened.enter_context(self._path.open("r+b", buffering=0))
            except OSError as error:
                raise LocalEndpointError(
                    f"State in {directory}: {error.strerror}.", "Name another directory."
                ) from None
            self.secret: str = self._title()
            """Of the directory: ids that are made up follow from it, and differ from those of other directories."""
            opened.pop_all()  # Open until `close`.

    def entries(self) -> Iterator[dict[str, Any]]:
        """Every call, from the first.

        Raises:
            LocalEndpointError: The file is damaged.
        """
        self._file.seek(0)
        lines = self._file.readall().split(b"\n")
        rest = lines.pop()
        for number, line in enumerate(lines[1:], start=2):
            yield self._read(line, number)
        if rest:  # The process ended in the middle of it.
            self._file.truncate(self._file.tell() - len(rest))
        self._file.seek(0, os.SEEK_END)

    def append(self, entry: dict[str, Any]) -> None:
        """Write a call, durably.

        Raises:
            OSError: It cannot be written; the file is as it was before.
        """
        end = self._file.seek(0, os.SEEK_END)
        line = _line(entry)
        try:
            self._write(line)
        except OSError:
            self._file.truncate(end)
            raise

    def clear(self) -> None:
        """Forget every call, at once or not at all."""
        self._file.close()
        self._begin()
        self._file = self._path.open("r+b", buffering=0)
        self.secret = self._title()

    def close(self) -> None:
        """Leave the directory to others."""
        self._file.close()
        self._lock.close()

    def _write(self, line: bytes) -> None:
        if self._file.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._file.fileno())

    def _begin(self) -> None:
        new = self._path.with_suffix(".new")
        with _private(new, "wb") as file:
            file.write(_line({"is": _TITLE, "format": FORMAT, "secret": secrets.token_hex(16)}))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)

    def _title(self) -> str:
        self._file.seek(0)
        line, end, _ = self._file.readall().partition(b"\n")
        title = self._read(line, 1) if end else {}
        if title.get("is") != _TITLE:
            raise self._refusal("its journal is none of warmroute's")
        if title.get("format") != FORMAT:
            raise self._refusal(f"it was written in format {title.get('format')}, and this release reads {FORMAT}")
        return str(title["secret"])

    def _read(self, line: bytes, number: int) -> dict[str, Any]:
        checksum, _, text = line.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            raise self._refusal(f"line {number} of its journal is damaged")
        entry: dict[str, Any] = json.loads(text)
        return entry

    def _refuse_foreign(self) -> None:
        found = sorted(each.name for each in self.directory.iterdir() if each.name not in {LOCK, f"{JOURNAL}.new"})
        if found and JOURNAL not in found:
            raise LocalEndpointError(
                f"Directory {self.directory} holds something else: {', '.join(found[:3])}.",
                "Name an empty or a new one with --state.",
            )

    def _refusal(self, why: str) -> LocalEndpointError:
        return LocalEndpointError(f"State in {self.directory}: {why}.", "Name another directory, or delete this one.")

    def _own(self) -> IO[bytes]:
        held = _private(self.directory / LOCK, "ab")
        try:
            lock(held)
        except OSError:
            held.close()
            raise LocalEndpointError(
                f"State in {self.directory}: another local endpoint is using it.", "Stop it, or name another directory."
            ) from None
        return held


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _private(path: Path, mode: str) -> IO[Any]:
    """A file that nobody else can read: requests hold secrets, such as a model's tokens."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))
