"""Where ids and made-up names come from: moto's own source, so that what was drawn once can be drawn again."""

from __future__ import annotations

import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import moto.moto_api._internal as moto_internal
import moto.s3.models as s3_models

if TYPE_CHECKING:
    from collections.abc import Iterator

CHANCE: Any = moto_internal.mock_random
"""A `random.Random` that also makes UUIDs."""

RELIED_ON: tuple[tuple[object, str], ...] = (
    (moto_internal, "mock_random"),
    (CHANCE, "uuid4"),
    (CHANCE, "get_random_hex"),
    (s3_models, "os"),
)

_REPEATABLE = "warmroute_repeatable"


def make_repeatable() -> None:
    """Let everything be drawn from ``CHANCE``. From then on, calls must be answered one after the other."""
    setattr(CHANCE, _REPEATABLE, True)
    models: Any = s3_models
    models.os = types.SimpleNamespace(**{**vars(models.os), "urandom": CHANCE.randbytes})  # Ids of uploads.


@contextmanager
def chance_of(what: str) -> Iterator[None]:
    """Where draws are repeatable, let those of the block follow from a name alone, whatever was drawn before.

    Args:
        what: The name.
    """
    if not getattr(CHANCE, _REPEATABLE, False):
        yield
        return
    outer = CHANCE.getstate()
    CHANCE.seed(what)
    try:
        yield
    finally:
        CHANCE.setstate(outer)
