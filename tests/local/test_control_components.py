from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from warmroute.local.control import Clock, Durations, endpoint_in_force, install

REGION, ACCOUNT = "us-east-1", "123456789012"
ROLE = "arn:aws:iam::123456789012:role/execution"
NEEDS = {"NumberOfAcceleratorDevicesRequired": 2, "MinMemoryRequiredInMb": 1_024}
BASE = {"Container": {"Image": "vllm:1", "Environment": {"A": "1"}}, "ComputeResourceRequirements": NEEDS}
ADAPTER = {"BaseInferenceComponentName": "base", "Container": {"ArtifactUrl": "s3://bucket/adapter.tar.gz"}}


@pytest.fixture
def clock():
    return Clock(speed=0, start=1_800_000_000.0)


@pytest.fixture
def sagemaker(clock):
    install(clock=clock, durations=Durations(creating=60, updating=60, deleting=10, component=20))
    with mock_aws():
        client = boto3.client("sagemaker", region_name=REGION)
        client.create_model(
            ModelName="llama", PrimaryContainer={"Image": "vllm:model", "Environment": {"A": "model", "B": "model"}}
        )
        for name, model in (("shared", {}), ("single", {"ModelName": "llama"})):
            variant = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 2} | model
            client.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant], ExecutionRoleArn=ROLE)
            client.create_endpoint(EndpointName=name, EndpointConfigName=name)
        clock.advance(60)
        yield client
    install(clock=Clock(), durations=Durations())


@pytest.fixture
def with_base(sagemaker, clock):
    create(sagemaker, "base", CopyCount=3)
    clock.advance(20)
    return sagemaker


def create(client, name, specification=BASE, *, CopyCount=1, **changes):  # noqa: N803 - AWS's name.
    request = {
        "InferenceComponentName": name,
        "EndpointName": "shared",
        "VariantName": "main",
        "Specification": specification,
        "RuntimeConfig": {"CopyCount": CopyCount},
    } | changes
    return client.create_inference_component(**{key: value for key, value in request.items() if value is not None})


def create_adapter(client, name="adapter", specification=ADAPTER, **changes):
    return create(client, name, specification, VariantName=None, RuntimeConfig=None, **changes)


def describe(client, name="base"):
    return client.describe_inference_component(InferenceComponentName=name)


def refused(call, *args, **request):
    with pytest.raises(ClientError) as error:
        call(*args, **request)
    assert error.value.response["Error"]["Code"] == "ValidationException"
    return error.value.response["Error"]["Message"]


def test_copies_serve_when_the_clock_has_passed_their_creation(sagemaker, clock):
    arn = create(sagemaker, "base", CopyCount=3)["InferenceComponentArn"]
    assert arn == f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:inference-component/base"
    creating = describe(sagemaker)
    assert creating["InferenceComponentStatus"] == "Creating"
    assert creating["RuntimeConfig"] == {"DesiredCopyCount": 3, "CurrentCopyCount": 0}
    clock.advance(20)
    ready = describe(sagemaker)
    assert ready["InferenceComponentStatus"] == "InService"
    assert ready["RuntimeConfig"] == {"DesiredCopyCount": 3, "CurrentCopyCount": 3}
    assert ready["Specification"]["Container"]["DeployedImage"]["SpecifiedImage"] == "vllm:1"
    assert ready["Specification"]["ComputeResourceRequirements"] == NEEDS
    assert (ready["EndpointName"], ready["VariantName"]) == ("shared", "main")


def test_a_model_can_run_as_a_component(sagemaker, clock):
    specification = {
        "ModelName": "llama",
        "Container": {"Environment": {"B": "own"}},
        "ComputeResourceRequirements": NEEDS,
    }
    create(sagemaker, "base", specification)
    clock.advance(20)
    component = endpoint_in_force(ACCOUNT, REGION, "shared").components[0]
    assert (component.model_name, component.image) == ("llama", "vllm:model")
    assert component.environment == {"A": "model", "B": "own"}


def test_an_adapter_lives_on_its_base(with_base, clock):
    create_adapter(with_base)
    clock.advance(20)
    described = describe(with_base, "adapter")
    assert described["InferenceComponentStatus"] == "InService"
    assert described["VariantName"] == "main"
    assert described["Specification"] == ADAPTER
    assert "RuntimeConfig" not in described
    adapter = endpoint_in_force(ACCOUNT, REGION, "shared").components[1]
    assert (adapter.base, adapter.copy_count) == ("base", 3)
    assert adapter.artifact_url == "s3://bucket/adapter.tar.gz"

    delete = with_base.delete_inference_component
    assert "base of adapter" in refused(delete, InferenceComponentName="base")
    runtime = with_base.update_inference_component_runtime_config
    copies = {"CopyCount": 2}
    assert "of its base" in refused(runtime, InferenceComponentName="adapter", DesiredRuntimeConfig=copies)


