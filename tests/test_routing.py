"""The routing of a variant and the id that keeps tenants apart hold SageMaker's limits."""

from __future__ import annotations

import copy
import hashlib
import hmac
import pickle
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.routing import PrefixAwareId, PrefixAwareRoutingConfig, RoutingConfig
from warmroute.routing_strategy import RoutingStrategy

KEY = b"0123456789abcdef"
PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F))
lengths, thresholds = st.integers(1_024, 65_536), st.integers(1, 1_024)


def refusal(make, *args, **kwargs):
    with pytest.raises(InvalidSettingsError) as refused:
        make(*args, **kwargs)
    return refused.value.findings


@given(lengths, thresholds)
def test_every_length_and_threshold_within_the_limits_is_taken(length, threshold):
    routing = RoutingConfig.prefix_aware(prefix_length=length, concurrency_threshold=threshold)
    assert routing.to_aws() == {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"PrefixLength": length, "ConcurrencyThreshold": threshold},
    }
    assert RoutingConfig.parse(routing.to_aws()) == routing


@given(st.integers(max_value=1_023) | st.integers(min_value=65_537), thresholds)
def test_a_length_outside_the_limits_is_refused(length, threshold):
    (finding,) = refusal(RoutingConfig.prefix_aware, prefix_length=length, concurrency_threshold=threshold)
    assert (finding.id, finding.path) == ("WR004", "prefix_length")
    assert "1,024 to 65,536" in finding.remedy


@given(lengths, st.integers(max_value=0) | st.integers(min_value=1_025))
def test_a_threshold_outside_the_limits_is_refused(length, threshold):
    (finding,) = refusal(RoutingConfig.prefix_aware, prefix_length=length, concurrency_threshold=threshold)
    assert (finding.id, finding.path) == ("WR004", "concurrency_threshold")
    assert "1 to 1,024" in finding.remedy


@pytest.mark.parametrize("strategy", [each for each in RoutingStrategy if each is not RoutingStrategy.PREFIX_AWARE])
def test_strategies_without_settings(strategy):
    routing = getattr(RoutingConfig, strategy.lower())()
    assert routing.to_aws() == {"RoutingStrategy": strategy}
    assert routing == RoutingConfig(routing_strategy=RoutingStrategy(strategy))


def test_prefix_aware_needs_its_settings():
    (finding,) = refusal(RoutingConfig, routing_strategy=RoutingStrategy.PREFIX_AWARE)
    assert finding == Finding(
        "WR101",
        Severity.ERROR,
        "prefix_aware_routing_config",
        "PREFIX_AWARE needs prefix_length and concurrency_threshold.",
        "Give both: prefix_length 1,024 to 65,536, concurrency_threshold 1 to 1,024. "
        "A tool older than boto3 1.43.68 leaves them out of what it describes.",
        "botocore ProductionVariantRoutingConfig: required when PREFIX_AWARE",
    )


@pytest.mark.parametrize("given_", [{"PrefixLength": 4_096}, {"ConcurrencyThreshold": 8}, {}])
def test_prefix_aware_needs_both_of_its_settings(given_):
    findings = refusal(RoutingConfig.parse, {"RoutingStrategy": "PREFIX_AWARE", "PrefixAwareRoutingConfig": given_})
    missing = {"PrefixLength": "prefix_length", "ConcurrencyThreshold": "concurrency_threshold"}
    for name in given_:
        del missing[name]
    assert [finding.id for finding in findings] == ["WR002"] * len(missing)
    assert {finding.path for finding in findings} == {f"PrefixAwareRoutingConfig.{name}" for name in missing.values()}


