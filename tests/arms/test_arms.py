"""Arms on SageMaker: what they look at, what they change, where requests go."""

from __future__ import annotations

import orjson
import pytest
from deploy.conftest import Account, account  # noqa: F401 - a fixture.

from warmroute.arms import ArmName, EndpointArm, FoundEndpoint, SwitchbackArm, arms_of, cross_over, named
from warmroute.arms.building import ArmOptions
from warmroute.arms.control_plane import ControlPlane
from warmroute.arms.switchback import Updates
from warmroute.demo import example_spec
from warmroute.errors import WarmrouteError
from warmroute.measure.experiment import Serving
from warmroute.routing import RoutingConfig

PREFIX = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)
RANDOM = RoutingConfig.random()


def spec(**routings):
    """The example with a variant for each routing."""
    first = example_spec().variants[0]
    variants = tuple(
        first.model_copy(update={"name": name, "routing_config": routing}) for name, routing in routings.items()
    )
    return example_spec().model_copy(update={"variants": variants})


def strategies(session):
    client = session.client("sagemaker")
    name = client.describe_endpoint(EndpointName="support-bot")["EndpointConfigName"]
    return {
        each["VariantName"]: each["RoutingConfig"]["RoutingStrategy"]
        for each in client.describe_endpoint_config(EndpointConfigName=name)["ProductionVariants"]
    }


@pytest.mark.parametrize(
    ("text", "arm"),
    [
        ("a=spec.yaml", ArmName("a", spec="spec.yaml")),
        ("a=endpoint/bot", ArmName("a", endpoint="bot")),
        ("a=endpoint/bot/main", ArmName("a", endpoint="bot", variant="main")),
        ("a=x=y.yaml", ArmName("a", spec="x=y.yaml")),
    ],
)
def test_names(text, arm):
    assert named(text) == arm


