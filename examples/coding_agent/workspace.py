"""A program with a fault, and the tools with which an agent repairs it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PRICE = "def price(amount, each):\n    return amount * each if amount < 10 else 0.9 * amount\n"
CHECK = """from price import price

assert price(2, 5.0) == 10.0, price(2, 5.0)
assert price(20, 5.0) == 90.0, price(20, 5.0)  # A tenth less for ten or more.
print("All checks pass.")
"""


def _tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": value} for key, value in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TOOLS = [
    _tool("list_files", "Names of all files."),
    _tool("read_file", "The text of a file.", path="Name of the file."),
    _tool("write_file", "Replace the text of a file.", path="Name of the file.", text="All of its new text."),
    _tool("run_checks", "Run check.py and tell what it says."),
]
"""One list in one order for every step. It comes before the messages, so a change of it is a new beginning."""


class Workspace:
    """The program in a folder of its own.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.write_file("price.py", PRICE)
        self.write_file("check.py", CHECK)

    def call(self, name: str, arguments: str) -> str:
        """What a tool says to arguments as the model wrote them; also what is wrong with them."""
        if name not in {tool["function"]["name"] for tool in TOOLS}:
            return f"There is no tool {name}."
        try:
            return str(getattr(self, name)(**json.loads(arguments or "{}")))
        except (OSError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"

    def list_files(self) -> str:
        return "\n".join(sorted(path.name for path in self._folder.glob("*.py")))

    def read_file(self, path: str) -> str:
        return self._inside(path).read_text("utf-8")

    def write_file(self, path: str, text: str) -> str:
        self._inside(path).write_text(text, "utf-8")
        return f"{path} is written."

    def run_checks(self) -> str:
        # This runs what a model has written: let it do so in a container of its own.
        command = [sys.executable, "-B", "check.py"]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
        return done.stdout + done.stderr

    def _inside(self, path: str) -> Path:
        found = (self._folder / path).resolve()
        if not found.is_relative_to(self._folder.resolve()):
            raise ValueError(f"{path} is not in the workspace.")
        return found
