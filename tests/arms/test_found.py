"""An endpoint that a comparison changed gets back what it had, however the comparison ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from arms.test_arms import PREFIX, RANDOM, a_cross_over, spec, strategies
from deploy.conftest import account  # noqa: F401 - a fixture.

from warmroute.arms import FoundEndpoint, PutBack, SwitchbackArm
from warmroute.arms.switchback import Updates
from warmroute.cli.compare_run import run
from warmroute.cli.stopping import StoppedError
from warmroute.errors import WarmrouteError

FIRST = {"a": "RANDOM", "b": "PREFIX_AWARE"}
SWAPPED = {"a": "PREFIX_AWARE", "b": "RANDOM"}


def running(account):  # noqa: F811
    return account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointConfigName"]


def served(arm, **options):
    """The ARN of the configuration that an arm's run has."""
    with arm.serve(**{"swapped": False, **options}) as ready:
        return ready.look().endpoint_config_arn


def test_after_a_cross_over_variants_have_their_own_routing_again(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    before = running(account)
    arms = a_cross_over(account.session)
    applied = [served(arms[0]), served(arms[0], swapped=True)]
    assert strategies(account.session) == SWAPPED

    outcome = arms[0].found.put_back(applied)

    assert outcome == PutBack(done=True, sentence=f"Endpoint support-bot has the configuration {before} again.")
    assert strategies(account.session) == FIRST
    assert arms[1].found.put_back(applied) == PutBack(done=True, sentence="")


def test_a_comparison_that_was_killed_and_is_continued_puts_back_what_the_first_one_found(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    before = running(account)
    killed = a_cross_over(account.session)
    manifest = {"arms": [{"name": arm.name, **arm.describe()} for arm in killed]}
    applied = [served(killed[0], swapped=True)]

    continued = a_cross_over(account.session, begun=manifest)

    assert [arm.describe() for arm in continued] == [arm.describe() for arm in killed]
    assert continued[0].found.put_back(applied).done
    assert running(account) == before


@pytest.mark.parametrize("damaged", [{}, {"arms": 5}, {"arms": ["a"]}, {"arms": [{}, {"found_configuration": 7}]}])
def test_a_manifest_that_tells_nothing_of_it_is_none(account, damaged):  # noqa: F811
    account.deploy(spec(main=RANDOM))

    assert FoundEndpoint("support-bot", account.session, begun=damaged).configuration == running(account)


def test_after_sequential_updates_the_endpoint_has_its_configuration_again(account):  # noqa: F811
    account.deploy(spec(main=PREFIX))
    before = running(account)
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    assert found.configuration == before
    lor = spec(main=None)
    arms = [
        SwitchbackArm(name, wanted, account.session, Updates(found=found, keep=4, poll_seconds=1))
        for name, wanted in (("random", spec(main=RANDOM)), ("prefix", spec(main=PREFIX)), ("other", lor))
    ]
    for arm in (*arms, *arms[:1]):
        served(arm)

    assert found.put_back(()).done
    assert running(account) == before


def test_stopped_in_the_middle_of_an_update_it_is_waited_for_first(account):  # noqa: F811
    account.deploy(spec(main=RANDOM))
    before = running(account)
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    found.about_to_change()
    account.deploy(spec(main=PREFIX), wait=False)

    assert found.put_back(()).done
    assert running(account) == before


def test_what_was_not_changed_or_was_changed_by_somebody_else_stays(account):  # noqa: F811
    account.deploy(spec(main=RANDOM))
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    assert found.put_back(()) == PutBack(done=True, sentence="")

    account.deploy(spec(main=PREFIX))
    account.calls.clear()

    assert found.put_back(["arn:aws:sagemaker:us-east-1:1:endpoint-config/other"]) == PutBack(done=True, sentence="")
    assert account.changes() == []


def test_an_endpoint_that_was_not_there_before_is_named(account):  # noqa: F811
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    assert found.put_back(()) == PutBack(done=True, sentence="")
    served(SwitchbackArm("random", spec(main=RANDOM), account.session, Updates(found=found, poll_seconds=1)))

    begun = {"arms": [{"found_configuration": ""}]}
    continued = FoundEndpoint("support-bot", account.session, begun=begun, poll_seconds=1)
    assert continued.put_back(()) == PutBack(done=True, sentence="")
    assert found.put_back(()) == PutBack(
        done=True, sentence="There was no endpoint support-bot before: `warmroute destroy support-bot` deletes it."
    )


def test_what_cannot_be_put_back_is_told_with_the_command_that_does(account):  # noqa: F811
    account.deploy(spec(main=RANDOM))
    before = running(account)
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    found.about_to_change()
    account.deploy(spec(main=PREFIX))
    account.sagemaker.delete_endpoint_config(EndpointConfigName=before)

    done, sentence = found.put_back(())

    assert not done
    assert sentence.startswith(f"Endpoint support-bot could not be put back: There is no configuration {before}.")
    assert sentence.endswith(f"`warmroute rollback support-bot --to {before}` puts it back.")


def test_ctrl_c_while_it_is_put_back_tells_the_command_that_does(account, monkeypatch):  # noqa: F811
    account.deploy(spec(main=RANDOM))
    before = running(account)
    found = FoundEndpoint("support-bot", account.session, poll_seconds=1)
    found.about_to_change()
    account.deploy(spec(main=PREFIX))

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", stop)

    assert found.put_back(()) == PutBack(
        done=False,
        sentence=f"Endpoint support-bot was not waited for. `warmroute rollback support-bot --to {before}` "
        "puts it back.",
    )


class Endpoint:
    """An endpoint that was changed; ``stops`` a second Ctrl-C."""

    changed = True

    def __init__(self):
        self.applied = []

    def put_back(self, applied):
        self.applied.append(applied)
        return PutBack(done=False, sentence="It has its own again.")


class Ending:
    """An experiment that ends in some way."""

    finished = 3
    configurations = frozenset({"arn"})

    def __init__(self, how):
        self.how = how

    def run(self):
        if isinstance(self.how, BaseException):
            raise self.how
        return self.how


@pytest.mark.parametrize(
    ("how", "raised", "message"),
    [
        (KeyboardInterrupt(), StoppedError, "Stopped. 3 runs done and kept"),
        (WarmrouteError("The disk is full."), WarmrouteError, "The disk is full. 3 runs done and kept"),
        (AssertionError("a bug"), AssertionError, "a bug"),
    ],
)
def test_however_a_comparison_ends_its_endpoint_is_put_back_once(how, raised, message):
    endpoint = Endpoint()

    with pytest.raises(raised) as error:
        run(Ending(how), endpoint, Path("folder"))

    assert message in str(error.value)
    assert raised is AssertionError or str(error.value).endswith("continues. It has its own again.")
    assert endpoint.applied == [frozenset({"arn"})]


def test_a_comparison_that_is_over_tells_what_became_of_its_endpoint():
    assert run(Ending("verdict"), Endpoint(), Path("folder")) == (
        "verdict",
        PutBack(done=False, sentence="It has its own again."),
    )
    assert run(Ending("verdict"), None, Path("folder")) == ("verdict", PutBack(done=True, sentence=""))
