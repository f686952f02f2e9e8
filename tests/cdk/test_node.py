"""What is said before the CDK's libraries are imported."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from warmroute.errors import MissingExtraError
from warmroute_cdk.node import require_extra


@pytest.mark.parametrize("missing", ["aws_cdk", "constructs"])
def test_a_missing_extra_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("warmroute_cdk.node.find_spec", lambda name: None if name == missing else find_spec(name))

    with pytest.raises(MissingExtraError, match=r"pip install 'warmroute\[cdk\]'"):
        require_extra()


@pytest.mark.parametrize("module", ["warmroute_cdk", "warmroute_cdk.app", "warmroute_cdk.bound"])
def test_every_way_in_names_it(module: str) -> None:
    program = (
        f"import sys; sys.modules['aws_cdk'] = None\ntry:\n    import {module}\nexcept ImportError as e:\n    print(e)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stdout == "warmroute_cdk needs packages that are not installed. Run: pip install 'warmroute[cdk]'\n"
