"""Headless Chromium, driven through its DevTools protocol over a pipe: no package, no port, no driver."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
_SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # Nothing that a page asks for leaves the machine.
    *("--hide-scrollbars", "--remote-debugging-pipe"),
)
_PATIENCE_SECONDS = 60.0


@contextmanager
def chromium() -> Iterator[Chromium]:
    """A browser with a profile of its own; the test is skipped where there is none."""
    named = os.environ.get("WARMROUTE_CHROMIUM")
    program = named or next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium (Debian), or name one in WARMROUTE_CHROMIUM")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        to_browser, our_end = os.pipe()
        from_browser, its_end = os.pipe()
        command = shlex.join([program, *_SWITCHES, f"--user-data-dir={profile}", "about:blank"])
        process = subprocess.Popen(
            # The browser reads commands from descriptor 3 and answers on 4, by its convention.
            ["bash", "-c", f"exec {command} 3<&{to_browser} 4>&{its_end}"],
            pass_fds=(to_browser, its_end),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(its_end)
        try:
            yield Chromium(our_end, from_browser)
        finally:
            os.close(our_end)
            os.close(from_browser)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Chromium:
    """A running browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._number = 0
        self._pages: dict[str, Page] = {}

    def page(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        """A new tab, of a size in CSS pixels and with a colour scheme."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.show(width=width, height=height, dark=dark)
        return page

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The result of a command of the DevTools protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        data = json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            answer = self._read(deadline)
            if answer is None:
                raise TimeoutError(f"Chromium did not answer {method}.")
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def listen(self, seconds: float) -> None:
        """Take events in for some time, or until one comes."""
        self._read(time.monotonic() + seconds)

    def _read(self, deadline: float) -> dict[str, Any] | None:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._answers, 1 << 16) if ready else b""
            if not data:
                if ready:
                    raise RuntimeError("Chromium ended.")
                return None
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if page := self._pages.get(message.get("sessionId", "")):
            page.note(message)
        return message


@dataclass
class Page:
    """A tab, with what it asked the network for and what its console said."""

    browser: Chromium
    session: str
    requests: list[str] = field(default_factory=list)
    """Addresses, in order; the page's own is the first."""

    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of the console, exceptions of scripts, failed requests."""

    loaded: bool = False

    def open(self, url: str) -> None:
        """Go to an address, and wait until the page has loaded."""
        self.loaded = False
        failed = self.call("Page.navigate", url=url).get("errorText")
        assert not failed, f"{url}: {failed}"
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self.loaded:
            assert time.monotonic() < deadline, f"{url} did not load"
            self.browser.listen(1.0)

    def show(self, *, width: int, height: int = 900, dark: bool = False, print_media: bool = False) -> None:
        """Change the size, the colour scheme and the medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="print" if print_media else "", features=[scheme])

    def evaluate(self, script: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer.get("exceptionDetails")
        return answer["result"].get("value")

    def wait_until(self, script: str, seconds: float = 30.0) -> Any:
        """The value of an expression once it is true."""
        deadline = time.monotonic() + seconds
        while not (value := self.evaluate(script)):
            assert time.monotonic() < deadline, f"never true: {script}\n{self.evaluate('document.body.innerText')}"
            self.browser.listen(0.1)
        return value

    def screenshot(self, file: Path) -> None:
        """A picture of the whole page, as PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(data))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command for this tab."""
        return self.browser.call(method, self.session, **parameters)

    def note(self, message: dict[str, Any]) -> None:
        """Keep what an event tells."""
        parameters = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self.loaded = True
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Network.loadingFailed":
                self.complaints.append(parameters["errorText"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.complaints.append(str([argument.get("value") for argument in parameters["args"]]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.complaints.append(parameters["entry"]["text"])
