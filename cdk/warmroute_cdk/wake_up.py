"""From no copies to one: what target tracking cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk.aws_applicationautoscaling import CfnScalingPolicy
from aws_cdk.aws_cloudwatch import CfnAlarm
from constructs import Construct

from warmroute_cdk.endpoint_metrics import ComponentMetrics
from warmroute_cdk.failures import checked_construct
from warmroute_cdk.metrics import NO_CAPACITY_INVOCATION_FAILURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk.aws_applicationautoscaling import CfnScalableTarget

    from warmroute.hosting import EndpointSpec


class WakeUp(Construct):
    """Starts one copy of an inference component when a request finds none.

    Target tracking has no metric to follow while there are no copies. This is a step policy, and an alarm on
    ``NoCapacityInvocationFailures`` that sets it off. The requests until the copy serves are refused.

    Source: SageMaker guide, "Scale an endpoint to zero instances".

    Args:
        scope: Where it belongs.
        id: Its id there.
        component_name: Name of the component.
        policy_name: Name of the policy, one of its own for each component.
        scalable_target: The component's scalable target.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        component_name: str,
        policy_name: str,
        scalable_target: CfnScalableTarget,
    ) -> None:
        super().__init__(scope, id)
        self.cfn_scaling_policy = CfnScalingPolicy(
            self,
            "Policy",
            policy_name=policy_name,
            policy_type="StepScaling",
            service_namespace="sagemaker",
            resource_id=scalable_target.resource_id,
            scalable_dimension=scalable_target.scalable_dimension,
            step_scaling_policy_configuration=CfnScalingPolicy.StepScalingPolicyConfigurationProperty(
                adjustment_type="ChangeInCapacity",
                metric_aggregation_type="Maximum",
                cooldown=60,
                step_adjustments=[
                    CfnScalingPolicy.StepAdjustmentProperty(metric_interval_lower_bound=0, scaling_adjustment=1)
                ],
            ),
        )
        self.cfn_scaling_policy.node.add_dependency(scalable_target)
        refused = ComponentMetrics(component_name).metric(NO_CAPACITY_INVOCATION_FAILURES, "Maximum")
        self.cfn_alarm = CfnAlarm(
            self,
            "Alarm",
            alarm_description=f"A request asked for {component_name} while no copy of it ran; one is started.",
            namespace=refused.namespace,
            metric_name=refused.metric_name,
            dimensions=[CfnAlarm.DimensionProperty(name="InferenceComponentName", value=component_name)],
            statistic=refused.statistic,
            period=30,
            evaluation_periods=1,
            datapoints_to_alarm=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="missing",
            alarm_actions=[self.cfn_scaling_policy.ref],
        )


def wake_ups(scope: Construct, spec: EndpointSpec, targets: Mapping[str, CfnScalableTarget]) -> dict[str, WakeUp]:
    """One for each component of a spec that may scale to zero copies, by its name.

    Args:
        scope: Where they belong.
        spec: The spec.
        targets: The scalable targets: ``component-llama``.
    """
    sleepers = [
        each.inference_component_name
        for each in spec.auto_scaling or ()
        if each.inference_component_name and each.min_capacity == 0
    ]
    return {
        name: WakeUp(
            scope,
            f"WakeUp-{name}",
            component_name=name,
            policy_name=f"{spec.name}-{name}-wake-up",
            scalable_target=targets[f"component-{name}"],
        )
        for name in sleepers
    }
