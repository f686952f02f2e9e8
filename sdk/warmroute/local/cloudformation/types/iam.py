"""IAM: roles and policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.types.base import ResourceType, document, retag, tags_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Role(ResourceType):
    """A role, with its inline and attached policies."""

    name = "AWS::IAM::Role"
    name_property = "RoleName"
    name_limit = 64

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Create the role, then give it its policies."""
        name = properties["RoleName"]
        api.call(
            "iam",
            "CreateRole",
            RoleName=name,
            AssumeRolePolicyDocument=document(properties["AssumeRolePolicyDocument"]),
            Tags=tags_of(properties),
            **{key: properties.get(key) for key in ("Path", "Description", "MaxSessionDuration")},
            PermissionsBoundary=properties.get("PermissionsBoundary"),
        )
        resource.physical_id = name
        self._set_policies(api, name, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change what can change."""
        name = resource.physical_id
        trust = document(properties["AssumeRolePolicyDocument"])
        api.call("iam", "UpdateAssumeRolePolicy", RoleName=name, PolicyDocument=trust)
        described = {key: properties.get(key) for key in ("Description", "MaxSessionDuration")}
        if any(before.get(key) != value for key, value in described.items()):
            description = properties.get("Description", "")
            api.call("iam", "UpdateRole", RoleName=name, **{**described, "Description": description})
        boundary = properties.get("PermissionsBoundary")
        if boundary is None and "PermissionsBoundary" in before:
            api.call("iam", "DeleteRolePermissionsBoundary", RoleName=name)
        elif boundary != before.get("PermissionsBoundary"):
            api.call("iam", "PutRolePermissionsBoundary", RoleName=name, PermissionsBoundary=boundary)
        retag(api, "iam", {"RoleName": name}, before, properties, tag="TagRole", untag="UntagRole")
        self._set_policies(api, name, properties, before)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Take its policies away, then delete the role."""
        if api.find("iam", "GetRole", RoleName=resource.physical_id) is None:
            return True
        self._set_policies(api, resource.physical_id, {}, resource.properties)
        api.remove("iam", "DeleteRole", RoleName=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its id."""
        role = api.call("iam", "GetRole", RoleName=resource.physical_id)["Role"]
        return {"Arn": role["Arn"], "RoleId": role["RoleId"]}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a role."""
        found = api.find("iam", "GetRole", RoleName=resource.physical_id)
        return dict(resource.properties) if found is not None else None

    def _set_policies(self, api: Api, name: str, properties: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        inline = {each["PolicyName"]: each["PolicyDocument"] for each in properties.get("Policies", ())}
        for policy in before.get("Policies", ()):
            if policy["PolicyName"] not in inline:
                api.remove("iam", "DeleteRolePolicy", RoleName=name, PolicyName=policy["PolicyName"])
        for policy_name, content in inline.items():
            api.call("iam", "PutRolePolicy", RoleName=name, PolicyName=policy_name, PolicyDocument=document(content))
        attached, detached = _difference(properties, before, "ManagedPolicyArns")
        for arn in detached:
            api.remove("iam", "DetachRolePolicy", RoleName=name, PolicyArn=arn)
        for arn in attached:
            _attach(api, "Role", name, arn)


class Policy(ResourceType):
    """An inline policy of roles, users and groups."""

    name = "AWS::IAM::Policy"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Put the policy wherever it belongs."""
        resource.physical_id = f"{resource.logical_id}-{properties['PolicyName']}"
        self._put(api, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Put the policy where it belongs now, and take it from where it does not."""
        self._put(api, properties)
        kept = set(_holders(properties)) if before["PolicyName"] == properties["PolicyName"] else set()
        self._take(api, before, kept)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Take the policy away."""
        self._take(api, resource.properties, set())
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id."""
        return {"Id": resource.physical_id}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if everybody who is to have the policy has one of its name."""
        policy = resource.properties["PolicyName"]
        has = (
            api.find("iam", f"Get{kind}Policy", **{f"{kind}Name": name, "PolicyName": policy})
            for kind, name in _holders(resource.properties)
        )
        return dict(resource.properties) if all(each is not None for each in has) else None

    def _put(self, api: Api, properties: Properties) -> None:
        content = {"PolicyName": properties["PolicyName"], "PolicyDocument": document(properties["PolicyDocument"])}
        for kind, name in _holders(properties):
            api.call("iam", f"Put{kind}Policy", **{f"{kind}Name": name}, **content)

    def _take(self, api: Api, properties: Mapping[str, Any], kept: set[tuple[str, str]]) -> None:
        for kind, name in _holders(properties):
            if (kind, name) not in kept:
                named = {f"{kind}Name": name, "PolicyName": properties["PolicyName"]}
                api.remove("iam", f"Delete{kind}Policy", **named)


class ManagedPolicy(ResourceType):
    """A policy of its own."""

    name = "AWS::IAM::ManagedPolicy"
    name_property = "ManagedPolicyName"
    name_limit = 128

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Create the policy and attach it."""
        created = api.call(
            "iam",
            "CreatePolicy",
            PolicyName=properties["ManagedPolicyName"],
            PolicyDocument=document(properties["PolicyDocument"]),
            Path=properties.get("Path"),
            Description=properties.get("Description"),
        )
        resource.physical_id = created["Policy"]["Arn"]
        for kind, name in _holders(properties):
            _attach(api, kind, name, resource.physical_id)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Make a new version the policy's default, and forget the others."""
        arn = resource.physical_id
        if properties["PolicyDocument"] != before["PolicyDocument"]:
            self._forget_versions(api, arn)
            content = document(properties["PolicyDocument"])
            api.call("iam", "CreatePolicyVersion", PolicyArn=arn, PolicyDocument=content, SetAsDefault=True)
            self._forget_versions(api, arn)
        wanted, held = set(_holders(properties)), set(_holders(before))
        for kind, name in sorted(wanted - held):
            _attach(api, kind, name, arn)
        for kind, name in sorted(held - wanted):
            api.remove("iam", f"Detach{kind}Policy", **{f"{kind}Name": name}, PolicyArn=arn)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Detach the policy, and delete it with its versions."""
        arn = resource.physical_id
        if api.find("iam", "GetPolicy", PolicyArn=arn) is None:
            return True
        for kind, name in _holders(resource.properties):
            api.remove("iam", f"Detach{kind}Policy", **{f"{kind}Name": name}, PolicyArn=arn)
        self._forget_versions(api, arn)
        api.remove("iam", "DeletePolicy", PolicyArn=arn)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its id."""
        policy = api.call("iam", "GetPolicy", PolicyArn=resource.physical_id)["Policy"]
        return {"PolicyArn": resource.physical_id, "PolicyId": policy["PolicyId"]}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a policy."""
        found = api.find("iam", "GetPolicy", PolicyArn=resource.physical_id)
        return dict(resource.properties) if found is not None else None

    def _forget_versions(self, api: Api, arn: str) -> None:
        for version in api.call("iam", "ListPolicyVersions", PolicyArn=arn)["Versions"]:
            if not version["IsDefaultVersion"]:
                api.remove("iam", "DeletePolicyVersion", PolicyArn=arn, VersionId=version["VersionId"])


def _holders(properties: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in ("Role", "User", "Group"):
        for name in properties.get(f"{kind}s", ()):
            yield kind, name


def _difference(after: Mapping[str, Any], before: Mapping[str, Any], name: str) -> tuple[list[str], list[str]]:
    new, old = after.get(name, []), before.get(name, [])
    return [each for each in new if each not in old], [each for each in old if each not in new]


def _attach(api: Api, kind: str, name: str, arn: str) -> None:
    if ":iam::aws:policy/" in arn:
        return  # moto has none of AWS's own policies, and asks no policy for permission.
    api.call("iam", f"Attach{kind}Policy", **{f"{kind}Name": name}, PolicyArn=arn)


TYPES: tuple[ResourceType, ...] = (Role(), Policy(), ManagedPolicy())
