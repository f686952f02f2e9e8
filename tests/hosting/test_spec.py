"""A spec is one document: what it derives, what it finds by name, and what it gives back."""

from __future__ import annotations

import copy
import pickle

import pytest
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, ROLE, SERVERLESS, changed

from warmroute.errors import InvalidSettingsError
from warmroute.hosting import EndpointSpec, Model, VllmContainer
from warmroute.hosting.tags import as_tag_list

SPECS = {"model": ONE_MODEL, "serverless": SERVERLESS, "components": COMPONENTS}
SMALL = {"source": {"s3_archive": "s3://models/small.tar.gz"}, "vllm": {"max_num_seqs": 8}}
OTHER = {"primary_container": {"image": "registry/app:1", "environment": {"LEVEL": "1"}}}


def spec_of(values, **changes):
    return EndpointSpec.parse(changed(values, changes))


def refusal(values):
    with pytest.raises(InvalidSettingsError) as refused:
        EndpointSpec.parse(values)
    return refused.value.findings


@pytest.mark.parametrize("values", SPECS.values(), ids=SPECS)
def test_a_spec_survives_both_of_its_spellings(values):
    spec = EndpointSpec.parse(values)
    assert EndpointSpec.parse(spec.to_aws()) == spec
    assert EndpointSpec.parse(spec.model_dump(exclude_none=True)) == spec
    assert EndpointSpec.model_validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize("values", SPECS.values(), ids=SPECS)
def test_a_spec_survives_a_process_boundary(values):
    spec = EndpointSpec.parse(values)
    assert pickle.loads(pickle.dumps(spec)) == spec == copy.deepcopy(spec)
    assert len({spec, copy.deepcopy(spec)}) == 1


def test_a_spec_does_not_change_what_it_is_made_from():
    values = copy.deepcopy(ONE_MODEL)
    EndpointSpec.parse(values)
    assert values == ONE_MODEL


def test_a_model_with_a_source_is_vllm_and_any_other_a_model_of_sagemaker():
    assert isinstance(spec_of(ONE_MODEL).model, VllmContainer)
    assert isinstance(spec_of(SERVERLESS).model, Model)
    models = spec_of(ONE_MODEL, models={"small": SMALL, "other": OTHER}).models
    assert {name: type(model) for name, model in models.items()} == {"small": VllmContainer, "other": Model}


def test_a_model_may_be_built_before_the_spec():
    spec = EndpointSpec.parse(ONE_MODEL)
    assert (
        EndpointSpec(name="chat", model=spec.model, variants=spec.variants, execution_role_arn=ROLE).model is spec.model
    )


@pytest.mark.parametrize(
    ("model", "path"), [({"source": {}, "vlm": {}}, "model.vlm"), ({"containr": {}}, "model.containr")]
)
def test_paths_do_not_show_which_class_was_meant(model, path):
    assert path in [finding.path for finding in refusal(changed(ONE_MODEL, {"model": model}))]


def test_a_variant_and_a_component_mean_the_model_that_they_name():
    spec = spec_of(ONE_MODEL, models={"small": SMALL})
    assert spec.model_named(None) is spec.model
    assert spec.model_named("small") is spec.models["small"]
    assert spec.model_named("in-the-account") is None


@pytest.mark.parametrize(
    ("values", "serves"),
    [
        (ONE_MODEL, False),
        (SERVERLESS, False),
        (COMPONENTS, True),
        (changed(ONE_MODEL, {"model": DROP}), True),
        (changed(ONE_MODEL, {"model": DROP, "variants[0].model_name": "old"}), False),
    ],
)
def test_an_endpoint_without_a_model_serves_components(values, serves):
    assert EndpointSpec.parse(values).serves_components is serves


@pytest.mark.parametrize(
    ("changes", "retains"),
    [
        ({}, False),
        ({"retain_all_variant_properties": True}, True),
        ({"auto_scaling": [{"variant_name": "main", "min_capacity": 2, "max_capacity": 8}]}, True),
    ],
)
def test_counts_are_kept_where_something_is_scaled(changes, retains):
    assert spec_of(ONE_MODEL, **changes).retains_variant_properties is retains


