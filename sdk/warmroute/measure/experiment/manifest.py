"""What an experiment was asked for and runs on, so that it can be continued, and repeated."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment.folder import read_json, write_json
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.experiment.arms import Arm
    from warmroute.measure.experiment.design import Design

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
"""Raised when a field changes its meaning or goes."""

_PACKAGES = ("numpy", "scipy", "pyarrow", "boto3", "botocore", "moto", "orjson")
_MAY_DIFFER = ("created", "earlier_looks", "engines")
_FURTHER_PAIRS = frozenset({"design.pairs", "design.most_pairs"})
"""What a further look may ask for, where it was declared before the first."""

_ABSENT = object()
_MOST_SHOWN = 120


def manifest(
    arms: Sequence[Arm],
    baseline: str,
    design: Design,
    criteria: Criteria,
    *,
    trace: Mapping[str, Any],
    options: Mapping[str, Any],
    looks: int = 1,
) -> dict[str, Any]:
    """The manifest of an experiment that is about to begin.

    Args:
        arms: In the order given.
        baseline: Name of the arm in use.
        design: Which runs there are.
        criteria: What has to be shown.
        trace: The trace: names, digests, number of requests; no text of a prompt.
        options: How it is sent.
        looks: Times that results will be looked at, each perhaps with more pairs; the criteria's verdicts count them.
    """
    return {
        "format": MANIFEST_FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "trace": dict(trace),
        "arms": [{"name": arm.name, **arm.describe()} for arm in arms],
        "baseline": baseline,
        "design": design.model_dump(mode="json"),
        "criteria": criteria.to_json(),
        "looks": looks,
        "earlier_looks": [],
        "engines": {},
        "options": dict(options),
        "software": {
            "warmroute": version("warmroute"),
            "python": platform.python_version(),
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        },
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
    }


def begin(folder: Path, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Put the manifest into a new folder, or continue that of a folder which has the same.

    Args:
        folder: Of the experiment.
        wanted: The manifest.

    Returns:
        The manifest that is in force.

    Raises:
        WarmrouteError: The folder holds something else, or another experiment, or cannot be written.
    """
    file = folder / MANIFEST
    if not file.exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise WarmrouteError(f"{folder}: holds something else than a comparison.", "Give a new folder.")
        write_json(file, wanted)
    found = read_json(file)
    differing = list(differences(found, wanted))
    if differing and _FURTHER_PAIRS.issuperset(differing):
        return _another_look(file, found, wanted)
    for path in differing:
        old, new = (_shown(_at(each, path)) for each in (found, wanted))
        raise WarmrouteError(
            f"{folder}: was begun with another {path}: {old}, now {new}.",
            "Give the same options to continue it, or another folder.",
        )
    return found


def note_engine(folder: Path, manifest: Mapping[str, Any], arm: str, engine: str) -> dict[str, Any]:
    """Note what computes the answers of an arm, which is known once it serves.

    Args:
        folder: Of the experiment.
        manifest: That is in force.
        arm: Name of the arm.
        engine: What was told; empty for nothing.

    Returns:
        The manifest with it.

    Raises:
        WarmrouteError: It cannot be written.
    """
    engines = manifest.get("engines", {})
    if not engine or engines.get(arm) == engine:
        return dict(manifest)
    now = {**manifest, "engines": {**engines, arm: engine}}
    write_json(folder / MANIFEST, now)
    return now


def _another_look(file: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Note that an experiment goes on with another number of pairs, if so many looks were declared.

    Raises:
        WarmrouteError: They were not.
    """
    looks = found.get("looks", 1)
    taken = [*found.get("earlier_looks", []), {name: found["design"][name] for name in ("pairs", "most_pairs")}]
    if len(taken) >= looks:
        raise WarmrouteError(
            f"{file.parent}: was begun for {counted(looks, 'look')} at its results, and "
            f"{len(taken)} had its number of pairs.",
            "More pairs after a look give more false findings than declared. Begin a new comparison, with --looks 2.",
        )
    now = {**wanted, "created": found["created"], "earlier_looks": taken, "engines": found.get("engines", {})}
    write_json(file, now)
    return now


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Paths of the fields in which two manifests differ, but for the time at which they were made.

    Args:
        found: One.
        wanted: The other.
        path: Of what is compared, from the manifest down.
    """
    for name in dict.fromkeys((*found, *wanted)):
        if not path and name in _MAY_DIFFER:
            continue
        here = f"{path}.{name}" if path else name
        old, new = found.get(name, _ABSENT), wanted.get(name, _ABSENT)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, here)
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            yield from differences(_numbered(old), _numbered(new), here)
        elif old != new:
            yield here


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _numbered(values: list[Any]) -> dict[str, Any]:
    return {str(number): value for number, value in enumerate(values)}


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else value.get(name)
    return value


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
