"""Which requests to the control plane change something, and how one is kept."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import Scope

_READING = re.compile("(?:Describe|List|Get|Head|BatchGet|Search|Lookup|Validate)(?=[A-Z])")
"""How the names of calls begin that change nothing."""

_RPC_PATH = re.compile(r"/service/[^/]+/operation/([^/]+)")
"""Source: smithy's RPC v2 protocols."""

_READING_METHODS = {"GET", "HEAD", "OPTIONS"}
_RESET_PATH = "/moto-api/reset"


@dataclass(frozen=True, slots=True)
class Call:
    """A request to the control plane, whole."""

    method: str
    raw_path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, scope: Scope, body: bytes) -> Call:
        """The call of an ASGI request."""
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
        raw_path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
        return cls(scope["method"], raw_path, query, headers, body)

    @property
    def action(self) -> str:
        """Its name, where the protocol names calls; empty for REST."""
        headers = dict(self.headers)
        if target := headers.get("x-amz-target"):
            return target.rpartition(".")[2]
        if found := _RPC_PATH.fullmatch(self.raw_path):
            return found[1]
        if "form-urlencoded" in headers.get("content-type", "") and self.body.startswith((b"Action=", b"Version=")):
            return parse_qs(self.body.decode("latin-1")).get("Action", [""])[0]
        return parse_qs(self.query).get("Action", [""])[0]

    @property
    def changes_something(self) -> bool:
        """Whether it may change something."""
        if action := self.action:
            return not _READING.match(action)
        return self.method not in _READING_METHODS

    @property
    def is_reset(self) -> bool:
        """Whether it empties every account."""
        return self.method == "POST" and self.raw_path == _RESET_PATH

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.action or f"{self.method} {self.raw_path}"

    def kept(self) -> dict[str, Any]:
        """As the journal has it."""
        body = base64.b64encode(self.body).decode()
        named = {"method": self.method, "path": self.raw_path, "query": self.query}
        return {**named, "headers": self.headers, "body": body}

    @classmethod
    def from_kept(cls, kept: dict[str, Any]) -> Call:
        """The call that the journal has."""
        headers = tuple((str(name), str(value)) for name, value in kept["headers"])
        return cls(kept["method"], kept["path"], kept["query"], headers, base64.b64decode(kept["body"]))