def test_what_the_spec_says_about_counts_comes_first():
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 8}]
    assert not spec_of(ONE_MODEL, auto_scaling=scaling, retain_all_variant_properties=False).retains_variant_properties


def test_all_variants_end_with_the_shadow():
    shadow = {**ONE_MODEL["variants"][0], "name": "shadow"}
    assert [each.name for each in spec_of(ONE_MODEL, shadow_variants=[shadow]).all_variants] == ["main", "shadow"]


def test_environments_are_those_of_the_containers_that_serve_a_variant():
    spec = spec_of(ONE_MODEL, models={"small": SMALL, "other": OTHER})
    (main,) = spec.variants
    (variables,) = spec.environments(main)
    assert variables == {"SM_VLLM_TENSOR_PARALLEL_SIZE": "8", "SM_VLLM_MAX_NUM_SEQS": "64"}
    assert spec.environments(main.model_copy(update={"model_name": "small"})) == [{"SM_VLLM_MAX_NUM_SEQS": "8"}]
    assert spec.environments(main.model_copy(update={"model_name": "other"})) == [{"LEVEL": "1"}]
    assert spec.environments(main.model_copy(update={"model_name": "in-the-account"})) == []


def test_environments_of_components_leave_adapters_out():
    container = {"image": "registry/app:1", "environment": {"LEVEL": "2"}}
    spec = spec_of(
        COMPONENTS,
        **{"inference_components[2]": {**COMPONENTS["inference_components"][0], "name": "second"}},
        **{"inference_components[2].specification.container": container},
    )
    assert spec.environments(spec.variants[0]) == [
        {"SM_VLLM_TENSOR_PARALLEL_SIZE": "4", "SM_VLLM_MAX_NUM_SEQS": "64"},
        {"LEVEL": "2"},
    ]


def test_components_of_another_variant_do_not_count():
    spec = spec_of(
        COMPONENTS,
        **{
            "variants[1]": {**COMPONENTS["variants"][0], "name": "idle"},
            "inference_components[0].variant_name": "main",
        },
    )
    assert [len(spec.environments(variant)) for variant in spec.variants] == [1, 0]


def test_an_adapter_knows_its_base():
    base, adapter = spec_of(COMPONENTS).inference_components
    assert (base.base, adapter.base) == (None, "base")


def test_the_default_metric_is_concurrency_in_high_resolution():
    scaling = [
        {
            "inference_component_name": "base",
            "min_capacity": 1,
            "max_capacity": 8,
            "target_tracking": {"target_value": 5},
        }
    ]
    (copies,) = spec_of(COMPONENTS, auto_scaling=scaling).auto_scaling
    assert copies.metric == "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution"
    of_variant = {"variant_name": "main", "min_capacity": 2, "max_capacity": 8}
    limits, tracked = (
        spec_of(ONE_MODEL, auto_scaling=[{**of_variant, **more}]).auto_scaling[0]
        for more in ({}, {"target_tracking": {"target_value": 5}})
    )
    assert limits.metric is None
    assert tracked.metric == "SageMakerVariantConcurrentRequestsPerModelHighResolution"


def test_tags_are_a_mapping_or_awss_list():
    awss = [{"Key": "team", "Value": "chat"}, {"Key": "cost", "Value": ""}]
    ours = {"team": "chat", "cost": ""}
    assert spec_of(ONE_MODEL, tags=awss) == spec_of(ONE_MODEL, tags=ours)
    assert (
        spec_of(ONE_MODEL, tags=ours).to_aws()["Tags"] == as_tag_list(ours) == sorted(awss, key=lambda tag: tag["Key"])
    )
    assert spec_of(ONE_MODEL, tags=ours).model_dump()["tags"] == ours


@pytest.mark.parametrize("tags", [[{"Key": "team"}], [{"Key": "a", "Value": "b", "More": ""}], ["team"], "team", [1]])
def test_tags_of_another_form_are_refused(tags):
    (finding,) = refusal(changed(ONE_MODEL, {"tags": tags}))
    assert (finding.id, finding.path) == ("WR003", "tags")


