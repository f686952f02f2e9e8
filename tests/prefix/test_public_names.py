"""The names that others may rely on."""

from warmroute import prefix

NAMES = {
    "Affected",
    "CanonicalJsonError",
    "Cause",
    "Divergence",
    "FieldOrder",
    "Parting",
    "PromptChanges",
    "RoutingKey",
    "Volatile",
    "VolatileKind",
    "canonical_json",
    "explain",
    "find_volatile",
    "routing_key",
}


def test_no_public_name_gets_lost() -> None:
    assert set(prefix.__all__) >= NAMES
    assert all(hasattr(prefix, name) for name in prefix.__all__)


def test_every_cause_and_kind_has_a_remedy() -> None:
    assert all(cause.remedy.endswith(".") for cause in prefix.Cause)
    assert all(kind.remedy.endswith(".") for kind in prefix.VolatileKind)
