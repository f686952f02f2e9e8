"""Settings are strict, immutable, read under both spellings, and refused with every error at once."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from warmroute.errors import InvalidSettingsError
from warmroute.hosting import Alarm, ContainerDefinition, EndpointSpec, InferenceComponent, ProductionVariant, VpcConfig
from warmroute.routing import PrefixAwareRoutingConfig, RoutingConfig
from warmroute.settings import Frozen, FrozenDict, Many, Settings


class Disk(Settings):
    """A disk."""

    size_in_gb: int = Field(ge=1, le=100)
    """Size of the disk."""

    encrypted: bool | None = None
    """Whether it is encrypted."""


class Speed(Settings):
    """A speed."""

    rate: float = Field(gt=0, le=100_000)
    """Requests a second."""


class Machine(Settings):
    """A machine."""

    name: str
    """Name of the machine."""

    load: float | None = None
    """Load, from 0."""

    disks: Many[Disk] = ()
    """Its disks."""

    labels: Frozen[dict[str, int]] | None = None
    """Its labels."""


def refusal(make, *args, **kwargs):
    with pytest.raises(InvalidSettingsError) as refused:
        make(*args, **kwargs)
    return refused.value.findings


@pytest.mark.parametrize("value", ["4096", 4096.0, True, None, [], {}, b"4096", 4096j])
def test_a_whole_number_is_nothing_else(value):
    (finding,) = refusal(PrefixAwareRoutingConfig, prefix_length=value, concurrency_threshold=8)
    assert (finding.id, finding.path) == ("WR003", "prefix_length")
    assert finding.message == f"{value!r} is not a whole number."
    assert finding.remedy.startswith("Allowed: 1,024 to 65,536. ")


@pytest.mark.parametrize("value", [0, 1, "true", "yes", None.__class__])
def test_true_and_false_are_nothing_else(value):
    (finding,) = refusal(Disk, size_in_gb=1, encrypted=value)
    assert (finding.id, finding.path) == ("WR003", "encrypted")


@pytest.mark.parametrize("value", [7, 7.5, True, None, b"main", ["main"]])
def test_text_is_nothing_else(value):
    (finding,) = refusal(Machine, name=value)
    assert (finding.id, finding.path) == ("WR003", "name")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), "0.5", True])
def test_a_number_is_finite(value):
    (finding,) = refusal(Machine, name="a", load=value)
    assert (finding.id, finding.path) == ("WR003", "load")


def test_a_whole_number_is_a_number():
    assert Machine(name="a", load=1).load == 1.0


@pytest.mark.parametrize("value", ["ab", {"size_in_gb": 1}, 3, b"ab"])
def test_a_list_is_nothing_else(value):
    (finding,) = refusal(Machine, name="a", disks=value)
    assert (finding.id, finding.path) == ("WR003", "disks")
    assert finding.message.endswith("is not a list.")


@pytest.mark.parametrize("subnets", [{"a", "b"}, frozenset({"a"}), {"a": 1}.keys(), iter(["a"])])
def test_a_list_has_an_order(subnets):
    (finding,) = refusal(VpcConfig, security_group_ids=["sg-1"], subnets=subnets)
    assert (finding.id, finding.path) == ("WR003", "subnets")


@pytest.mark.parametrize("values", [{"name": 16**5_000}, {"name": "a", "instance_pools": [16**5_000]}])
def test_a_number_too_large_to_write_out_is_refused_like_any_other(values):
    assert refusal(ProductionVariant.parse, values)[0].message.startswith("A number of thousands of digits is not ")


def test_items_of_a_list_stay_strict():
    (finding,) = refusal(VpcConfig, security_group_ids=["sg-1"], subnets=["subnet-1", 2])
    assert (finding.id, finding.path) == ("WR003", "subnets[1]")


@pytest.mark.parametrize("values", ["text", [], 3, None])
def test_settings_are_a_mapping_of_fields(values):
    (finding,) = refusal(Machine.parse, values)
    assert (finding.id, finding.path) == ("WR003", "")
    assert finding.message == f"{values!r} is not a mapping of fields."


def test_an_unknown_field_is_told_the_right_one():
    (finding,) = refusal(ProductionVariant, name="main", instance_type="ml.p5.48xlarge", initial_instances_count=2)
    assert (finding.id, finding.path) == ("WR001", "initial_instances_count")
    assert finding.message == "ProductionVariant has no such field."
    assert finding.remedy.startswith("Did you mean initial_instance_count? Allowed: name, model_name, ")


def test_a_field_like_no_other_is_told_all_of_them():
    (finding,) = refusal(Disk, size_in_gb=1, colour="red")
    assert finding.remedy == "Allowed: size_in_gb, encrypted."


def test_a_missing_field_says_what_it_is_for():
    (finding,) = refusal(Disk)
    assert (finding.id, finding.path) == ("WR002", "size_in_gb")
    assert str(finding) == "size_in_gb: required, but not given. Size of the disk."


def test_a_value_out_of_range_reads_as_what_where_allowed_and_meaning():
    with pytest.raises(InvalidSettingsError) as refused:
        PrefixAwareRoutingConfig(prefix_length=900, concurrency_threshold=8)
    assert str(refused.value) == (
        "PrefixAwareRoutingConfig: prefix_length: 900 is below 1,024. Allowed: 1,024 to 65,536. Longest beginning "
        "compared: bytes of the body (InvokeEndpoint) or characters of message text (OpenAI API)."
    )


def test_limits_of_which_one_is_left_out_are_one_sentence():
    with pytest.raises(InvalidSettingsError) as caught:
        Speed(rate=0)
    (finding,) = caught.value.findings
    assert finding.remedy == "Allowed: more than 0 and at most 100,000. Requests a second."


def test_a_list_of_the_wrong_size_says_how_many():
    (few,) = refusal(VpcConfig, security_group_ids=[], subnets=["subnet-1"])
    (many,) = refusal(VpcConfig, security_group_ids=["sg-1"] * 6, subnets=["subnet-1"])
    (long,) = refusal(ProductionVariant, name="x" * 64, instance_type="ml.p5.48xlarge")
    (wide,) = refusal(ContainerDefinition, environment={f"A{number}": "" for number in range(101)})
    (short,) = refusal(Alarm.parse, {"alarm_name": ""})
    assert few.message == "The list is empty; at least 1 item is needed."
    assert many.message == "The list has 6 items; at most 5 are allowed."
    assert long.message == "The text has 64 characters; at most 63 are allowed."
    assert wide.message == "The mapping has 101 entries; at most 100 are allowed."
    assert short.message == "The text is empty; at least 1 character is needed."
    assert {finding.id for finding in (few, many, long, wide, short)} == {"WR007"}


def test_malformed_text_says_which_form_is_asked_for():
    (finding,) = refusal(ProductionVariant, name="my variant", instance_type="ml.p5.48xlarge")
    assert (finding.id, finding.path) == ("WR006", "name")
    assert finding.message == "'my variant' is malformed."
    assert "Pattern: " in finding.remedy


@pytest.mark.parametrize("name", ["main\n", "-main", "main-", "mäin", "", "x" * 64, "main "])
def test_a_name_is_held_to_its_whole_text(name):
    assert {finding.path for finding in refusal(ProductionVariant, name=name, instance_type="ml.g5.xlarge")} == {"name"}


def test_a_long_value_is_cut_in_the_message():
    (finding,) = refusal(Disk, size_in_gb="9" * 500)
    assert len(finding.message) < 100


def test_every_error_is_reported():
    findings = refusal(
        Machine.parse,
        {"nmae": "a", "load": "high", "disks": [{"size_in_gb": 0}, {"encrypted": 1}], "labels": {"a": "b", "c": 1.5}},
    )
    assert [(finding.id, finding.path) for finding in findings] == [
        ("WR002", "name"),
        ("WR003", "load"),
        ("WR004", "disks[0].size_in_gb"),
        ("WR002", "disks[1].size_in_gb"),
        ("WR003", "disks[1].encrypted"),
        ("WR003", "labels.a"),
        ("WR003", "labels.c"),
        ("WR001", "nmae"),
    ]


def test_paths_are_spelled_as_in_the_document():
    findings = refusal(Machine.parse, {"Name": 1, "Disks": [{"SizeInGb": 0}, {"size_in_gb": 0}], "Colour": "red"})
    assert [finding.path for finding in findings] == ["Name", "Disks[0].SizeInGb", "Disks[1].size_in_gb", "Colour"]


def test_both_spellings_are_read():
    ours = {"name": "main", "instance_type": "ml.p5.48xlarge", "volume_size_in_gb": 8, "enable_ssm_access": True}
    awss = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "VolumeSizeInGB": 8, "EnableSSMAccess": True}
    assert ProductionVariant.parse(ours) == ProductionVariant.parse(awss) == ProductionVariant(**ours)


@pytest.mark.parametrize("twice", [{"name": "main", "VariantName": "main"}, {"name": "main", "VariantName": "other"}])
def test_both_spellings_of_one_field_at_once_are_refused(twice):
    (finding,) = refusal(ProductionVariant.parse, {**twice, "instance_type": "ml.p5.48xlarge"})
    assert finding.id == "WR001"


def test_errors_are_reported_under_the_name_of_the_document():
    with pytest.raises(InvalidSettingsError) as refused:
        Disk.parse({"size_in_gb": 0}, name="disk.yaml")
    assert str(refused.value).startswith("disk.yaml: size_in_gb: 0 is below 1.")


def test_settings_cannot_change():
    disk = Disk(size_in_gb=1)
    with pytest.raises(ValidationError):
        disk.size_in_gb = 2
    with pytest.raises(ValidationError):
        del disk.size_in_gb


def test_a_changed_copy_is_held_to_every_rule():
    variant = ProductionVariant(name="a", instance_type="ml.g5.xlarge")
    assert variant.model_copy(update={"initial_instance_count": 2}).initial_instance_count == 2
    (out_of_range,) = refusal(variant.model_copy, update={"initial_instance_count": 0})
    (unknown,) = refusal(variant.model_copy, update={"instance_count": 1})
    (against_a_rule,) = refusal(variant.model_copy, update={"accelerator_type": "ml.eia2.medium"})
    assert [each.id for each in (out_of_range, unknown, against_a_rule)] == ["WR004", "WR001", "WR207"]


def test_a_changed_copy_keeps_the_rest():
    machine = Machine(name="a", disks=[Disk(size_in_gb=1)], labels={"x": 1})
    copied = machine.model_copy(update={"load": 0.5})
    assert copied == Machine(name="a", disks=[Disk(size_in_gb=1)], labels={"x": 1}, load=0.5)
    assert copied.disks[0] is machine.disks[0]
    assert copied.model_fields_set == {"name", "disks", "labels", "load"}
    assert machine.model_copy() == machine == machine.model_copy(deep=True)


@pytest.mark.parametrize("cls", [ProductionVariant, EndpointSpec, InferenceComponent])
def test_help_shows_our_names(cls):
    assert list(inspect.signature(cls).parameters) == list(cls.model_fields)


def test_settings_are_equal_and_hashable_by_value():
    machines = [Machine(name="a", disks=[Disk(size_in_gb=1)], labels={"x": 1, "y": 2}) for _ in range(2)]
    reordered = Machine(name="a", disks=(Disk(size_in_gb=1),), labels={"y": 2, "x": 1})
    assert len({*machines, reordered}) == 1
    assert machines[0] != Machine(name="a")


def test_settings_do_not_share_what_they_were_made_from():
    labels, disks = {"x": 1}, [Disk(size_in_gb=1)]
    machine = Machine(name="a", disks=disks, labels=labels)
    labels["x"] = 2
    disks.clear()
    assert machine == Machine(name="a", disks=[Disk(size_in_gb=1)], labels={"x": 1})


@pytest.mark.parametrize(
    "change",
    [
        lambda labels: labels.__setitem__("a", 2),
        lambda labels: labels.__delitem__("a"),
        lambda labels: labels.__ior__({"a": 2}),
        lambda labels: labels.update(a=2),
        lambda labels: labels.update({"a": 2}),
        lambda labels: labels.setdefault("b", 2),
        lambda labels: labels.pop("a"),
        lambda labels: labels.popitem(),
        lambda labels: labels.clear(),
    ],
)
def test_a_frozen_mapping_refuses_every_change(change):
    labels = Machine(name="a", labels={"a": 1}).labels
    with pytest.raises(TypeError, match="immutable"):
        change(labels)
    assert labels == {"a": 1}


def test_no_method_that_changes_a_dictionary_is_left():
    of_reading = {name for name in dir(dict) if not hasattr(frozenset, name)} - {
        *("__getitem__", "__reversed__", "__or__", "__ror__", "__class_getitem__"),
        *("fromkeys", "get", "items", "keys", "values"),
    }
    refused = {name for name in of_reading if getattr(FrozenDict, name) is FrozenDict._refuse}
    assert of_reading == refused


@given(st.dictionaries(st.text(), st.integers()))
def test_a_frozen_mapping_can_be_copied_and_sent(values):
    frozen = FrozenDict(values)
    assert frozen == values
    assert copy.deepcopy(frozen) == frozen
    sent = pickle.loads(pickle.dumps(frozen))
    assert sent == frozen
    assert isinstance(sent, FrozenDict)
    assert hash(sent) == hash(frozen) == hash(FrozenDict(reversed(values.items())))


def test_a_merged_frozen_mapping_is_a_plain_one():
    assert FrozenDict(a=1) | {"b": 2} == {"a": 1, "b": 2}


disks = st.builds(
    Disk.parse, st.fixed_dictionaries({"size_in_gb": st.integers(1, 100)}, optional={"encrypted": st.booleans()})
)
machines = st.builds(
    Machine.parse,
    st.fixed_dictionaries(
        {"name": st.text()},
        optional={
            "load": st.floats(allow_nan=False, allow_infinity=False),
            "disks": st.lists(disks, max_size=3),
            "labels": st.dictionaries(st.text(), st.integers(), max_size=3),
        },
    ),
)


@given(machines)
def test_settings_survive_the_way_to_aws_and_back(machine):
    assert Machine.parse(machine.to_aws()) == machine
    assert Machine.parse(machine.model_dump()) == machine
    assert Machine.model_validate_json(machine.model_dump_json(by_alias=True)) == machine


@given(machines)
def test_settings_survive_a_process_boundary(machine):
    sent = pickle.loads(pickle.dumps(machine))
    assert sent == machine == copy.deepcopy(machine)


def test_aws_gets_its_own_names_and_nothing_that_is_not_set():
    variant = ProductionVariant(name="main", instance_type="ml.p5.48xlarge", routing_config=RoutingConfig.random())
    assert variant.to_aws() == {
        "VariantName": "main",
        "InstanceType": "ml.p5.48xlarge",
        "RoutingConfig": {"RoutingStrategy": "RANDOM"},
    }
    assert ContainerDefinition(image="a", environment={"A": "b"}).to_aws() == {"Image": "a", "Environment": {"A": "b"}}


class Application(BaseModel):
    """A user's own model, with settings of ours in it."""

    routing: RoutingConfig
    retries: int = 3


