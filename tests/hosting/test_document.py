"""A file is read as a spec, or refused with one message that a person can follow; nothing else ever comes out."""

from __future__ import annotations

import copy
import json
import os
import threading
from datetime import UTC, datetime

import pytest
import yaml
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hosting.descriptions import DESCRIPTIONS, VARIANT, described
from hosting.shapes import description
from hosting.specs import COMPONENTS, ONE_MODEL, SERVERLESS, changed
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.documents import MAX_DOCUMENT_BYTES, read_text
from warmroute.errors import DocumentError, InvalidSettingsError
from warmroute.hosting import EndpointSpec, load_spec, parse_spec
from warmroute.hosting.described import spec_values
from warmroute.hosting.document import SPEC

SPECS = {"model": ONE_MODEL, "serverless": SERVERLESS, "components": COMPONENTS}


def refusal(text, **options):
    with pytest.raises(DocumentError) as refused:
        parse_spec(text, **options)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def refused_file(path):
    with pytest.raises(DocumentError) as refused:
        load_spec(path)
    assert str(refused.value).startswith(f"{path}: ")
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("values", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json", ""])
def test_a_spec_is_read_from_yaml_and_json(values, suffix, tmp_path):
    file = tmp_path / f"endpoint{suffix}"
    file.write_text(json.dumps(values) if suffix in {".json", ""} else yaml.safe_dump(values))
    assert load_spec(file) == load_spec(str(file)) == EndpointSpec.parse(values)


@pytest.mark.parametrize("values", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_a_description_is_one_that_the_api_gives(values):
    model = ServiceModel(description("sagemaker"), "sagemaker")
    output = model.shape_for("DescribeEndpointConfigOutput")
    answer = {key: value for key, value in values.items() if key != "ResponseMetadata"}
    assert not ParamValidator().validate(answer, output).has_errors()
    assert answer.keys() <= output.members.keys()


@pytest.mark.parametrize("values", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_a_described_configuration_is_a_spec(values, tmp_path):
    file = tmp_path / "described.json"
    file.write_text(json.dumps(values, indent=4))
    spec = load_spec(file)
    assert (spec.name, spec.region) == ("chat-2026", "eu-west-1")
    again = spec.to_aws()
    settings = {key: value for key, value in values.items() if not key.startswith(("EndpointConfig", "CreationTime"))}
    settings.pop("ResponseMetadata", None)
    assert again == {"EndpointName": "chat-2026", "Region": "eu-west-1", **settings}


def test_a_description_from_boto3_is_taken_with_its_dates():
    answer = DESCRIPTIONS["from boto3"] | {"CreationTime": datetime(2026, 9, 14, tzinfo=UTC)}
    assert EndpointSpec.parse(answer).variants[0].name == "main"


def test_nulls_of_a_description_are_fields_that_are_not_set():
    assert EndpointSpec.parse(described(ProductionVariants=[VARIANT], KmsKeyId=None)).kms_key_id is None


@given(st.dictionaries(st.text(), st.integers()))
def test_values_that_are_no_description_stay_as_they_are(values):
    assert spec_values({**values, "name": "chat"}) == {**values, "name": "chat"}


@pytest.mark.parametrize("field", ["EndpointName", "name"])
def test_a_description_can_be_told_whose_it_is(field):
    values = described(ProductionVariants=[VARIANT])
    unnamed, named = EndpointSpec.parse(values), EndpointSpec.parse({**values, field: "bot"})

    assert (unnamed.name, unnamed.name_is_known) == ("chat-2026", False)
    assert (named.name, named.name_is_known, named.region) == ("bot", True, "eu-west-1")
    assert not unnamed.model_copy(update={"tags": {"a": "b"}}).name_is_known
    assert unnamed.model_copy(update={"name": "bot"}).name_is_known


def test_a_description_of_an_endpoint_is_told_apart():
    with pytest.raises(DocumentError, match="describe-endpoint-config --endpoint-config-name chat-7"):
        EndpointSpec.parse({"EndpointName": "chat", "EndpointConfigName": "chat-7", "EndpointStatus": "InService"})


def test_a_description_is_not_changed():
    values = copy.deepcopy(DESCRIPTIONS["from boto3"])
    spec_values(values)
    assert values == DESCRIPTIONS["from boto3"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("name: chat\nvariants: [", "line 2, column 12"),
        ("name: chat\n\tvariants: []", "line 2, column 1"),
        ("name: chat\nname: chat", "line 2, column 1"),
        ("name: chat\nvariants:\n  - name: a\n    name: b", "line 4, column 5"),
        ("name: 'chat\n", "line 2, column 1"),
        ("name: @chat\n", "line 1, column 7"),
        ("a: &x 1\nb: *x", "line 2, column 4"),
        ("name: !!python/object/apply:os.system ['true']", "line 1, column 7"),
        ("name: !secret chat", "line 1, column 7"),
        ("name: chat\n---\nname: chat", "line 2, column 1"),
    ],
)
def test_broken_yaml_is_refused_with_its_place(text, where):
    assert refusal(text, name="endpoint.yaml").startswith(f"endpoint.yaml: not YAML at {where}: ")


@pytest.mark.parametrize(
    ("text", "where"),
    [('{"name": "chat"', "line 1, column 16"), ('{\n"name": chat}', "line 2, column 9"), ("", "line 1, column 1")],
)
def test_broken_json_is_refused_with_its_place(text, where):
    assert refusal(text, name="endpoint.json", format="json").startswith(f"endpoint.json: not JSON at {where}: ")


def test_a_key_given_twice_is_named():
    assert "the key 'name' is given twice" in refusal("name: chat\nname: support")


def test_a_key_given_twice_in_json_is_named():
    text = json.dumps(ONE_MODEL)[:-1] + ', "name": "other"}'
    assert "the key 'name' is given twice" in refusal(text, format="json")


@pytest.mark.parametrize("value", ["!!bool maybe", "0x" + "f" * 5_000, "0b" + "1" * 50_000, r'"\ud800"'])
def test_a_value_that_yaml_cannot_build_is_refused(value):
    text = yaml.safe_dump({**ONE_MODEL, "region": "PLACE"}).replace("PLACE", value)
    with pytest.raises((DocumentError, InvalidSettingsError)):
        parse_spec(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
def test_json_read_as_yaml_keeps_its_text(text):
    template = f"template {text}."
    document = json.dumps(changed(ONE_MODEL, {"model.vllm.chat_template": template}))
    for format_ in ("json", "yaml"):
        assert parse_spec(document, format=format_).model.vllm.chat_template == template


def test_a_small_file_cannot_blow_up():
    lines = ["a: &a [lol, lol]", *(f"{b}: &{b} [*{a}, *{a}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True))]
    assert "aliases are not supported" in refusal("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("[]", "a list"),
        ("chat", "text"),
        ("7", "a number"),
        ("null", "empty"),
        ("yes", "a single value"),
    ],
)
def test_a_document_is_a_mapping(text, kind):
    assert refusal(text) == f"spec: the document is {kind}, not a mapping of fields. `warmroute init` writes one."


@pytest.mark.parametrize("text", ["{}", "[1]", "null", '"x"'])
def test_json_is_held_to_the_same(text):
    with pytest.raises((DocumentError, InvalidSettingsError)):
        parse_spec(text, format="json")


@pytest.mark.parametrize("bracket", ["[", "{", '{"a":', "- ", "? ", "{a: "])
@pytest.mark.parametrize("format_", ["yaml", "json"])
def test_deep_nesting_is_refused(bracket, format_):
    refusal(bracket * 10_000, format=format_)


def test_deep_nesting_that_is_closed_is_refused():
    for format_ in ("yaml", "json"):
        for depth in (1_000, 10_000):
            refusal(f'{{"name": {"[" * depth}{"]" * depth}}}', format=format_)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", "2026-09-14", "datetime.date(2026, 9, 14) is not text."),
        ("name", "0o17", "'0o17' is not text."),
        ("name", "017", "15 is not text."),
        ("name", "1_000", "1000 is not text."),
        ("name", "12:30", "750 is not text."),
        ("name", "yes", "True is not text."),
        ("name", "no", "False is not text."),
        ("name", "~", "None is not text."),
        ("name", "!!binary aGk=", "b'hi' is not text."),
        ("region", "{1: 2}", "{1: 2} is not text."),
        ("enable_network_isolation", '"yes"', "'yes' is not true or false."),
        ("enable_network_isolation", "1", "1 is not true or false."),
        ("variants[0].initial_instance_count", "1e3", "'1e3' is not a whole number."),
        ("variants[0].initial_instance_count", "2.0", "2.0 is not a whole number."),
        ("variants[0].initial_instance_count", ".inf", "inf is not a whole number."),
        ("variants[0].initial_variant_weight", ".nan", "nan is not a finite number."),
        ("variants[0].initial_instance_count", "2026-09-14", "datetime.date(2026, 9, 14) is not a whole number."),
    ],
)
def test_what_yaml_makes_of_a_value_is_said(field, value, message):
    text = yaml.safe_dump(changed(ONE_MODEL, {field: "PLACEHOLDER"})).replace("PLACEHOLDER", value)
    if value == "0o17":  # Text to YAML 1.1, and a valid name.
        assert parse_spec(text).name == value
        return
    with pytest.raises(InvalidSettingsError) as refused:
        parse_spec(text)
    (finding,) = refused.value.findings
    assert finding.path == field
    assert finding.message.endswith(message)


def test_invalid_settings_are_reported_under_the_files_name(tmp_path):
    file = tmp_path / "endpoint.yaml"
    file.write_text(yaml.safe_dump(changed(ONE_MODEL, {"variants[0].initial_instance_count": 0})))
    with pytest.raises(InvalidSettingsError) as refused:
        load_spec(file)
    assert str(refused.value).startswith(f"{file}: variants[0].initial_instance_count: 0 is below 1.")


def test_a_file_that_does_not_exist(tmp_path):
    assert refused_file(tmp_path / "none.yaml").startswith("the file does not exist.")


def test_a_folder(tmp_path):
    assert refused_file(tmp_path).startswith("the file is a folder.")


@pytest.mark.parametrize("path", ["", "\0", "x" * 5_000])
def test_a_path_that_no_file_can_have(path):
    with pytest.raises(DocumentError):
        load_spec(path)


def test_an_empty_file(tmp_path):
    file = tmp_path / "endpoint.yaml"
    file.touch()
    assert refused_file(file).startswith("the document is empty")


def test_a_large_file_is_refused_and_read_no_further_than_a_spec_can_be(tmp_path):
    file = tmp_path / "endpoint.yaml"
    with file.open("wb") as opened:
        opened.truncate(50_000_000)
    assert refused_file(file).startswith("more than the 1,048,576 bytes of a spec.")

    class Endless:
        asked = 0

        def read(self, size):
            self.asked += size
            return b" " * size

    stream = Endless()
    with pytest.raises(DocumentError, match="more than the 1,048,576 bytes"):
        read_text(stream, "standard input", SPEC)
    assert stream.asked == MAX_DOCUMENT_BYTES + 1


def test_the_largest_file_is_read(tmp_path):
    file = tmp_path / "endpoint.json"
    file.write_text(json.dumps(ONE_MODEL).ljust(MAX_DOCUMENT_BYTES))
    assert load_spec(file).name == "chat"
    file.write_text(json.dumps(ONE_MODEL).ljust(MAX_DOCUMENT_BYTES + 1))
    assert "more than" in refused_file(file)


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_byte_order_mark_is_no_part_of_the_document(suffix, tmp_path):
    file = tmp_path / f"endpoint{suffix}"
    file.write_text(json.dumps(ONE_MODEL), encoding="utf-8-sig")
    assert load_spec(file).name == "chat"


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_not_utf_8(encoding, tmp_path):
    file = tmp_path / "endpoint.yaml"
    file.write_bytes("name: schön".encode(encoding))
    assert refused_file(file).startswith("not UTF-8 text (byte ")


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_file_with_nul_bytes(suffix, tmp_path):
    file = tmp_path / f"endpoint{suffix}"
    file.write_bytes(b"name: ch\0at\n")
    assert refused_file(file).startswith("not ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read(tmp_path):
    file = tmp_path / "endpoint.yaml"
    file.touch(mode=0o000)
    assert refused_file(file).startswith("Permission denied.")


def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "endpoint.yaml"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(json.dumps(ONE_MODEL),))
    writer.start()
    assert load_spec(pipe) == EndpointSpec.parse(ONE_MODEL)
    writer.join()


def test_a_document_full_of_errors_lists_the_first_of_them():
    with pytest.raises(InvalidSettingsError) as refused:
        EndpointSpec.parse({**ONE_MODEL, **{f"unknown_{number}": 1 for number in range(5_000)}})
    assert len(refused.value.findings) == 101
    assert refused.value.findings[-1].message == "4,900 further errors are not listed."


def outcome(read, *args, **options):
    """The spec that was read, or the error of ours; any other exception fails the test."""
    try:
        return read(*args, **options)
    except (DocumentError, InvalidSettingsError) as error:
        return error


def holds(result):
    if isinstance(result, Exception):
        return bool(str(result)) and (result.__suppress_context__ or result.__context__ is None)
    return isinstance(result, EndpointSpec)


yaml_like = st.text(alphabet="ab01:-?,[]{}#&*!|>'\"%@`\n \t.~<=\\é\0\ufeff\u2028").map(str)


@settings(deadline=None)
@given(st.text() | yaml_like, st.sampled_from(["yaml", "json"]))
def test_nothing_but_our_errors_comes_of_a_text(text, format_):
    assert holds(outcome(parse_spec, text, format=format_))


@settings(deadline=None)
@given(st.binary(max_size=64))
def test_nothing_but_our_errors_comes_of_a_file(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("specs") / "endpoint.yaml"
    file.write_bytes(data)
    assert holds(outcome(load_spec, file))


def paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


keys = st.sampled_from(["name", "variants", "model", "image", "Source", "tags", "type", "silence"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | keys, inner, max_size=3),
    max_leaves=6,
)
places = st.sampled_from([(values, path) for values in SPECS.values() for path in paths(values)])


@settings(deadline=None)
@given(places, json_values, st.none() | st.text(max_size=8) | keys)
def test_nothing_but_our_errors_comes_of_any_value_anywhere(place, value, new_key):
    values, path = place
    document = {"document": copy.deepcopy(values)}
    target = document
    way = ("document", *path)
    for part in way[:-1]:
        target = target[part]
    if new_key is not None and isinstance(target[way[-1]], dict):
        target[way[-1]][new_key] = value
    else:
        target[way[-1]] = value
    text = json.dumps(document["document"], ensure_ascii=False)
    assert holds(outcome(parse_spec, text, format="json"))
    assert holds(outcome(parse_spec, text, format="yaml"))