@pytest.mark.parametrize("key", [["team"], {"team": 1}, 7, None])
def test_a_tags_key_is_text(key):
    findings = refusal(changed(ONE_MODEL, {"tags": [{"Key": key, "Value": "a"}]}))
    assert {finding.path for finding in findings} == {"tags"}


def test_a_tag_given_twice_is_refused():
    (finding,) = refusal(changed(ONE_MODEL, {"tags": [{"Key": "team", "Value": "a"}, {"Key": "team", "Value": "b"}]}))
    assert finding.path == "tags"


@pytest.mark.parametrize("tags", [{"a!": "b"}, {"a": "b*"}, {"a\n": "b"}, {"a": "\t"}])
def test_tags_hold_the_characters_that_aws_takes(tags):
    (finding,) = refusal(changed(ONE_MODEL, {"tags": tags}))
    assert finding.id == "WR006"
    assert finding.path.startswith("tags.")


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-2", "us-gov-west-1", "ap-southeast-7", "us-isof-south-1"])
def test_regions(region):
    assert spec_of(SERVERLESS, region=region).region == region


@pytest.mark.parametrize("region", ["us-east", "US-EAST-1", "us-east-1a", "us-east-1\n", "", "useast1", "eu--west-1"])
def test_what_is_no_region(region):
    (finding,) = refusal(changed(SERVERLESS, {"region": region}))
    assert (finding.id, finding.path) == ("WR006", "region")


@pytest.mark.parametrize("count", [0, 11])
def test_an_endpoint_has_one_to_ten_variants(count):
    variants = [{**ONE_MODEL["variants"][0], "name": f"v{position}"} for position in range(count)]
    (finding,) = refusal(changed(ONE_MODEL, {"variants": variants}))
    assert (finding.id, finding.path) == ("WR007", "variants")


AWSS = {
    "EndpointName": "chat",
    "Model": {"Source": {"HuggingFace": "a/b"}, "Vllm": {"Seed": 1}, "Environment": {"SM_VLLM_SEED": "1"}},
    "ProductionVariants": [{"VariantName": "a", "InstanceType": "ml.g5.xlarge", "AcceleratorType": "ml.eia2.medium"}],
}


def test_findings_of_rules_are_spelled_as_in_the_document():
    assert [(finding.id, finding.path) for finding in refusal(AWSS)] == [
        ("WR305", "Model.Environment.SM_VLLM_SEED"),
        ("WR207", "ProductionVariants[0].AcceleratorType"),
    ]


def test_a_rule_across_the_document_is_spelled_as_in_it():
    components = {"InferenceComponents": [{"InferenceComponentName": "c", "specifications": [{"ModelName": "m"}]}]}
    variants = [{"name": "a", "InstanceType": "ml.g5.xlarge", "model_name": "m"}]
    assert {finding.path for finding in refusal({"name": "chat", "variants": variants, **components})} == {
        "variants[0].model_name",
        "InferenceComponents[0].specifications[0].compute_resource_requirements",
    }


@pytest.mark.parametrize("tags", [{"aws:a.b": "c"}, [{"Key": "aws:a.b", "Value": "c"}]])
def test_a_key_stands_in_a_path_as_it_is(tags):
    (finding,) = refusal(changed(ONE_MODEL, {"Tags": tags}))
    assert finding.path == "Tags.aws:a.b"


def test_both_spellings_at_once_are_said_to_be_two():
    (finding,) = refusal(changed(ONE_MODEL, {"EndpointName": "chat"}))
    assert finding.message == "name and EndpointName are one field, which is given twice."
    assert finding.remedy == "Keep one of the two."


def test_unknown_fields_are_told_the_right_ones():
    findings = refusal(changed(ONE_MODEL, {"regoin": "us-east-1", "variants[0].routing_confg": {}}))
    assert [(finding.path, finding.remedy.split("?")[0]) for finding in findings] == [
        ("variants[0].routing_confg", "Did you mean routing_config"),
        ("regoin", "Did you mean region"),
    ]