@pytest.mark.parametrize(
    ("routing", "where"),
    [
        ({"routing_strategy": "STICKY"}, ("routing", "routing_strategy")),
        ({"routing_strategy": "PREFIX_AWARE"}, ("routing",)),
        ({}, ("routing", "routing_strategy")),
    ],
)
def test_in_a_users_own_model_errors_are_pydantics(routing, where):
    with pytest.raises(ValidationError) as refused:
        Application(routing=routing, retries="many")
    assert [error["loc"] for error in refused.value.errors()] == [where, ("retries",)]
    assert refused.value.json()


def test_a_users_own_model_reads_and_writes_settings():
    application = Application.model_validate_json('{"routing": {"RoutingStrategy": "KV_AWARE"}}')
    assert application.routing == RoutingConfig.kv_aware()
    assert Application.model_validate_json(application.model_dump_json()) == application


class Pool(Settings):
    """Settings of a user's own, made of ours."""

    routing: RoutingConfig
    """How requests are spread."""


def test_a_users_own_settings_get_errors_like_ours():
    (finding,) = refusal(Pool, routing={"RoutingStrategy": "PREFIX_AWARE"})
    assert (finding.id, finding.path) == ("WR101", "routing.prefix_aware_routing_config")


def test_settings_inside_settings_are_taken_as_they_are():
    routing = RoutingConfig.random()
    assert Pool(routing=routing).routing is routing


def test_every_field_of_a_spec_says_what_it_is():
    def classes(cls):
        return {cls}.union(*(classes(each) for each in cls.__subclasses__()))

    of_the_sdk = [cls for cls in classes(Settings) if cls.__module__.startswith("warmroute.")]
    assert EndpointSpec in of_the_sdk
    undescribed = [
        f"{cls.__name__}.{name}"
        for cls in of_the_sdk
        for name, field in cls.model_fields.items()
        if not (field.description or "").endswith(".")
    ]
    assert undescribed == []
