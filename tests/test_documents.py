"""Every file that a user writes is read alike: nothing in it is dropped in silence, and each fault is one message."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import warmroute
from warmroute.deploy import load_prices
from warmroute.errors import DocumentError
from warmroute.fleet import load_profile
from warmroute.hosting import load_spec

READERS = [load_spec, load_profile, load_prices]
FAULTS = {
    "a key twice": ("a: 1\na: 2\n", "not YAML at line 2, column 1: the key 'a' is given twice"),
    "a key twice, further in": ("a:\n  b: 1\n  b: 2\n", "not YAML at line 3, column 3: the key 'b' is given twice"),
    "an alias": ("a: &a [1]\nb: *a\n", "not YAML at line 2, column 4: aliases are not supported"),
    "too deep": ("[" * 3_000, "not YAML: "),
    "a control character": ("a: \x00", "not YAML: "),
    "no end": ("a: [", "not YAML at line 1, column 5"),
    "nothing": ("", "the document is empty"),
    "a list": ("- 1", "the document is a list"),
    "too large": (" " * 1_048_577, "more than the 1,048,576 bytes"),
    "no UTF-8": ("a: \udcff", "not UTF-8 text (byte 3)"),
}


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_file_is_one_message_that_begins_with_the_file(read: Any, fault: str, tmp_path: Path) -> None:
    text, message = FAULTS[fault]
    file = tmp_path / "document.yaml"
    file.write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(DocumentError) as refused:
        read(file)

    assert str(refused.value).startswith(f"{file}: {message}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("name", "message"), [("none.yaml", "the file does not exist"), ("", "the file is a folder")])
def test_a_file_that_is_none_is_said(read: Any, name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=f": {message}"):
        read(tmp_path / name)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("path", ["\0", "x" * 5_000])
def test_a_path_that_no_file_can_have_is_said(read: Any, path: str) -> None:
    with pytest.raises(DocumentError):
        read(path)


def test_there_is_one_reader_of_yaml() -> None:
    """CloudFormation's templates have tags of their own, so that they are read by rules of their own."""
    package = Path(warmroute.__file__).parent
    readers = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"yaml.load", "yaml.safe_load", "yaml.full_load"}
    }
    assert readers == {"documents.py", "local/cloudformation/templates.py"}
