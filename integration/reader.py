"""Somebody who does what a page of the documentation says, word for word, and looks whether the page is right."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[1]

_FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INSTALLED = re.compile(r"(make|pip|npm|\. \.venv)\b")
"""What a reader has done already: this environment is installed."""

_NEEDS_AWS = re.compile(r"s3://|^aws |^terraform |--whole-account", re.MULTILINE)


class Reader:
    """A reader in a folder of their own, with a shell whose exports last."""

    def __init__(self, folder: Path) -> None:
        """A reader.

        Args:
            folder: Where they work; empty.
        """
        self.folder = folder
        self.port = _free_port()
        self.exports: list[str] = []
        self.servers: list[subprocess.Popen[bytes]] = []
        binaries = (str(Path(sys.executable).parent), str(ROOT / "node_modules/.bin"), os.environ["PATH"])
        self.environment = {**os.environ, "PATH": os.pathsep.join(binaries), "COLUMNS": "120"}

    def __enter__(self) -> Self:
        """The reader, whose servers end with the block."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """End the servers that the page had started."""
        for server in self.servers:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=60)

    def follow(self, page: Path) -> int:
        """Put every titled block into its file, run every command, and compare what the page says that it prints.

        Returns:
            How many blocks of commands were run.

        Raises:
            AssertionError: A command failed, or its output is another than the page's.
        """
        said: str | None = None
        ran = 0
        for language, title, text in _FENCE.findall(page.read_text("utf-8")):
            if language == "text" and said is not None:
                _compare(text, said)
            said = None  # A text belongs to the block in front of it; a program's is compared in tests/pages.
            if title:
                (self.folder / title).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / title).write_text(text, "utf-8")
            elif language == "sh":
                said = self._type(text)
                ran += 1
        return ran

    def _type(self, text: str) -> str | None:
        """What the commands print, standard error too; None where they cannot run here."""
        if _NEEDS_AWS.search(text):
            return None
        lines = [line for line in text.replace("8333", str(self.port)).splitlines() if not _INSTALLED.match(line)]
        self.exports += [line for line in lines if line.startswith(("export ", "unset "))]
        if lines and lines[-1].startswith("warmroute local"):
            self._run("\n".join(lines[:-1]))
            return self._serve(lines[-1])
        return self._run("\n".join(lines))

    def _run(self, script: str) -> str:
        # `exit code 3` and its like are told by a comment at the end of a line.
        allowed = {0, *(int(code) for code in re.findall(r"#.*exit code (\d+)", script))}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-ec", "\n".join((*self.exports, script.replace("npx cdk", "cdk")))],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
            cwd=self.folder,
            env=self.environment,
        )
        assert done.returncode in allowed, f"{script}\nended with {done.returncode}:\n{done.stdout}"
        return done.stdout.replace(str(self.port), "8333")

    def _serve(self, command: str) -> str:
        log = self.folder.parent / f"{self.folder.name}-local.log"
        with log.open("wb") as file:
            words = command.partition("#")[0].split()
            port = [] if "--port" in words else ["--port", str(self.port)]
            server = subprocess.Popen(
                [*words, *port], stdout=file, stderr=subprocess.STDOUT, cwd=self.folder, env=self.environment
            )
        self.servers.append(server)
        for _attempt in range(600):
            assert server.poll() is None, f"{command}\nended:\n{log.read_text()}"
            try:
                urllib.request.urlopen(f"http://localhost:{self.port}/_warmroute/state", timeout=5)
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
            else:
                return log.read_text("utf-8").replace(str(self.port), "8333")
        raise AssertionError(f"{command}\ndid not serve:\n{log.read_text()}")


def _compare(expected: str, said: str) -> None:
    """An ellipsis in a page stands for any text, also for several lines."""
    pattern = "".join(".*?" if part == "…" else re.escape(part) for part in re.split("(…)", expected.strip()))
    assert re.fullmatch(pattern, _unspaced(said), re.DOTALL), f"The page says:\n{expected}\nThe commands print:\n{said}"


def _unspaced(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
