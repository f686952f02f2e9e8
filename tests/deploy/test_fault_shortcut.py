"""The shortcut of the fault schedules answers as moto does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest
from deploy.faults import shortcut
from deploy.faults.jobs import Apply, Destroy
from deploy.faults.transitions import PLAIN
from deploy.faults.world import ACCOUNT, REGION, Answer, Call, new_world
from moto.sagemaker.models import sagemaker_backends


class BothWays:
    """Answers as moto does, and compares what the shortcut makes of the same question."""

    def __init__(self) -> None:
        self.compared: Counter[tuple[str, int]] = Counter()

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        before = self._shortcut(call) if shortcut.is_known("SageMaker", call.operation) and call.is_question else None
        answer = perform()
        if before is not None:
            assert (before[0], _content(before)) == (answer[0], _content(answer)), call.operation
            self.compared[call.operation, answer[0]] += 1
        return answer

    def _shortcut(self, call: Call) -> Answer:
        return shortcut.answer(sagemaker_backends[ACCOUNT][REGION], call.operation, call.body)


def _content(answer: Answer) -> object:
    body = json.loads(answer[2])
    if answer[0] != 200:
        return body, answer[1]["X-Amzn-Errortype"]
    return {name: value for name, value in body.items() if value is not None}


def test_what_is_asked_is_answered_as_by_moto() -> None:
    both = BothWays()
    with new_world(through_moto=True) as world:
        world.weather = both
        Apply(PLAIN).run(world)
        Destroy().run(world)

    asked = {operation for operation, _ in both.compared}
    assert {"DescribeEndpoint", "DescribeEndpointConfig", "DescribeModel", "ListModels", "ListTags"} <= asked
    assert both.compared["DescribeEndpoint", 400]


@pytest.mark.parametrize("through_moto", [False, True])
def test_both_ways_lead_to_the_same_account(through_moto: bool) -> None:
    with new_world(through_moto=through_moto) as world:
        Apply(PLAIN).run(world)
        assert Apply(PLAIN).unmet(world) == ""
        tags = world.session.client("sagemaker").list_tags(ResourceArn=world.registry.endpoints["chat"].arn)["Tags"]
        assert {"Key": "warmroute:endpoint", "Value": "chat"} in tags
