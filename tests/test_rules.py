"""A rule is registered once, looks at the instances of its class, and its findings carry its id and path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute import rules
from warmroute.errors import Finding, Severity
from warmroute.rules import join_path, own_errors, problem, rule, rules_for


class Fleet:
    size = 1


class LargeFleet(Fleet):
    size = 9


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch):
    monkeypatch.setattr(rules, "RULES", {})
    monkeypatch.setattr(rules, "_BY_CLASS", {})


def too_small(fleet):
    """A fleet has two instances.

    Else it does nothing.
    """
    if fleet.size < 2:
        yield problem("size", f"{fleet.size} is too small.", "Use 2.")


def larger_than_its_spec(fleet, spec):
    """A fleet is no larger than its spec says."""
    if fleet.size > spec:
        yield problem("", "It is too large.", "Shrink it.")


def test_a_rule_finds_problems_with_its_id_path_and_source():
    rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(too_small)
    (found,) = rules_for(Fleet)
    assert list(found.findings(Fleet(), "fleets[3]")) == [
        Finding("WR901", Severity.ERROR, "fleets[3].size", "1 is too small.", "Use 2.", "somewhere")
    ]
    assert found.reason == "A fleet has two instances."


def test_the_function_of_a_rule_stays_usable():
    assert rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(too_small) is too_small


def test_a_rule_of_two_parameters_sees_the_spec():
    rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(larger_than_its_spec)
    (found,) = rules_for(Fleet)
    assert found.needs_spec
    assert [finding.path for finding in found.findings(LargeFleet(), "fleet", 3)] == ["fleet"]
    assert list(found.findings(LargeFleet(), "fleet", 9)) == []


def test_an_id_is_given_once():
    rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(too_small)
    with pytest.raises(ValueError, match="WR901 is taken by too_small"):
        rule("WR901", Severity.ERROR, on=LargeFleet, source="somewhere")(larger_than_its_spec)


def test_a_rule_of_a_class_holds_for_its_subclasses_only():
    rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(too_small)
    rule("WR902", Severity.ERROR, on=LargeFleet, source="somewhere")(larger_than_its_spec)
    assert [found.id for found in rules_for(Fleet)] == ["WR901"]
    assert {found.id for found in rules_for(LargeFleet)} == {"WR901", "WR902"}


def test_own_errors_are_those_seen_in_the_subject_alone():
    rule("WR901", Severity.ERROR, on=Fleet, source="somewhere")(too_small)
    rule("WR902", Severity.WARNING, on=Fleet, source="somewhere")(too_small)
    rule("WR903", Severity.ERROR, on=Fleet, source="somewhere")(larger_than_its_spec)
    assert [finding.id for finding in own_errors(Fleet())] == ["WR901"]
    assert own_errors(LargeFleet()) == []


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((), ""),
        (("", "name"), "name"),
        (("variants", 0, "name"), "variants[0].name"),
        (("variants", "[0].name"), "variants[0].name"),
        ((0, "name"), "[0].name"),
        (("tags", "a.b"), "tags.a.b"),
        (("variants", ""), "variants"),
    ],
)
def test_a_path_reads_as_fields_and_positions(parts, path):
    assert join_path(*parts) == path


names = st.from_regex(r"\A[a-z_]+\Z")


@given(st.lists(names | st.integers(0, 99)), st.lists(names | st.integers(0, 99)))
def test_a_path_can_be_joined_in_pieces(outer, inner):
    assert join_path(join_path(*outer), join_path(*inner)) == join_path(*outer, *inner)
