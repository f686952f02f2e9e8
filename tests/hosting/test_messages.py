"""What each rule says, word for word: a changed message is seen where it is reviewed."""

from __future__ import annotations

import pytest
from hosting.specs import findings
from hosting.test_checks import CASES

from warmroute.rules import RULES


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_says(rule, snapshot):
    said = [[str(finding) for finding in findings(case.broken)] for case in CASES if case.id == rule]
    assert said == snapshot
