from __future__ import annotations

import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import DocumentError
from warmroute.traffic.writers.in_time import InTime

times = st.floats(-10, 10) | st.sampled_from([0.0, -0.0, 1e11, -1e11])


@given(st.lists(st.tuples(times, st.binary(max_size=20))), st.integers(0, 200))
def test_lines_come_back_by_time_and_then_as_they_came_whatever_memory_holds(lines, memory_bytes):
    with InTime(memory_bytes) as kept:
        for time, line in lines:
            kept.add(time, line)
        assert len(kept) == len(lines)
        assert list(kept) == sorted(lines, key=lambda each: each[0])


def test_a_full_folder_of_temporary_files_is_one_message(monkeypatch):
    def full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with InTime(1) as kept:
        monkeypatch.setattr(kept, "_set_aside", full)
        with pytest.raises(DocumentError, match=r"No space left.*TMPDIR"):
            kept.add(0.0, b"ab")