def test_one_specification_for_each_instance_type(sagemaker, clock):
    several = [BASE | {"InstanceType": "ml.p5.48xlarge"}, BASE | {"InstanceType": "ml.p5en.48xlarge"}]
    create(sagemaker, "base", None, Specifications=several)
    shown = describe(sagemaker)["Specifications"]
    assert [each["InstanceType"] for each in shown] == ["ml.p5.48xlarge", "ml.p5en.48xlarge"]


@pytest.mark.parametrize(
    ("specification", "changes", "said"),
    [
        (BASE, {"EndpointName": "none"}, "Could not find endpoint "),
        (BASE, {"VariantName": "none"}, 'Could not find variant "none"'),
        (BASE, {"EndpointName": "single"}, "runs model llama"),
        (BASE, {"VariantName": None}, "names its VariantName"),
        (ADAPTER, {}, "Could not find inference component"),
        (None, {}, "either Specification or Specifications"),
        (BASE, {"Specifications": [BASE]}, "either Specification or Specifications"),
        (None, {"Specifications": [BASE, BASE]}, "names its InstanceType"),
        ({"Container": {"Image": "vllm:1"}}, {}, "has ComputeResourceRequirements"),
        ({"ComputeResourceRequirements": NEEDS}, {}, "has ModelName or Container.Image"),
        (BASE | {"ModelName": "none"}, {}, "Could not find model"),
    ],
)
def test_a_component_that_cannot_be_is_refused(sagemaker, specification, changes, said):
    assert said in refused(create, sagemaker, "base", specification, **changes)
    assert sagemaker.list_inference_components()["InferenceComponents"] == []


@pytest.mark.parametrize(
    ("specification", "changes", "said"),
    [
        (ADAPTER | {"ComputeResourceRequirements": NEEDS}, {}, "leave out ComputeResourceRequirements"),
        ({"BaseInferenceComponentName": "base"}, {}, "needs Container.ArtifactUrl"),
        (ADAPTER | {"BaseInferenceComponentName": "adapter"}, {}, "is an adapter itself"),
        (ADAPTER, {"EndpointName": "single"}, "is not on endpoint single"),
    ],
)
def test_an_adapter_that_cannot_be_is_refused(with_base, specification, changes, said):
    create_adapter(with_base)
    assert said in refused(create_adapter, with_base, "second", specification, **changes)


def test_an_endpoint_must_be_in_service_first(sagemaker):
    sagemaker.create_endpoint(EndpointName="later", EndpointConfigName="shared")
    assert "is Creating" in refused(create, sagemaker, "base", EndpointName="later")


def test_a_taken_name_is_refused(with_base):
    assert refused(create, with_base, "base").startswith("Cannot create already existing inference component")


def test_copies_are_started_and_stopped(with_base, clock):
    with_base.update_inference_component_runtime_config(
        InferenceComponentName="base", DesiredRuntimeConfig={"CopyCount": 0}
    )
    updating = describe(with_base)
    assert updating["InferenceComponentStatus"] == "Updating"
    assert updating["RuntimeConfig"] == {"DesiredCopyCount": 0, "CurrentCopyCount": 3}
    clock.advance(20)
    assert describe(with_base)["RuntimeConfig"] == {"DesiredCopyCount": 0, "CurrentCopyCount": 0}


def test_the_old_specification_serves_until_an_update_is_done(with_base, clock):
    policy = {
        "RollingUpdatePolicy": {
            "MaximumBatchSize": {"Type": "COPY_COUNT", "Value": 1},
            "WaitIntervalInSeconds": 10,
        }
    }
    with_base.update_inference_component(
        InferenceComponentName="base",
        Specification=BASE | {"Container": {"Image": "vllm:2"}},
        RuntimeConfig={"CopyCount": 5},
        DeploymentConfig=policy,
    )
    assert endpoint_in_force(ACCOUNT, REGION, "shared").components[0].image == "vllm:1"
    clock.advance(20)
    component = endpoint_in_force(ACCOUNT, REGION, "shared").components[0]
    assert (component.image, component.copy_count) == ("vllm:2", 5)
    assert describe(with_base)["LastDeploymentConfig"] == policy


def test_a_component_cannot_become_an_adapter(with_base, clock):
    create(with_base, "second")
    clock.advance(20)
    update = with_base.update_inference_component
    assert "cannot change" in refused(update, InferenceComponentName="second", Specification=ADAPTER)


def test_a_change_in_progress_takes_no_other(sagemaker):
    create(sagemaker, "base")
    calls = {
        sagemaker.update_inference_component: {"Specification": BASE},
        sagemaker.update_inference_component_runtime_config: {"DesiredRuntimeConfig": {"CopyCount": 2}},
        sagemaker.delete_inference_component: {},
    }
    for call, request in calls.items():
        said = refused(call, InferenceComponentName="base", **request)
        assert said.startswith("Cannot update in-progress inference component")


