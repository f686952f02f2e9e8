"""Change the code in small ways, one at a time, and see whether the tests of its part notice: mutation testing.

    python .ci/mutation.py            # every part; an hour on two cores
    python .ci/mutation.py routing    # one part; minutes

Fails if a part's tests notice less than 90 % of the changes. What mutmut finds stays in ``build/mutation/<part>``:
there ``mutmut results`` lists the changes that nobody noticed and ``mutmut show NAME`` shows one. A change that
nothing could notice, because the code means the same, is left out by ``# pragma: no mutate`` and says why.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import libcst as cst

ROOT = Path(__file__).resolve().parent.parent
MUTMUT = Path(sys.executable).with_name("mutmut")
PARTS = {
    "routing": ("routing.py", "test_routing.py"),
    "strategies": ("fleet/strategies.py fleet/placement.py", "fleet/test_strategies.py"),
    "checks": (
        "hosting/checks/*.py",
        "hosting/test_messages.py hosting/test_vllm.py hosting/test_checks.py::test_a_rule_finds_nothing_next_to_it",
    ),
    "key": ("prefix/key.py prefix/lint.py", "prefix/test_key.py prefix/test_lint.py prefix/test_messages.py"),
    "canonical": (
        (
            "prefix/canonical*.py prefix/json_*er.py prefix/field_order.py prefix/plain_chat.py prefix/known_tools.py "
            "prefix/prompt_changes.py"
        ),
        (
            "prefix/test_canonical.py prefix/test_known_tools.py prefix/test_messages.py prefix/test_prompt_changes.py "
            "prefix/test_quick_ways.py"
        ),
    ),
    "diverge": (
        (
            "prefix/as_sent.py prefix/common_part.py prefix/diverge.py prefix/json_place.py prefix/parting.py "
            "prefix/redaction.py prefix/text_cause.py prefix/value_cause.py"
        ),
        (
            "prefix/test_causes.py prefix/test_diverge.py prefix/test_messages.py prefix/test_public_failures.py "
            "prefix/test_quick_ways.py"
        ),
    ),
    "volatile": (
        "prefix/volatile*.py prefix/unescaped_text.py",
        (
            "prefix/test_messages.py prefix/test_volatile.py prefix/test_volatile_corpus.py "
            "prefix/test_volatile_parts.py"
        ),
    ),
}
"""For each part, its files in ``sdk/warmroute`` and its tests in ``tests``."""
AT_LEAST = 0.90
NOTICED = {1, 3, -24, 24, 36, 152}
"""Exit codes of runs in which a test failed, or did not end."""
NOT_NOTICED = {0, 5, 33}
"""Exit codes of runs in which every test passed, or none meets the change; after any other, nothing is known."""

CONFIG = """[mutmut]
source_paths = src
only_mutate =
{files}
pytest_add_cli_args = --hypothesis-profile=quick
pytest_add_cli_args_test_selection =
{tests}
process_isolation = forkserver
timeout_constant = 3
timeout_multiplier = 4
use_git_change_detection = false
"""
"""A fork server has run no test, so no change meets what a test before it has cached."""


def main(names: list[str]) -> int:
    """Test the mutants of some parts, or of all."""
    noticed = {part: tested(part) for part in names or PARTS}
    print(f"\n{'module':44}{'noticed':>9}{'of':>6}")
    for modules in noticed.values():
        for module, of_module in modules.items():
            print(f"{module:44}{of_module[True]:9}{of_module.total():6}  {share(of_module):6.1%}")
    poor = [part for part, modules in noticed.items() if share(sum(modules.values(), Counter())) < AT_LEAST]
    for part in poor:
        print(f"The tests of {part} notice less than {AT_LEAST:.0%}; see `mutmut results` in build/mutation/{part}.")
    return bool(poor)


def tested(part: str) -> dict[str, Counter[bool]]:
    """How many mutants of each module of a part were noticed, and how many were not."""
    place = laid_out(part)
    subprocess.run([MUTMUT, "run"], cwd=place, env=os.environ | {"PYTHONHASHSEED": "0"}, check=True)
    sources = place / "mutants" / "src"
    exit_codes = {
        path.relative_to(sources).with_suffix("").with_suffix(""): json.loads(path.read_text())["exit_code_by_key"]
        for path in sorted(sources.rglob("*.py.meta"))
    }
    failed = {
        name: code for codes in exit_codes.values() for name, code in codes.items() if code not in NOTICED | NOT_NOTICED
    }
    if failed:  # Such as ids of tests that differ where pytest collects them again; mutmut calls that a time-out.
        sys.exit(f"mutmut could not test all of {part}: {failed}")
    return {
        ".".join(module.parts): Counter(code in NOTICED for code in codes.values())
        for module, codes in exit_codes.items()
        if codes
    }


def laid_out(part: str) -> Path:
    """A copy of the code and the tests as mutmut wants them: in ``src``, and functions without decorators."""
    files, tests = (each.split() for each in PARTS[part])
    place = ROOT / "build" / "mutation" / part
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "sdk", place / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "tests").symlink_to(ROOT / "tests")
    shutil.copy(ROOT / "pyproject.toml", place)
    listed = [f"    src/warmroute/{file}" for file in files], [f"    tests/{test}" for test in tests]
    config = CONFIG.format(files="\n".join(listed[0]), tests="\n".join(listed[1]))
    (place / "setup.cfg").write_text(config)
    for pattern in files:
        for file in (place / "src" / "warmroute").glob(pattern):
            file.write_text(cst.parse_module(file.read_text()).visit(_Undecorated()).code)
    return place


def share(noticed: Counter[bool]) -> float:
    """The part of the mutants that a test noticed."""
    return noticed[True] / noticed.total() if noticed else 1.0


class _Undecorated(cst.CSTTransformer):
    """Writes ``@rule(…) def f`` as ``def f`` and ``f = rule(…)(f)``: mutmut leaves decorated functions alone."""

    def leave_FunctionDef(self, original_node, updated_node):  # noqa: N802
        names = {cst.Module([]).code_for_node(each.decorator) for each in original_node.decorators}
        if not names or names & {"overload", "classmethod", "staticmethod"}:
            return updated_node
        value: cst.BaseExpression = updated_node.name
        for each in reversed(updated_node.decorators):
            value = cst.Call(each.decorator, [cst.Arg(value)])
        assigned = cst.Assign([cst.AssignTarget(updated_node.name)], value)
        return cst.FlattenSentinel(
            [updated_node.with_changes(decorators=[]), cst.SimpleStatementLine([assigned])],
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
