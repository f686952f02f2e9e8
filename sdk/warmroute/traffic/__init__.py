"""Requests as they were really made: one record for all formats, their readers, and arrivals where there are none."""

from __future__ import annotations

from warmroute.inference_api import Api
from warmroute.traffic.arrivals import arrivals, with_timings
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.errors import TrafficError
from warmroute.traffic.reading.formats import Format
from warmroute.traffic.reading.read import read_traffic
from warmroute.traffic.record import TrafficRequest
from warmroute.traffic.synthetic import Burst, poisson_arrivals

__all__ = [
    "Api",
    "Burst",
    "Format",
    "Rejects",
    "TrafficError",
    "TrafficRequest",
    "arrivals",
    "poisson_arrivals",
    "read_traffic",
    "with_timings",
]
