"""Permissions divided into policy documents that IAM takes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from warmroute_cdk.failures import ConstructError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute_cdk.permissions import Permission

MOST_CHARACTERS = 6_144
"""Characters of a managed policy, white space left out. Source: IAM and STS quotas."""

MOST_POLICIES = 10
"""Managed policies of a role, unless the account's quota is raised. Source: IAM and STS quotas."""


def documents(permissions: Sequence[Permission]) -> list[list[Permission]]:
    """Permissions in as few documents as hold them, in their order; one with many resources may go on in the next.

    Args:
        permissions: The permissions; resources and conditions are as the policy has them, and may be tokens.

    Raises:
        ConstructError: They take more policies than a role may have.
    """
    found: list[list[Permission]] = [[]]
    free = MOST_CHARACTERS - _EMPTY_DOCUMENT
    for permission in permissions:
        rest = list(permission.resources)
        while rest:
            several = len(list(_that_fit(permission, rest, free)))
            if several == 0 and not found[-1]:
                raise ConstructError(f"the statement {permission.sid} alone is longer than a policy of IAM.")
            if several == 0:
                found.append([])
                free = MOST_CHARACTERS - _EMPTY_DOCUMENT
                continue
            taken = replace(permission, resources=tuple(rest[:several]))
            found[-1].append(taken)
            free -= _characters(taken)
            rest = rest[several:]
    if len(found) > MOST_POLICIES:
        raise ConstructError(
            f"the execution role needs {len(found)} managed policies, and IAM attaches {MOST_POLICIES} to a role.",
            "Give a role whose policies say more with fewer names, for example artefacts by one common prefix; or "
            "divide the models, components and adapters among several endpoints.",
        )
    return found


def _that_fit(permission: Permission, resources: Sequence[str], free: int) -> Iterator[str]:
    used = _characters(replace(permission, resources=()))
    for each in resources:
        used += _length(each) + _QUOTES_AND_COMMA
        if used > free:
            return
        yield each


def _characters(permission: Permission) -> int:
    """Characters of a statement and the comma after it."""
    statement = {
        "Action": permission.actions,
        "Condition": permission.conditions,
        "Effect": "Allow",
        "Resource": [],
        "Sid": permission.sid,
    }
    resources = sum(_length(each) + _QUOTES_AND_COMMA for each in permission.resources)
    return _length(json.dumps(statement, separators=(",", ":"))) + resources + 1


def _length(text: str) -> int:
    """Characters of a text once its placeholders and tokens have their values, at the most."""
    for placeholder, longest in _PLACEHOLDERS.items():
        text = text.replace(placeholder, longest)
    return len(_TOKEN.sub("-" * _OF_A_TOKEN, text))


_PLACEHOLDERS = {"{partition}": "aws-us-gov", "{region}": "ap-southeast-1", "{account}": "123456789012"}
_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
_OF_A_TOKEN = 256
"""The longest name that usually stands behind one, that of a repository. Source: ECR CreateRepository."""

_QUOTES_AND_COMMA = 3
_EMPTY_DOCUMENT = len('{"Statement":[],"Version":"2012-10-17"}')
