"""Small recorded traffic for tests: written to a file, and read with its rejects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from warmroute.traffic import Rejects, read_traffic

TRACES = Path(os.environ.get("WARMROUTE_TRACES", Path(__file__).parents[2] / "../shared/traces"))
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason=f"the public traces are not in {TRACES}; set WARMROUTE_TRACES"
)


def lines_of(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def read(folder, data, **options):
    """The requests in some bytes, and their rejects."""
    path = folder / "traffic"
    path.write_bytes(data)
    rejects = Rejects()
    return list(read_traffic(path, rejects=rejects, **options)), rejects


def read_values(folder, *values, **options):
    return read(folder, lines_of(*values), **options)


def read_one(folder, value, **options):
    requests, rejects = read_values(folder, value, **options)
    assert not rejects.rejected
    (request,) = requests
    return request
