"""Errors say what, where and what to do, and survive a process boundary."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute import errors
from warmroute.errors import (
    DeploymentError,
    DocumentError,
    Finding,
    IncompleteSpecError,
    InvalidSettingsError,
    LocalEndpointError,
    MissingExtraError,
    Severity,
    WarmrouteError,
)

FINDING = Finding("WR103", Severity.WARNING, "variants[0]", "1 instance serves.", "Start two.", "botocore")


def test_a_finding_reads_as_where_what_and_remedy():
    assert str(FINDING) == "variants[0]: 1 instance serves. Start two."


def test_a_finding_of_the_whole_document_has_no_path():
    assert str(Finding("WR003", Severity.ERROR, "", "It is a list.", "")) == "It is a list."


def test_a_finding_is_plain_values_for_json():
    assert json.loads(json.dumps(FINDING.as_dict())) == {
        "id": "WR103",
        "severity": "warning",
        "path": "variants[0]",
        "message": "1 instance serves.",
        "remedy": "Start two.",
        "source": "botocore",
    }


def test_a_finding_cannot_change():
    with pytest.raises(AttributeError):
        FINDING.path = "elsewhere"


def test_an_error_ends_with_its_remedy():
    error = WarmrouteError("The stack is gone.", "Deploy again.")
    assert str(error) == "The stack is gone. Deploy again."
    assert (error.message, error.remedy) == ("The stack is gone.", "Deploy again.")
    assert str(WarmrouteError("The stack is gone.")) == "The stack is gone."


def test_invalid_settings_are_reported_line_by_line_under_their_name():
    error = InvalidSettingsError([FINDING, FINDING], "endpoint.yaml")
    line = "endpoint.yaml: variants[0]: 1 instance serves. Start two."
    assert str(error) == f"{line}\n{line}"
    assert error.findings == (FINDING, FINDING)


def test_invalid_settings_are_value_errors_for_those_who_do_not_know_us():
    with pytest.raises(ValueError, match="Start two"):
        raise InvalidSettingsError([FINDING])


@given(
    st.lists(st.builds(Finding, st.text(), st.sampled_from(Severity), st.text(), st.text(), st.text(), st.text())),
    st.text(),
)
def test_invalid_settings_survive_a_process_boundary(findings, name):
    error = InvalidSettingsError(findings, name)
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.findings, copied.name, str(copied)) == (error.findings, error.name, str(error))


def test_a_missing_extra_is_an_import_error_that_says_what_to_run():
    error = MissingExtraError("The local endpoint", "local")
    assert isinstance(error, ImportError)
    assert str(error).endswith("Run: pip install 'warmroute[local]'")
    assert error.extra == "local"


def test_a_missing_extra_survives_a_process_boundary():
    error = MissingExtraError("The local endpoint", "local")
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.extra) == (str(error), "local")


@pytest.mark.parametrize("cls", [DocumentError, IncompleteSpecError, DeploymentError, LocalEndpointError])
def test_one_except_clause_catches_whatever_we_raise(cls):
    with pytest.raises(WarmrouteError):
        raise cls("It failed.", "Try again.")


def test_every_error_of_the_module_is_in_the_tree():
    raised = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(raised) == 7
    assert all(issubclass(each, WarmrouteError) for each in raised)
