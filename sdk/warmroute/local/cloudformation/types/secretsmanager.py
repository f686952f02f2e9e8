"""Secrets Manager: secrets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types.base import ResourceType, retag, tags_of

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Secret(ResourceType):
    """A secret, given or made up."""

    name = "AWS::SecretsManager::Secret"
    name_property = "Name"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Store the secret."""
        created = api.call(
            "secretsmanager",
            "CreateSecret",
            **{key: properties.get(key) for key in ("Name", "Description", "KmsKeyId")},
            SecretString=self._content(api, properties),
            Tags=tags_of(properties),
        )
        resource.physical_id = created["ARN"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Store another secret, if the template says another."""
        said = ("SecretString", "GenerateSecretString")
        changed = any(properties.get(key) != before.get(key) for key in said)
        content = self._content(api, properties) if changed else None
        named = {"SecretId": resource.physical_id}
        described = {key: properties.get(key) for key in ("Description", "KmsKeyId")}
        api.call("secretsmanager", "UpdateSecret", **named, **described, SecretString=content)
        retag(api, "secretsmanager", named, before, properties, tag="TagResource", untag="UntagResource")

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Forget the secret at once, so that its name is free."""
        api.remove("secretsmanager", "DeleteSecret", SecretId=resource.physical_id, ForceDeleteWithoutRecovery=True)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id, which is its ARN."""
        return {"Id": resource.physical_id}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a secret and it is not about to be deleted."""
        found = api.find("secretsmanager", "DescribeSecret", SecretId=resource.physical_id)
        return dict(resource.properties) if found is not None and "DeletedDate" not in found else None

    def _content(self, api: Api, properties: Properties) -> str | None:
        wanted = properties.get("GenerateSecretString")
        if wanted is None:
            text: str | None = properties.get("SecretString")
            return text
        rules = {key: value for key, value in wanted.items() if key not in _TEMPLATE}
        password = api.call("secretsmanager", "GetRandomPassword", **rules)["RandomPassword"]
        if "SecretStringTemplate" not in wanted:
            return str(password)
        return json.dumps({**json.loads(wanted["SecretStringTemplate"]), wanted["GenerateStringKey"]: password})


_TEMPLATE = {"SecretStringTemplate", "GenerateStringKey"}


TYPES: tuple[ResourceType, ...] = (Secret(),)