def test_an_endpoint_goes_after_its_components(with_base, clock):
    assert "inference components: base" in refused(with_base.delete_endpoint, EndpointName="shared")
    with_base.delete_inference_component(InferenceComponentName="base")
    assert describe(with_base)["InferenceComponentStatus"] == "Deleting"
    clock.advance(10)
    assert refused(describe, with_base).startswith("Could not find inference component")
    with_base.delete_endpoint(EndpointName="shared")


def test_an_update_cannot_take_the_variant_away_from_a_component(with_base):
    update = with_base.update_endpoint
    assert "Delete the component first" in refused(update, EndpointName="shared", EndpointConfigName="single")


def test_components_are_listed_by_endpoint_variant_and_status(with_base):
    create(with_base, "second")

    def names(**request):
        found = with_base.list_inference_components(SortBy="Name", SortOrder="Ascending", **request)
        return [each["InferenceComponentName"] for each in found["InferenceComponents"]]

    assert names(EndpointNameEquals="shared", VariantNameEquals="main") == ["base", "second"]
    assert names(EndpointNameEquals="single") == []
    assert names(VariantNameEquals="else") == []
    assert names(StatusEquals="Creating") == ["second"]


def test_components_have_tags(sagemaker):
    arn = create(sagemaker, "base", Tags=[{"Key": "team", "Value": "a"}])["InferenceComponentArn"]
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "team", "Value": "b"}, {"Key": "cost", "Value": "1"}])
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == [
        {"Key": "team", "Value": "b"},
        {"Key": "cost", "Value": "1"},
    ]
    sagemaker.delete_tags(ResourceArn=arn, TagKeys=["team"])
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "cost", "Value": "1"}]
    missing = arn.replace("/base", "/none")
    assert "Could not find" in refused(sagemaker.list_tags, ResourceArn=missing)


def test_an_adapter_cannot_be_moved_off_the_variant_of_its_base(with_base):
    said = refused(create, with_base, "adapter", ADAPTER, VariantName="else", RuntimeConfig=None)
    assert "variant of its base, main, not on else" in said


def test_an_update_of_the_copies_alone_keeps_the_specification(with_base, clock):
    with_base.update_inference_component(InferenceComponentName="base", RuntimeConfig={"CopyCount": 1})
    clock.advance(20)
    component = endpoint_in_force(ACCOUNT, REGION, "shared").components[0]
    assert (component.image, component.copy_count) == ("vllm:1", 1)
    assert "LastDeploymentConfig" not in describe(with_base)


def test_components_of_one_endpoint_do_not_hold_up_another(with_base, clock):
    with_base.update_endpoint(EndpointName="single", EndpointConfigName="shared")
    clock.advance(60)
    assert endpoint_in_force(ACCOUNT, REGION, "single").components == ()
    with_base.update_endpoint(EndpointName="shared", EndpointConfigName="shared")
    clock.advance(60)
    assert [each.name for each in endpoint_in_force(ACCOUNT, REGION, "shared").components] == ["base"]


def test_an_update_of_the_specification_alone_keeps_the_copies(with_base, clock):
    changed = BASE | {"Container": {"Image": "vllm:2"}}
    with_base.update_inference_component(InferenceComponentName="base", Specification=changed)
    clock.advance(20)
    component = endpoint_in_force(ACCOUNT, REGION, "shared").components[0]
    assert (component.image, component.copy_count) == ("vllm:2", 3)


def test_a_component_that_runs_something_else_or_is_made_anew_is_another(with_base, clock):
    def serial():
        (component,) = endpoint_in_force(ACCOUNT, REGION, "shared").components
        return component.serial

    first = serial()
    with_base.update_inference_component(InferenceComponentName="base", RuntimeConfig={"CopyCount": 1})
    clock.advance(20)
    with_base.update_inference_component(InferenceComponentName="base", Specification=BASE)
    clock.advance(20)
    assert serial() == first

    changed = BASE | {"Container": {"Image": "vllm:1", "Environment": {"A": "2"}}}
    with_base.update_inference_component(InferenceComponentName="base", Specification=changed)
    assert serial() == first
    clock.advance(20)
    second = serial()

    with_base.delete_inference_component(InferenceComponentName="base")
    clock.advance(10)
    create(with_base, "base", changed)
    assert len({first, second, serial()}) == 3


@pytest.mark.parametrize("variant", [{"VariantName": "other"}, {"VariantName": "main", "ModelName": "llama"}])
def test_a_component_is_refused_where_an_update_under_way_leaves_it_no_place(sagemaker, clock, variant):
    settings = {"InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 1} | variant
    sagemaker.create_endpoint_config(EndpointConfigName="next", ProductionVariants=[settings], ExecutionRoleArn=ROLE)
    sagemaker.update_endpoint(EndpointName="shared", EndpointConfigName="next")
    assert "with endpoint configuration next" in refused(create, sagemaker, "base")

    clock.advance(60)
    assert sagemaker.list_inference_components()["InferenceComponents"] == []