@pytest.mark.parametrize("strategy", [each for each in RoutingStrategy if each is not RoutingStrategy.PREFIX_AWARE])
def test_no_other_strategy_takes_its_settings(strategy):
    settings = PrefixAwareRoutingConfig(prefix_length=4_096, concurrency_threshold=16)
    (finding,) = refusal(RoutingConfig, routing_strategy=strategy, prefix_aware_routing_config=settings)
    assert finding == Finding(
        "WR102",
        Severity.ERROR,
        "prefix_aware_routing_config",
        f"{strategy} takes no such settings.",
        "Leave them out, or choose PREFIX_AWARE.",
        "botocore ProductionVariantRoutingConfig: only when PREFIX_AWARE",
    )


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ("prefix_aware", "PREFIX_AWARE"),
        ("PREFIX_AWAER", "PREFIX_AWARE"),
        ("least_outstanding", "LEAST_OUTSTANDING_REQUESTS"),
    ],
)
def test_a_misspelt_strategy_is_told_the_right_one(given_, meant):
    (finding,) = refusal(RoutingConfig.parse, {"routing_strategy": given_})
    assert (finding.id, finding.path) == ("WR005", "routing_strategy")
    assert finding.message == f"{given_!r} is not a choice."
    assert finding.remedy.startswith(f"Did you mean {meant}? Allowed: ")


@given(st.text(PRINTABLE, min_size=1, max_size=64))
def test_an_id_is_printable_ascii_without_a_space_at_either_end(text):
    if text.strip(" ") == text:
        assert PrefixAwareId(text) == text
    else:
        (finding,) = refusal(PrefixAwareId, text)
        assert finding.message == "The id begins or ends with a space."


@pytest.mark.parametrize("id_", [" ", " a", "a ", " a ", "  "])
def test_an_id_with_a_space_at_either_end_is_refused(id_):
    (finding,) = refusal(PrefixAwareId, id_)
    assert finding.message == "The id begins or ends with a space."


@pytest.mark.parametrize("id_", ["a", "a b", "a b c", "!", "~"])
def test_an_id_may_be_short_and_have_spaces_inside(id_):
    assert PrefixAwareId(id_) == id_


@given(st.text(PRINTABLE.strip(), min_size=0, max_size=62), st.characters(exclude_characters=PRINTABLE))
def test_an_id_with_any_other_character_is_refused(text, odd):
    for id_ in (odd + text, text + odd, f"a{odd}{text}"):
        (finding,) = refusal(PrefixAwareId, id_)
        assert (finding.id, finding.path) == ("WR006", "prefix_aware_id")


@pytest.mark.parametrize(
    "id_", ["tenant\n", "\ntenant", "a\x00b", "ténant", "a\tb", "a\x7fb", "\ud800", "a\u00a0b", "\u0661"]
)
def test_ids_that_travel_badly_in_a_header_are_refused(id_):
    (finding,) = refusal(PrefixAwareId, id_)
    assert finding.message == "The id has a character outside printable ASCII."
    assert "derive" in finding.remedy


def test_the_longest_id_has_64_characters():
    assert len(PrefixAwareId("x" * 64)) == 64
    (finding,) = refusal(PrefixAwareId, "x" * 65)
    assert finding.message == "The id has 65 characters, more than 64."


def test_an_empty_id_is_refused():
    (finding,) = refusal(PrefixAwareId, "")
    assert finding.message == "The id is empty."


@pytest.mark.parametrize("id_", [b"tenant", None, 7, ["tenant"]])
def test_an_id_is_text(id_):
    (finding,) = refusal(PrefixAwareId, id_)
    assert finding.message == f"The id is of type {type(id_).__name__}, not text."


def test_a_refused_id_does_not_appear_in_the_message():
    with pytest.raises(InvalidSettingsError) as refused:
        PrefixAwareId("ACME-Überraschung")
    assert "ACME" not in str(refused.value)


def test_an_id_is_text_that_can_be_copied():
    id_ = PrefixAwareId("tenant-7")
    assert isinstance(id_, str)
    for copied in (copy.deepcopy(id_), pickle.loads(pickle.dumps(id_))):
        assert copied == id_
        assert isinstance(copied, PrefixAwareId)


tenants = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
keys = st.binary(min_size=16, max_size=80)


