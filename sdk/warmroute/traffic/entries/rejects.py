"""What was left out of recorded traffic, or kept with a doubt: each case counted, with its line and reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import orjson

from warmroute.traffic.errors import TrafficError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

Kind = Literal["reject", "note"]


class Rejects:
    """Counts what could not be read, and what was read with a doubt; writes each case to a file if asked to.

    The file has one JSON object a line: ``source``, ``line``, ``kind`` (``reject`` or ``note``) and ``reason``; nothing
    of a prompt is in it. The counts hold one number a reason, however many cases there are.

    Args:
        path: Where to write the cases; they are only counted without it. A file that is there is replaced if it holds
            such cases, or nothing.

    Raises:
        TrafficError: The file cannot be written, or holds something else.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.rejected: Counter[str] = Counter()
        """Lines that became no request, by reason."""
        self.noted: Counter[str] = Counter()
        """Requests, or sources, with a doubt, by reason."""
        self._first: dict[str, tuple[str, int]] = {}
        self._path = path
        try:
            if path is not None and not _is_replaceable(Path(path)):
                raise TrafficError(f"{path}: the file exists, and holds no rejects.", "Give another path for them.")
            self._file = Path(path).open("wb") if path is not None else None  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None

    def reject(self, source: str, line: int, reason: str) -> None:
        """Count a line that is left out."""
        self.rejected[reason] += 1
        self._tell(source, line, "reject", reason)

    def note(self, source: str, line: int, reason: str) -> None:
        """Count a request that is kept, with a doubt; a line of 0 stands for the whole source."""
        self.noted[reason] += 1
        self._tell(source, line, "note", reason)

    def summary(self) -> list[str]:
        """A sentence for each reason, the most frequent first, rejects before notes."""
        return [
            f"{count:,} {word}: {reason} (first: {source}{f':{line}' if line else ''})."
            for counts, word in ((self.rejected, "rejected"), (self.noted, "noted"))
            for reason, count in counts.most_common()
            for source, line in [self._first[reason]]
        ]

    def close(self) -> None:
        """Finish the file; what is counted stays.

        Raises:
            TrafficError: The last cases cannot be written.
        """
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                raise _unwritable(self._path, error) from None

    def __enter__(self) -> Self:
        """The counts themselves, whose file is closed at the end."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _tell(self, source: str, line: int, kind: Kind, reason: str) -> None:
        self._first.setdefault(reason, (source, line))
        if self._file is not None:
            case = {"source": source, "line": line, "kind": kind, "reason": reason}
            try:
                self._file.write(orjson.dumps(case, option=orjson.OPT_APPEND_NEWLINE))
            except (OSError, ValueError) as error:
                raise _unwritable(self._path, error) from None


def _is_replaceable(path: Path) -> bool:
    """Whether nothing but rejects is lost when a file is written anew; a pipe, for one, loses nothing."""
    if not path.is_file():
        return True
    with path.open("rb") as file:
        first = file.readline(_LONGEST_CASE_BYTES)
    if not first:
        return True
    try:
        case = orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return isinstance(case, dict) and case.keys() == _CASE


_CASE = {"source", "line", "kind", "reason"}
_LONGEST_CASE_BYTES = 1 << 16


def _unwritable(path: object, error: Exception) -> TrafficError:
    reason = getattr(error, "strerror", None) or error
    return TrafficError(f"{path}: the rejects cannot be written: {reason}.", "Give a path that can be written.")
