"""Of two runs, one that is about to use a resource and one that is about to delete it, one gives way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from warmroute.deploy.account.aws import Aws
from warmroute.deploy.account.claims import CLAIM_LASTS, claim, in_utc, is_claimed, moment, now, retire
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import DEPLOYED_TAG, RETIRING_TAG, SERVED_TAG

if TYPE_CHECKING:
    from conftest import Account

GONE = "arn:aws:sagemaker:us-east-1:123456789012:model/gone"


@pytest.fixture
def aws(account: Account) -> Aws:
    return Aws(account.session, "us-east-1")


@pytest.fixture
def model(account: Account) -> str:
    arn: str = account.sagemaker.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"})["ModelArn"]
    return arn


def test_a_claim_is_written_and_a_deletion_gives_way_to_it(aws: Aws, model: str) -> None:
    assert claim(aws, model, [{"Key": "team", "Value": "a"}], rolls_back=["rolled-back"])

    tags = tags_of(aws, model)
    assert (tags["team"], tags["rolled-back"]) == ("a", tags[DEPLOYED_TAG])
    assert is_claimed(tags)
    assert not retire(aws, model, claimed=None)
    assert RETIRING_TAG not in tags_of(aws, model)


def test_what_is_about_to_be_deleted_is_waited_for_and_used_if_it_stays(aws: Aws, model: str, account: Account) -> None:
    assert retire(aws, model, claimed=None)
    before = account.clock.now()

    assert claim(aws, model)

    assert account.clock.now() - before >= 10
    assert RETIRING_TAG not in tags_of(aws, model)


def test_what_is_gone_can_be_deleted_and_cannot_be_used(aws: Aws) -> None:
    assert retire(aws, GONE, claimed=None)
    assert not claim(aws, GONE)


def test_a_claim_ends_when_it_was_seen_to_serve_or_is_old() -> None:
    old = (datetime.now(UTC) - CLAIM_LASTS - timedelta(seconds=1)).isoformat()
    deployed = now()

    assert is_claimed({DEPLOYED_TAG: deployed})
    assert is_claimed({DEPLOYED_TAG: deployed, SERVED_TAG: old})
    assert not is_claimed({DEPLOYED_TAG: deployed, SERVED_TAG: now()})
    assert not is_claimed({DEPLOYED_TAG: old})
    assert not is_claimed({})


def test_a_time_that_somebody_else_wrote_is_read_as_far_as_it_is_one() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)

    assert moment("2026-11-30T13:00:00+01:00") == moment("2026-11-30T12:00:00") == noon
    assert [moment(text) for text in ("yesterday", "", None)] == [None] * 3
    assert in_utc(noon.replace(tzinfo=None)) == noon
