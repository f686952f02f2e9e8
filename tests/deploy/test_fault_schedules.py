"""Some of the fault schedules; ``python -m benchmarks.deploy_faults`` runs all of them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from deploy.faults.campaign import results
from deploy.faults.jobs import Apply
from deploy.faults.neighbours import ENDPOINT
from deploy.faults.schedules import in_between
from deploy.faults.transitions import PAIRS, PLAIN, TRANSITIONS, WHILE_CLEANING
from deploy.faults.world import World, new_world

from warmroute.deploy.account import clean_up

CHANGE_THE_COUNT = 5
DELETES_A_MODEL = WHILE_CLEANING[1]
SHORTLY_BEFORE_THE_LAST_DELETION = slice(-3, -2)


def holds(kind: str, number: int) -> None:
    for result in results(kind, [number]):
        assert not result.violations, f"{result.name}: {result.end}"
        assert result.converged, f"{result.name}: {result.end}"


@pytest.mark.parametrize("seed", range(len(TRANSITIONS)), ids=[each.name for each in TRANSITIONS])
def test_random_faults_lose_nothing_and_the_next_run_gets_there(seed: int) -> None:
    holds("random", seed)


@pytest.mark.parametrize("seed", range(0, len(PAIRS), 2))
def test_two_processes_at_once_do_not_harm_each_other(seed: int) -> None:
    holds("two", seed)


def test_a_deletion_gives_way_to_a_process_that_comes_in_between() -> None:
    for result in in_between(*DELETES_A_MODEL, SHORTLY_BEFORE_THE_LAST_DELETION):
        assert not result.violations, f"{result.name}: {result.end}"
        assert result.converged, f"{result.name}: {result.end}"


def test_without_the_retirement_such_a_process_loses_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_up, "retire", lambda *_, **__: True)

    schedules = list(in_between(*DELETES_A_MODEL, SHORTLY_BEFORE_THE_LAST_DELETION))

    assert any(result.violations for result in schedules)


def test_a_process_that_is_killed_at_any_step_is_continued_by_the_next() -> None:
    holds("killed", CHANGE_THE_COUNT)


@pytest.fixture(scope="module")
def serving() -> World:
    with new_world() as world:
        Apply(PLAIN).run(world)
        assert world.violations == []
        client = world.session.client("sagemaker")
        live = world.registry.endpoints[ENDPOINT].live
        assert live is not None
        assert live.variants[0].model is not None
        for delete, name in (
            (lambda name: client.delete_endpoint_config(EndpointConfigName=name), live.config.name),
            (lambda name: client.delete_model(ModelName=name), live.variants[0].model.name),
            (lambda name: client.delete_model(ModelName=name), "chat-0123456789"),
        ):
            # Some are refused here; the attempt is what counts, since SageMaker does not promise to refuse it.
            with suppress(client.exceptions.ClientError):
                delete(name)
        return world


@pytest.mark.parametrize(
    "says",
    [
        "DeleteEndpointConfig, deletes configuration",
        "DeleteModel, deletes model",
        "DeleteModel, left endpoint chat without",
        "DeleteModel, touched what belongs to somebody else",
    ],
)
def test_harm_is_noticed(serving: World, says: str) -> None:
    assert any(says in violation for violation in serving.violations)
