"""A file that is there when it is complete, compressed by its name; or standard output."""

from __future__ import annotations

import gzip
import os
import secrets
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from warmroute.errors import DocumentError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def opened_output(path: str | Path, *, overwrite: bool = False) -> Iterator[Callable[[bytes], object]]:
    """A function that writes to a file, which appears under its name once everything is written.

    Args:
        path: ``.gz`` and ``.zst`` are compressed; ``-`` is standard output; a pipe or a device is written to directly.
        overwrite: Whether a file that exists is replaced.

    Raises:
        DocumentError: It exists, or cannot be written.
        MissingExtraError: The compression needs a package that is not installed.
    """
    if str(path) == "-":
        if sys.stdout is None:
            raise DocumentError("Standard output is closed.", "Give the path of a file instead of -.")
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    output = _Output(Path(path), overwrite=overwrite)
    try:
        yield output.write
        output.finish()
    finally:
        output.discard()


@contextmanager
def telling(
    path: str | Path, remedy: str = "Choose a folder that exists, has room and can be written."
) -> Iterator[None]:
    """Tells what the system refuses in one message, with the name of the file.

    Raises:
        DocumentError: The system refused.
    """
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL.
        reason = getattr(error, "strerror", None) or error
        raise DocumentError(f"{path}: {reason}.", remedy) from None


class _Output:
    """A file under another name beside its own until it is finished; a pipe or a device under its own."""

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self._path = path
        with telling(path):
            self._target = Path(os.path.realpath(path))  # A link goes on pointing to its file.
            in_place = _is_no_plain_file(self._target, path, overwrite=overwrite)
            self._partial = self._target if in_place else _hidden_name(self._target)
            compress = _compression(path.suffix)
            self._file = self._partial.open("wb")
            self._stream = compress(self._file) if compress else self._file

    def write(self, data: bytes) -> None:
        with telling(self._path):
            self._stream.write(data)

    def finish(self) -> None:
        with telling(self._path):
            if self._stream is not self._file:
                self._stream.close()
            self._file.close()
            if self._partial != self._target:
                self._partial.replace(self._target)

    def discard(self) -> None:
        """Leave nothing behind of a file that is not finished."""
        for each in (self._stream, self._file):
            with suppress(OSError, ValueError):
                each.close()
        if self._partial != self._target:
            self._partial.unlink(missing_ok=True)


def _is_no_plain_file(target: Path, path: Path, *, overwrite: bool) -> bool:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise DocumentError(f"{path}: a folder.", "Give the name of a file to write.")
    if stat.S_ISREG(mode) and not overwrite:
        raise DocumentError(f"{path}: the file exists.", "Choose another name, or --force to overwrite it.")
    return not stat.S_ISREG(mode)


def _hidden_name(target: Path) -> Path:
    return target.with_name(f".{secrets.token_hex(8)}.partial")


def _compression(suffix: str) -> Callable[[IO[bytes]], Any] | None:
    """How a file of this suffix is compressed, if it is; the same bytes give the same file."""
    if suffix == ".gz":
        return lambda file: gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
    if suffix == ".zst":
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("Compressing with zstd", "analysis") from None
        return lambda file: zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return None
