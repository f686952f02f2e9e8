"""What ``warmroute local`` says when it serves."""

from __future__ import annotations

import json

from warmroute.cli.local import _announce
from warmroute.cli.output import Format


def test_it_says_where_to_watch(capsys):
    _announce(Format.TEXT)("http://localhost:8333")
    said = capsys.readouterr().out.splitlines()
    assert (
        said[0] == "Serving on http://localhost:8333; stop with Ctrl-C. Watch it on http://localhost:8333/_warmroute/"
    )
    assert said[-1].startswith("export AWS_ENDPOINT_URL=http://localhost:8333 ")


def test_programs_read_where_everything_is(capsys):
    _announce(Format.JSON)("http://localhost:8333")
    assert json.loads(capsys.readouterr().out) == {
        "url": "http://localhost:8333",
        "page": "http://localhost:8333/_warmroute/",
        "state": "http://localhost:8333/_warmroute/state",
        "metrics": "http://localhost:8333/_warmroute/metrics",
    }
