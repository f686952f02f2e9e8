"""Ids that say nothing of whom they stand for."""

from collections.abc import Mapping
from typing import Any

import pytest

from warmroute import PrefixAwareId
from warmroute.client.ids import hashed_id
from warmroute.errors import InvalidSettingsError

KEY = "a secret of sixteen bytes or more"


def user(request: Mapping[str, Any]) -> str | None:
    return request.get("user")


def test_a_tenant_has_one_id_that_hides_its_name() -> None:
    find = hashed_id(user, key=KEY)
    assert find({"user": "acme"}) == PrefixAwareId.derive("acme", key=KEY)
    assert "acme" not in str(find({"user": "acme"}))
    assert find({"user": "other"}) != find({"user": "acme"}) != hashed_id(user, key=KEY[1:])({"user": "acme"})


@pytest.mark.parametrize("request_", [{}, {"user": ""}, {"user": None}])
def test_a_request_of_nobody_has_no_id(request_: dict[str, Any]) -> None:
    assert hashed_id(user, key=KEY)(request_) is None


def test_any_function_can_name_the_tenant() -> None:
    find = hashed_id(lambda operation, params: params[operation], key=KEY)
    assert find("a", {"a": "acme"}) == PrefixAwareId.derive("acme", key=KEY)


def test_a_short_key_is_refused_before_the_first_request() -> None:
    with pytest.raises(InvalidSettingsError, match="16"):
        hashed_id(user, key="short")
