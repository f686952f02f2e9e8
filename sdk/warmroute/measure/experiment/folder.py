"""The folder of an experiment: one folder a run, and what is known of each that is over."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.errors import WarmrouteError
from warmroute.file_lock import lock
from warmroute.measure.replay import Place, read_rows
from warmroute.measure.replay.journal import unwritable
from warmroute.measure.run import Run, RunFacts, Window, WindowKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_OUTCOME, _TELEMETRY = "outcome.json", "telemetry.json"
_FORMAT = 1
_NAME = re.compile(r"(\d+)-(\d+)-(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(RunFacts):
    """A run that is over, valid or not, without its requests."""

    is_noise: bool
    planned: int
    answered: int
    errors: Mapping[str, int]

    @property
    def place(self) -> Place:
        """Where it stands in the experiment."""
        return Place(self.arm, self.pair, self.position)


class RunFolders:
    """The runs of an experiment on disk.

    Args:
        root: Folder of the experiment.
    """

    def __init__(self, root: Path) -> None:
        self._runs = root / "runs"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out, which would take runs that are on for unfinished ones.

        Raises:
            WarmrouteError: Another process is here, or nothing can be written.
        """
        file = self._runs / ".lock"
        try:
            self._runs.mkdir(parents=True, exist_ok=True)
            opened = file.open("ab")
        except OSError as error:
            raise unwritable(file, error) from None
        with opened:
            try:
                lock(opened)
            except OSError:
                raise WarmrouteError(
                    f"{self._runs.parent}: another command is running this comparison.",
                    "Wait for it, or give another folder.",
                ) from None
            yield

    def path(self, place: Place) -> Path:
        """Folder of a run."""
        return self._runs / f"{place.pair}-{place.position}-{place.arm}"

    def finish(self, run: Finished, telemetry: Mapping[str, Any] | None) -> None:
        """Note that a run is over; before that, it counts as unfinished.

        Raises:
            WarmrouteError: It cannot be written.
        """
        folder = self.path(run.place)
        if telemetry is not None:
            write_json(folder / _TELEMETRY, telemetry)
        write_json(folder / _OUTCOME, {"format": _FORMAT, **asdict(run)})

    def finished(self) -> list[Finished]:
        """Every run that is over, in the order of pairs and positions.

        Raises:
            WarmrouteError: What is known of one cannot be read.
        """
        places = [found for found in map(self._place, self._runs.glob("*")) if found]
        return [self._read(place) for place in sorted(places, key=lambda each: each[1:])]

    def telemetry(self, run: Finished) -> Mapping[str, Any] | None:
        """What was observed beside a run; None where nothing was."""
        file = self.path(run.place) / _TELEMETRY
        return read_json(file) if file.exists() else None

    def set_aside(self, pair: int) -> None:
        """Rename the runs of a pair that was not finished, so that it can be run again; nothing is deleted.

        Raises:
            WarmrouteError: They cannot be renamed.
        """
        for folder in self._runs.glob(f"{pair}-*"):
            if _NAME.fullmatch(folder.name) is None or ".unfinished-" in folder.name:
                continue
            number = 1
            while (aside := folder.with_name(f"{folder.name}.unfinished-{number}")).exists():
                number += 1
            try:
                folder.rename(aside)
            except OSError as error:
                raise unwritable(folder, error) from None

    def load(self, run: Finished, segments: frozenset[str]) -> Run:
        """A run with its requests.

        Args:
            run: The run.
            segments: Names of the segments that are told apart; requests of others have none.

        Raises:
            WarmrouteError: The record cannot be read.
        """
        rows = read_rows(self.path(run.place))
        named = tuple(row if row.segment in segments else replace(row, segment="") for row in rows)
        return Run(**run.facts(), requests=named)

    def _place(self, folder: Path) -> Place | None:
        found = _NAME.fullmatch(folder.name)
        if found is None or not (folder / _OUTCOME).exists():
            return None
        place = Place(found[3], int(found[1]), int(found[2]))
        return None if ".unfinished-" in place.arm else place

    def _read(self, place: Place) -> Finished:
        file = self.path(place) / _OUTCOME
        values = read_json(file)
        try:
            values.pop("format")
            windows = tuple(Window(**{**each, "kind": WindowKind(each["kind"])}) for each in values["windows"])
            started = datetime.fromisoformat(values["started"])
            return Finished(**{**values, "started": started, "windows": windows, "problems": tuple(values["problems"])})
        except (KeyError, TypeError, ValueError):
            raise _unreadable(file) from None


def read_json(file: Path) -> dict[str, Any]:
    """An object of JSON.

    Raises:
        WarmrouteError: The file cannot be read, or holds none.
    """
    try:
        value = orjson.loads(file.read_bytes())
    except OSError as error:
        raise WarmrouteError(
            f"{file}: {error.strerror or 'cannot be read'}.", "Give the folder of a comparison."
        ) from None
    except orjson.JSONDecodeError:
        raise _unreadable(file) from None
    if not isinstance(value, dict):
        raise _unreadable(file)
    return value


def write_json(file: Path, value: Any) -> None:
    """Put a value into a file, whole or not at all.

    Raises:
        WarmrouteError: It cannot be written.
    """
    unfinished = file.with_name(f".{file.name}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")
        unfinished.replace(file)
    except OSError as error:
        raise unwritable(file, error) from None


def _unreadable(file: Path) -> WarmrouteError:
    return WarmrouteError(
        f"{file}: not what warmroute compare wrote.", "Give the folder of a comparison, or a new one."
    )
