"""Application Auto Scaling: scalable targets and scaling policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.types.base import ResourceType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties

_SERVICE = "application-autoscaling"
_TARGET = ("ResourceId", "ScalableDimension", "ServiceNamespace")


class ScalableTarget(ResourceType):
    """What may be scaled, and within which bounds."""

    name = "AWS::ApplicationAutoScaling::ScalableTarget"
    can_drift = True

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether it is registered, which another registration would change."""
        return self._find(api, {name: properties[name] for name in _TARGET}) is not None

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Register it, and schedule its actions."""
        resource.physical_id = "|".join(properties[name] for name in _TARGET)
        self._register(api, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Register it anew, which changes it."""
        self._register(api, properties, before)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Deregister it, and its scheduled actions with it."""
        target = _target(resource.physical_id)
        for action in resource.properties.get("ScheduledActions", ()):
            name = action["ScheduledActionName"]
            api.remove(_SERVICE, "DeleteScheduledAction", **target, ScheduledActionName=name)
        api.remove(_SERVICE, "DeregisterScalableTarget", **target)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id."""
        return {"Id": resource.physical_id}

    def physical_id(self, identifier: Mapping[str, str]) -> str:
        """Its three parts, in one."""
        return "|".join(identifier[name] for name in _TARGET)

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """The target as it is registered."""
        return self._find(api, _target(resource.physical_id))

    def _find(self, api: Api, target: Mapping[str, str]) -> Properties | None:
        found = api.call(
            _SERVICE,
            "DescribeScalableTargets",
            ServiceNamespace=target["ServiceNamespace"],
            ResourceIds=[target["ResourceId"]],
            ScalableDimension=target["ScalableDimension"],
        )["ScalableTargets"]
        return found[0] if found else None

    def _register(self, api: Api, properties: Properties, before: Properties) -> None:
        target = {name: properties[name] for name in _TARGET}
        bounds = {key: properties[key] for key in ("MinCapacity", "MaxCapacity", "RoleARN") if key in properties}
        tags = {tag["Key"]: tag["Value"] for tag in properties.get("Tags", ())} or None
        suspended = properties.get("SuspendedState")
        api.call(_SERVICE, "RegisterScalableTarget", **target, **bounds, SuspendedState=suspended, Tags=tags)
        wanted = properties.get("ScheduledActions", ())
        names = {action["ScheduledActionName"] for action in wanted}
        for action in before.get("ScheduledActions", ()):
            if action["ScheduledActionName"] not in names:
                name = action["ScheduledActionName"]
                api.remove(_SERVICE, "DeleteScheduledAction", **target, ScheduledActionName=name)
        for action in wanted:
            api.call(_SERVICE, "PutScheduledAction", **target, **action)


class ScalingPolicy(ResourceType):
    """When to scale a target."""

    name = "AWS::ApplicationAutoScaling::ScalingPolicy"
    can_drift = True

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Put the policy."""
        resource.physical_id = self._put(api, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Put the policy anew, which changes it."""
        self._put(api, properties)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the policy, unless it went with its target."""
        found = self.read(api, resource)
        if found is not None:
            name = {key: found[key] for key in ("PolicyName", *_TARGET)}
            api.remove(_SERVICE, "DeleteScalingPolicy", **name)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN."""
        return {"Arn": resource.physical_id}

    def physical_id(self, identifier: Mapping[str, str]) -> str:
        """Its ARN."""
        return identifier["Arn"]

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """The policy as it stands."""
        namespace = _policy_target(resource.properties)["ServiceNamespace"]
        found = api.call(_SERVICE, "DescribeScalingPolicies", ServiceNamespace=namespace)["ScalingPolicies"]
        return next((each for each in found if each["PolicyARN"] == resource.physical_id), None)

    def _put(self, api: Api, properties: Properties) -> str:
        kept = {key: value for key, value in properties.items() if key not in {"ScalingTargetId", *_TARGET}}
        arn: str = api.call(_SERVICE, "PutScalingPolicy", **_policy_target(properties), **kept)["PolicyARN"]
        return arn


def _policy_target(properties: Mapping[str, Any]) -> dict[str, str]:
    if "ScalingTargetId" in properties:
        return _target(properties["ScalingTargetId"])
    return {name: properties[name] for name in _TARGET if name in properties}


def _target(physical_id: str) -> dict[str, str]:
    return dict(zip(_TARGET, physical_id.split("|"), strict=True))


TYPES: tuple[ResourceType, ...] = (ScalableTarget(), ScalingPolicy())
