"""Whether a line of shell that a reader is told to type can work: its program, subcommand, options and files exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import botocore.session
from botocore import xform_name
from pages.blocks import ROOT, Block, blocks_of
from typer.main import get_command

from warmroute.cli.app import app

if TYPE_CHECKING:
    from typer.core import TyperGroup

_OPERATORS = {"|", "||", "&&", ";", "&"}
_REDIRECTIONS = {">", ">>", "<", "2>"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def commands(block: Block) -> Iterator[list[str]]:
    """The words of each command of a block, without comments, assignments before it and redirections."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.shlex(re.sub(r"\$\([^()]*\)", "SOMETHING", line), posix=True, punctuation_chars="|&;<>")
        words.whitespace_split = True
        yield from _split(list(words))


def _split(words: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    following = iter([*words, ";"])
    for word in following:
        if word in _REDIRECTIONS:
            next(following)
        elif word not in _OPERATORS:
            if command or not _ASSIGNMENT.match(word):
                command.append(word)
        elif command:
            yield command
            command = []


def fault(command: list[str], block: Block) -> str | None:
    """Why a command of a block cannot work, or None.

    Args:
        command: Its words.
        block: The block that it is in; a file that its page gives the reader exists.
    """
    program, *arguments = command
    check = _PROGRAMS.get(program.removeprefix("node_modules/.bin/"))
    if check is None:
        return f"{program} is no program that readers have"
    try:
        return check(arguments, block)
    except Exception as error:  # noqa: BLE001 - of a parser: it says what is wrong.
        return getattr(error, "message", "") or str(error) or type(error).__name__


def _warmroute(arguments: list[str], _block: Block) -> str | None:
    group = cast("TyperGroup", get_command(app))
    context = group.make_context("warmroute", [], resilient_parsing=True)
    options = {"--help", *(option for param in group.get_params(context) for option in getattr(param, "opts", ()))}
    if arguments[0] in options:
        return None
    command = group.get_command(context, arguments[0])
    if command is None:
        return f"warmroute {arguments[0]} is no command"
    if arguments[1:] != ["--help"]:
        command.make_context(arguments[0], arguments[1:], parent=context)
    return None


def _make(arguments: list[str], _block: Block) -> str | None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    return None if set(arguments) <= set(targets) else "no such target"


def _pip(arguments: list[str], _block: Block) -> str | None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    bracketed = re.findall(r"(?:\.|warmroute)\[([\w,]+)\]", " ".join(arguments))
    named = {extra for extras_of_one in bracketed for extra in extras_of_one.split(",")}
    if arguments[0] != "install":
        return "only install is known"
    return None if named <= set(extras) else f"no such extra: {named - set(extras)}"


def _python(arguments: list[str], block: Block) -> str | None:
    if arguments[0] != "-m":
        return _file(arguments[0], block)
    module = arguments[1]
    if module == "benchmarks":
        registered = re.findall(r'^    "(\w+)": ', (ROOT / "benchmarks/__main__.py").read_text("utf-8"), re.MULTILINE)
        return None if set(arguments[2:]) <= set(registered) else "no such benchmark"
    if module.startswith("benchmarks."):
        return _file(module.replace(".", "/") + ".py", block)
    return None if module in {"venv", "pytest", "warmroute_cdk.app"} else f"no module {module}"


def _file(name: str, block: Block) -> str | None:
    given = {each.title for each in blocks_of(ROOT / block.page)}
    return None if name in given or (ROOT / name).is_file() else f"no file {name}"


def _cdk(arguments: list[str], _block: Block) -> str | None:
    if arguments[0] not in {"synth", "deploy", "diff", "drift", "destroy", "bootstrap", "import"}:
        return f"cdk {arguments[0]} is no command"
    source = (ROOT / "cdk/warmroute_cdk/app.py").read_text("utf-8")
    known = set(re.findall(r'(?:try_get_context\(|_asked_for\(app, )"(\w+)"', source))
    given = {after.partition("=")[0] for flag, after in pairwise(arguments) if flag == "-c"}
    return None if given <= known else f"no such context: {given - known}"


def _aws(arguments: list[str], _block: Block) -> str | None:
    service, operation, *rest = arguments
    model = botocore.session.get_session().get_service_model(service)
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    if operation not in operations:
        return f"aws {service} {operation} is no command"
    shape = model.operation_model(operations[operation]).input_shape
    known = {f"--{xform_name(name, '-')}" for name in shape.members} | {"--query", "--output", "--region"}
    given = {word for word in rest if word.startswith("--")}
    return None if given <= known else f"no such option: {given - known}"


def _locust(arguments: list[str], block: Block) -> str | None:
    name = arguments[arguments.index("-f") + 1]
    return None if name == "locustfile.py" else _file(name, block)


def _cd(arguments: list[str], block: Block) -> str | None:
    (folder,) = arguments
    earlier = [command for each in blocks_of(ROOT / block.page) if each.language == "sh" for command in commands(each)]
    made = ["mkdir", "-p", folder] in earlier
    return None if made or (ROOT / folder).is_dir() else f"no folder {folder}"


def _one_of(*first: str) -> Callable[[list[str], Block], str | None]:
    return lambda arguments, _block: None if arguments[0] in first else f"{arguments[0]} is not known"


def _any(_arguments: list[str], _block: Block) -> None:
    return None


_PROGRAMS: dict[str, Callable[[list[str], Block], str | None]] = {
    "warmroute": _warmroute,
    "make": _make,
    "pip": _pip,
    "python": _python,
    "python3": _python,
    "pytest": _any,
    "cdk": _cdk,
    "npx": lambda arguments, block: _cdk(arguments[1:], block) if arguments[0] == "cdk" else "only npx cdk is known",
    "npm": _one_of("install"),
    "terraform": _one_of("init", "plan", "apply", "validate", "import", "destroy"),
    "aws": _aws,
    "locust": _locust,
    "cd": _cd,
    "export": _any,
    "unset": _any,
    ".": _one_of(".venv/bin/activate"),
    "curl": _any,
    "cat": _any,
    "cp": _any,
    "diff": _any,
    "head": _any,
    "sed": _any,
    "test": _any,
    "grep": _any,
    "mkdir": _any,
}