def test_an_endpoint_as_it_stands(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    account.calls.clear()
    arm = EndpointArm("prefix", account.session, "support-bot", variant="b")

    with arm.serve(swapped=False) as served:
        state = served.look()

    assert state.endpoint_config_arn.startswith("arn:aws:sagemaker:us-east-1:")
    assert ":endpoint-config/" in state.endpoint_config_arn
    assert (arm.instances, served.fleet, served.variant) == (7, "support-bot/b", "b")
    assert account.changes() == []


@pytest.mark.parametrize(
    ("endpoint", "variant", "message"),
    [
        ("other-bot", "", "There is no endpoint other-bot in us-east-1."),
        ("support-bot", "c", "Endpoint support-bot has no variant c. Its variants: a."),
    ],
)
def test_what_is_not_there(account, endpoint, variant, message):  # noqa: F811
    account.deploy(spec(a=RANDOM))

    with pytest.raises(WarmrouteError) as error:
        EndpointArm("a", account.session, endpoint, variant=variant)

    assert message in str(error.value)


def test_an_endpoint_that_changes_is_seen_by_its_configuration(account):  # noqa: F811
    account.deploy(spec(a=RANDOM))
    with EndpointArm("a", account.session, "support-bot").serve(swapped=False) as served:
        before = served.look()
        account.deploy(spec(a=PREFIX))

        assert served.look() != before


def test_an_endpoint_that_does_not_serve_is_not_looked_at(account):  # noqa: F811
    account.deploy(spec(a=RANDOM))
    with EndpointArm("a", account.session, "support-bot").serve(swapped=False) as served:
        account.deploy(spec(a=PREFIX), wait=False)

        with pytest.raises(WarmrouteError, match="Endpoint support-bot is Updating"):
            served.look()


def test_what_serves_is_told_while_more_instances_come(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    control = ControlPlane(account.session, "support-bot", variant="b")
    state, seen = control.look(), [control.serving()]

    account.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="support-bot", DesiredWeightsAndCapacities=[{"VariantName": "b", "DesiredInstanceCount": 9}]
    )
    seen.append(control.serving())
    assert control.look() == state
    account.clock.advance(10_000)
    seen.append(control.serving())

    assert seen == [Serving(7), Serving(7, changing=True), Serving(9)]
    assert control.look() == state
    assert ControlPlane(account.session, "support-bot").serving() == Serving(16)
    assert ".amazonaws.com/vllm:0.30.0-" in state.engine


def test_sequential_updates_change_the_endpoint_only_where_it_is_another(account):  # noqa: F811
    before = FoundEndpoint("support-bot", account.session)
    arms = [
        SwitchbackArm(name, spec(main=routing), account.session, Updates(found=before, poll_seconds=1))
        for name, routing in (("random", RANDOM), ("prefix", PREFIX))
    ]
    seen, updates = [], []
    for arm in (arms[0], arms[1], arms[1], arms[0]):
        account.calls.clear()
        with arm.serve(swapped=False) as served:
            seen.append((strategies(account.session)["main"], served.look().endpoint_config_arn, served.fleet))
        updates.append("UpdateEndpoint" in account.changes())

    assert [strategy for strategy, _, _ in seen] == ["RANDOM", "PREFIX_AWARE", "PREFIX_AWARE", "RANDOM"]
    assert seen[0] == seen[3]
    assert seen[1] == seen[2]
    assert updates == [False, True, False, True]


def a_cross_over(session, **options):
    names = (ArmName("random", endpoint="support-bot", variant="a"), ArmName("prefix", "", "support-bot", "b"))
    return cross_over(names, session, poll_seconds=1, **options)


def test_variants_change_roles_and_the_arms_follow_their_routing(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    random, prefix = a_cross_over(account.session)

    fleets = []
    for swapped in (False, True):
        for arm in (random, prefix):
            with arm.serve(swapped=swapped) as served:
                fleets.append((arm.name, served.fleet, strategies(account.session)[served.variant]))

    assert fleets == [
        ("random", "a", "RANDOM"),
        ("prefix", "b", "PREFIX_AWARE"),
        ("random", "b", "RANDOM"),
        ("prefix", "a", "PREFIX_AWARE"),
    ]


def test_continued_after_the_swap_each_arm_keeps_its_routing(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    arms = a_cross_over(account.session)
    manifest = orjson.loads(orjson.dumps({"arms": [{"name": arm.name, **arm.describe()} for arm in arms]}))
    with arms[0].serve(swapped=True):
        pass

    continued = a_cross_over(account.session, begun=manifest)

    assert [arm.describe() for arm in continued] == [arm.describe() for arm in arms]
    with continued[1].serve(swapped=True) as served:
        assert strategies(account.session)[served.variant] == "PREFIX_AWARE"


def test_variants_of_two_sizes_do_not_change_roles(account):  # noqa: F811
    one, other = spec(a=RANDOM, b=PREFIX).variants
    account.deploy(
        example_spec().model_copy(update={"variants": (one, other.model_copy(update={"initial_instance_count": 2}))})
    )

    with pytest.raises(WarmrouteError, match="Variants a and b differ in initial_instance_count: 7 and 2"):
        a_cross_over(account.session)


def test_one_variant_twice_is_no_cross_over(account):  # noqa: F811
    names = (ArmName("a", endpoint="support-bot", variant="a"), ArmName("b", endpoint="support-bot", variant="a"))

    with pytest.raises(WarmrouteError, match="are not two variants of one endpoint"):
        cross_over(names, account.session)


def test_a_spec_is_served_here_and_an_endpoint_there(account, tmp_path):  # noqa: F811
    from warmroute.demo import example_spec_text

    account.deploy(spec(a=RANDOM))
    (tmp_path / "spec.yaml").write_text(example_spec_text(), "utf-8")
    names = [named(f"here={tmp_path / 'spec.yaml'}"), named("there=endpoint/support-bot")]

    (here, there), found = arms_of(names, ArmOptions(session=lambda: account.session, api="openai"))

    assert (here.describe()["kind"], here.instances, here.chat_only) == ("local", None, True)
    assert found is None
    assert (there.describe()["kind"], there.instances, there.chat_only) == ("endpoint", 7, True)


def test_the_fleet_of_an_arm_on_sagemaker_is_simulated_with_the_arm_s_routing(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, b=PREFIX))
    found = FoundEndpoint("support-bot", account.session)
    arms = [
        EndpointArm("prefix", account.session, "support-bot", variant="b"),
        *a_cross_over(account.session),
        SwitchbackArm("prefix", spec(main=PREFIX), account.session, Updates(found=found), api="openai"),
    ]

    fleets = [arm.simulable() for arm in arms]

    assert [each.fleet.routing for each in fleets] == [PREFIX, RANDOM, PREFIX, PREFIX]
    assert {(each.fleet.instances, each.speed) for each in fleets} == {(7, 1.0)}
    assert [each.api == "openai" for each in fleets] == [False, False, False, True]


@pytest.mark.parametrize(
    ("texts", "design", "kind"),
    [
        (["a=endpoint/support-bot/a", "b=endpoint/support-bot/b"], {"cross_over": True}, "cross-over"),
        (["a=spec.yaml", "b=spec.yaml"], {"switchback": True}, "switchback"),
    ],
)
def test_arms_that_change_one_endpoint_know_what_it_had(account, tmp_path, monkeypatch, texts, design, kind):  # noqa: F811
    from warmroute.demo import example_spec_text

    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(example_spec_text(), "utf-8")
    account.deploy(spec(a=RANDOM, b=PREFIX))

    arms, found = arms_of([named(text) for text in texts], ArmOptions(session=lambda: account.session, **design))

    assert [(arm.name, arm.describe()["kind"]) for arm in arms] == [("a", kind), ("b", kind)]
    assert found.configuration.startswith("support-bot-")
    assert {arm.describe()["found_configuration"] for arm in arms} == {found.configuration}


def test_a_variant_that_is_not_there_does_not_change_roles(account):  # noqa: F811
    account.deploy(spec(a=RANDOM, c=PREFIX))

    with pytest.raises(WarmrouteError, match=r"Endpoint support-bot has no variant b\. Its variants: a, c\."):
        a_cross_over(account.session)