@given(tenants, keys)
def test_a_derived_id_is_valid_and_the_same_everywhere(tenant, key):
    id_ = PrefixAwareId.derive(tenant, key=key)
    assert id_ == PrefixAwareId.derive(tenant, key=key) == PrefixAwareId(id_)
    assert len(id_) == 32
    assert set(id_) <= set(string.hexdigits.lower())


@given(tenants, tenants, keys, keys)
def test_derived_ids_differ_by_tenant_and_by_key(one, other, key, other_key):
    assert (PrefixAwareId.derive(one, key=key) == PrefixAwareId.derive(other, key=key)) == (one == other)
    padded = {each.ljust(64, b"\0") for each in (key, other_key)}  # HMAC pads a short key with zeros.
    if len(padded) == 2:
        assert PrefixAwareId.derive(one, key=key) != PrefixAwareId.derive(one, key=other_key)


def test_a_derived_id_is_a_keyed_digest_that_another_program_can_compute():
    message = b"warmroute/prefix-aware-id/1\0" + "Müller & Söhne".encode()
    expected = hmac.new(KEY, message, hashlib.sha256).hexdigest()[:32]
    assert PrefixAwareId.derive("Müller & Söhne", key=KEY) == expected
    assert PrefixAwareId.derive("Müller & Söhne", key=KEY.decode()) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), keys)
def test_a_tenants_name_does_not_travel(tenant, key):
    id_ = PrefixAwareId.derive(f"tenant:{tenant}", key=key)
    assert f"tenant:{tenant}" not in id_
    assert "tenant" not in id_


def derived_refusal(path, message, remedy):
    source = "botocore sagemaker-runtime PrefixAwareIdHeader"
    return [Finding("WR006", Severity.ERROR, path, message, remedy, source)]


@pytest.mark.parametrize(("key", "size"), [(b"", 0), (b"x" * 15, 15), ("x" * 15, 15), ("ä" * 7, 14)])
def test_a_short_key_is_refused(key, size):
    assert [*refusal(PrefixAwareId.derive, "tenant", key=key)] == derived_refusal(
        "key", f"The key has {size} bytes.", "Use a secret of at least 16 random bytes."
    )


def test_a_key_is_measured_in_bytes():
    assert PrefixAwareId.derive("tenant", key="ä" * 8)


@given(st.text(st.characters(), min_size=1))
@example("\ud800")
def test_any_text_names_a_tenant(tenant):
    assert len(PrefixAwareId.derive(tenant, key=b"0123456789abcdef")) == 32


def test_any_text_of_sixteen_bytes_is_a_key():
    key = "\ud800" * 6
    assert PrefixAwareId.derive("tenant", key=key) == PrefixAwareId.derive("tenant", key=b"\xed\xa0\x80" * 6)


@pytest.mark.parametrize("tenant", [b"t", 7, None])
def test_a_tenant_is_text(tenant):
    message = f"The tenant is of type {type(tenant).__name__}, not text."
    assert [*refusal(PrefixAwareId.derive, tenant, key=KEY)] == derived_refusal("tenant", message, "Name it as text.")


@pytest.mark.parametrize("key", [None, 16, ["0123456789abcdef"]])
def test_a_key_is_bytes_or_text(key):
    message = f"The key is of type {type(key).__name__}, not bytes or text."
    remedy = "Use 16 random bytes or more."
    assert [*refusal(PrefixAwareId.derive, "t", key=key)] == derived_refusal("key", message, remedy)


def test_an_empty_tenant_is_refused():
    assert [*refusal(PrefixAwareId.derive, "", key=KEY)] == derived_refusal(
        "tenant", "The tenant is empty.", "Name the tenant that the id stands for."
    )


def test_a_refused_key_does_not_appear_in_the_message():
    with pytest.raises(InvalidSettingsError) as refused:
        PrefixAwareId.derive("tenant", key="hunter2")
    assert "hunter2" not in str(refused.value)
