"""Athena, whose third engine is a Trino; Ibis writes lists only for the latter."""

from __future__ import annotations

from warmroute.traffic.digest.engines.trino import TrinoFunctions


class AthenaFunctions(TrinoFunctions):
    """The functions of Athena."""
