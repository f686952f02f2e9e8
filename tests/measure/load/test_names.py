"""The names of the room, where Locust is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from warmroute.measure import load


def test_an_unknown_name_is_none_of_the_room_s():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = load.Nothing


def test_the_class_names_the_extra_that_is_missing():
    code = (
        "import sys; sys.modules['locust'] = None\n"
        "from warmroute.errors import MissingExtraError\n"
        "try:\n    from warmroute.measure.load import ReplayUser\n"
        "except MissingExtraError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "Replay from many machines" in said
    assert "warmroute[load]" in said
