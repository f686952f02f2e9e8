"""Finds the files that a user names: paths, directories, patterns, S3 prefixes and standard input."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from warmroute.traffic.errors import TrafficError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

STANDARD_INPUT = "-"


class Source(NamedTuple):
    """One file of recorded traffic."""

    location: str
    """Path or URI; ``-`` for standard input."""

    open: Callable[[], BinaryIO]
    """Opens it for reading, compressed as it may be."""

    opens_again: bool = True
    """Whether it can be opened more than once; a pipe cannot, nor can standard input."""

    @property
    def name(self) -> str:
        """What messages and records call it: the location, where what cannot be printed is escaped."""
        return printable(self.location)


def find_sources(names: str | Path | Iterable[str | Path]) -> list[Source]:
    """The files that names stand for, each once, in the order of the names and then by path.

    Args:
        names: Files; directories, for all files in them; patterns with ``*``, ``?``, ``[]`` or ``**``; ``s3://`` URIs
            of an object, of a folder, or with a pattern; ``-`` for standard input. In directories and folders, empty
            files and those whose name begins with ``.`` or ``_`` are passed over, and so are links to directories.

    Raises:
        TrafficError: A name stands for no file, or the files cannot be listed.
        MissingExtraError: An ``s3://`` name, and no ``smart_open``.
    """
    each = _listed(names)
    if not each:
        raise TrafficError("No traffic is named.", "Give files, directories, patterns or s3:// URIs.")
    found: dict[str, Source] = {}
    for name in each:
        sources = list(_of_name(str(name)))
        if not sources:
            raise TrafficError(
                f"{printable(str(name))}: no file with anything in it.", "Give files, directories or patterns of them."
            )
        for source in sources:
            found.setdefault(source.location, source)
    return list(found.values())


def refuse_sources(path: str | Path, names: str | Path | Iterable[str | Path]) -> None:
    """Refuse to write to a file that is to be read.

    Raises:
        TrafficError: A name stands for the file, among others perhaps; or for none.
    """
    file = Path(path)
    if str(path) == STANDARD_INPUT or not file.is_file():
        return
    local = [name for name in _listed(names) if not str(name).startswith("s3://") and str(name) != STANDARD_INPUT]
    for source in find_sources(local) if local else ():
        if file.samefile(source.location):
            raise TrafficError(f"{printable(str(path))}: this is one of the files to read.", "Write to another one.")


def _listed(names: str | Path | Iterable[str | Path]) -> list[str | Path]:
    return [names] if isinstance(names, (str, Path)) else list(names)


def is_shown(name: str) -> bool:
    """Whether a file in a directory is data: hidden files and markers such as ``_SUCCESS`` are not."""
    return not any(part.startswith((".", "_")) for part in name.split("/"))


def printable(name: str) -> str:
    """A name without what a terminal would obey, or no file in UTF-8 can hold: a file may have any name."""
    if name.isprintable():
        return name
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in name)


def _of_name(name: str) -> Iterator[Source]:
    if name == STANDARD_INPUT:
        yield Source(name, _standard_input, opens_again=False)
    elif name.startswith("s3://"):
        from warmroute.traffic.sources.s3 import find_objects

        yield from find_objects(name)
    else:
        try:
            yield from _local(name)
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have.
            raise _unreadable(name, error) from None


def _local(name: str) -> Iterator[Source]:
    path = Path(name)
    if path.is_dir():
        files = sorted(file for file in _inside(path) if file.is_file() and file.stat().st_size)
    elif path.exists():  # A pipe such as /dev/stdin or <(zcat …) as well as a file.
        files = [path]
    elif glob.has_magic(name):
        files = sorted(file for file in map(Path, glob.glob(name, recursive=True)) if file.is_file())  # noqa: PTH207
    else:
        raise TrafficError(f"{printable(name)}: there is no such file.", "Give files, directories or patterns of them.")
    for file in files:
        yield Source(str(file), _opener(file), opens_again=file.is_file())


def _inside(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:  # Else what is in a directory without permission would be missed unnoticed.
        raise _unreadable(error.filename, error)

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = filter(is_shown, folders)
        yield from (Path(parent, file) for file in filter(is_shown, files))


def _opener(file: Path) -> Callable[[], BinaryIO]:
    def opened() -> BinaryIO:
        try:
            return file.open("rb")
        except OSError as error:
            raise _unreadable(file, error) from None

    return opened


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise TrafficError("Standard input is closed.", "Give the path of a file instead of -.")
    return sys.stdin.buffer


def _unreadable(name: object, error: Exception) -> TrafficError:
    reason = getattr(error, "strerror", None) or error
    return TrafficError(f"{printable(str(name))}: {reason}.", "Check the path and its permissions.")
