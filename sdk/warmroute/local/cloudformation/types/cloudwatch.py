"""CloudWatch: alarms, composite alarms and dashboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.local.cloudformation.types.base import ResourceType, retag

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Alarm(ResourceType):
    """An alarm on a metric or on an expression."""

    name = "AWS::CloudWatch::Alarm"
    name_property = "AlarmName"
    name_limit = 255
    can_drift = True
    put: ClassVar[str] = "PutMetricAlarm"
    listed: ClassVar[str] = "MetricAlarms"
    kind: ClassVar[str] = "MetricAlarm"

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether there is an alarm of the name, which a put would change."""
        kinds = ["MetricAlarm", "CompositeAlarm"]
        found = api.call("cloudwatch", "DescribeAlarms", AlarmNames=[properties["AlarmName"]], AlarmTypes=kinds)
        return bool(found.get("MetricAlarms") or found.get("CompositeAlarms"))

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Put the alarm."""
        api.call("cloudwatch", self.put, **properties)
        resource.physical_id = properties["AlarmName"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Put the alarm anew, which changes all but its tags."""
        wanted = {key: value for key, value in properties.items() if key != "Tags"}
        api.call("cloudwatch", self.put, **{**wanted, "AlarmName": resource.physical_id})
        named = {"ResourceARN": resource.attributes["Arn"]}
        retag(api, "cloudwatch", named, before, properties, tag="TagResource", untag="UntagResource")

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the alarm."""
        api.remove("cloudwatch", "DeleteAlarms", AlarmNames=[resource.physical_id])
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN."""
        found = self.read(api, resource) or {}
        return {"Arn": found.get("AlarmArn", "")}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """The alarm as it stands."""
        name = resource.physical_id
        found = api.call("cloudwatch", "DescribeAlarms", AlarmNames=[name], AlarmTypes=[self.kind]).get(self.listed)
        return found[0] if found else None


class CompositeAlarm(Alarm):
    """An alarm on the states of others."""

    name = "AWS::CloudWatch::CompositeAlarm"
    put = "PutCompositeAlarm"
    listed = "CompositeAlarms"
    kind = "CompositeAlarm"


class Dashboard(ResourceType):
    """A dashboard."""

    name = "AWS::CloudWatch::Dashboard"
    name_property = "DashboardName"
    name_limit = 255
    can_drift = True

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether there is a dashboard of the name, which a put would change."""
        return api.find("cloudwatch", "GetDashboard", DashboardName=properties["DashboardName"]) is not None

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Put the dashboard."""
        self._put(api, properties["DashboardName"], properties)
        resource.physical_id = properties["DashboardName"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Put the dashboard anew."""
        self._put(api, resource.physical_id, properties)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the dashboard."""
        api.remove("cloudwatch", "DeleteDashboards", DashboardNames=[resource.physical_id])
        return True

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """The dashboard as it stands."""
        return api.find("cloudwatch", "GetDashboard", DashboardName=resource.physical_id)

    def _put(self, api: Api, name: str, properties: Properties) -> None:
        api.call("cloudwatch", "PutDashboard", DashboardName=name, DashboardBody=properties["DashboardBody"])


TYPES: tuple[ResourceType, ...] = (Alarm(), CompositeAlarm(), Dashboard())
