"""An endpoint with everything that belongs to it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from aws_cdk.aws_iam import Role

from warmroute.render.resource import Kind
from warmroute_cdk.access import EndpointAccess
from warmroute_cdk.acknowledgements import acknowledge, volumes_without_key
from warmroute_cdk.bound import BoundSpec
from warmroute_cdk.execution_role import ExecutionRole
from warmroute_cdk.failures import ConstructError, checked_construct, named, path_of
from warmroute_cdk.given import spec_of
from warmroute_cdk.imported import ImportedEndpoint
from warmroute_cdk.l1 import typed_property
from warmroute_cdk.parts import AutoScaling, Endpoint, EndpointConfiguration, InferenceComponents, Models
from warmroute_cdk.place import refuse_too_many_resources
from warmroute_cdk.rollback import refuse_circles
from warmroute_cdk.spec_constructs import refuse_unfit, with_security_group
from warmroute_cdk.spec_warnings import NOTHING_WAKES_IT_UP, SpecWarnings
from warmroute_cdk.wake_up import wake_ups

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Unpack

    from aws_cdk.aws_applicationautoscaling import CfnScalableTarget, CfnScalingPolicy
    from aws_cdk.aws_cloudwatch import IAlarm
    from aws_cdk.aws_ec2 import Connections
    from aws_cdk.aws_iam import IRole
    from aws_cdk.aws_sagemaker import CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel
    from constructs import Construct, IDependable

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.spec_constructs import SpecConstructs


class VllmEndpoint(EndpointAccess):
    """The models, configuration, endpoint, components and scaling of a spec, with a least-privilege role.

    The resources are those of ``warmroute render --to cloudformation``; what the spec does not say follows the same
    defaults. Every one is an L1 construct that can be changed further.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec, or the path of its file.
        scale_from_zero: Whether components that scale to zero copies get a policy that starts one on demand.
        constructs: Constructs in the place of fields of the spec, see ``SpecConstructs``.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
        UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
        ConstructError: The id is taken, what is given does not fit, or the stack has too many resources.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: EndpointSpec | str | Path,
        scale_from_zero: bool = True,
        **constructs: Unpack[SpecConstructs],
    ) -> None:
        path = path_of(scope.node.path, id)
        document = spec_of(spec, path)
        with named(path):
            refuse_unfit(constructs)
        super().__init__(scope, id)
        self._constructs = with_security_group(self, constructs)
        bound = BoundSpec(document, path, self._constructs)
        self.spec = bound.spec
        self.execution_role = ExecutionRole(self, "ExecutionRole", spec=bound) if bound.lacks_role(self) else None
        if self.execution_role is not None:
            bound = bound.with_role(self.execution_role.role)
        self.models = Models(self, "Models", spec=bound)
        self.configuration = EndpointConfiguration(self, "Configuration", spec=bound, models=self.models)
        self.endpoint = Endpoint(self, "Endpoint", spec=bound, configuration=self.configuration)
        self.components = InferenceComponents(
            self, "Components", spec=bound, endpoint=self.endpoint, models=self.models
        )
        self.auto_scaling = AutoScaling(
            self, "AutoScaling", spec=bound, endpoint=self.endpoint, components=self.components
        )
        self.wake_ups = wake_ups(self, self.spec, self.cfn_scalable_targets) if scale_from_zero else {}
        self._await_role_and_network(bound.network)
        self._warnings = SpecWarnings(self, answered={NOTHING_WAKES_IT_UP} if self.wake_ups else set())
        self._warnings.say(bound.stated)
        self.node.default_child = self.cfn_endpoint
        acknowledge(self.configuration, volumes_without_key(bound.stated))
        refuse_too_many_resources(self)

    @staticmethod
    def from_endpoint_name(scope: Construct, id: str, endpoint_name: str) -> ImportedEndpoint:  # noqa: A002
        """An endpoint that exists in the account and region of the stack.

        Args:
            scope: Where it belongs.
            id: Its id there.
            endpoint_name: Name of the endpoint.
        """
        return ImportedEndpoint(scope, id, endpoint_name=endpoint_name)

    @staticmethod
    def from_endpoint_arn(scope: Construct, id: str, endpoint_arn: str) -> ImportedEndpoint:  # noqa: A002
        """An endpoint that exists, in any account and region.

        Args:
            scope: Where it belongs.
            id: Its id there.
            endpoint_arn: ARN of the endpoint.
        """
        return ImportedEndpoint(scope, id, arn=endpoint_arn)

    @property
    def endpoint_name(self) -> str:
        """Name of the endpoint once it exists, for InvokeEndpoint; what uses it waits for the endpoint."""
        return self.cfn_endpoint.attr_endpoint_name

    @property
    def endpoint_arn(self) -> str:
        """ARN of the endpoint, for policies."""
        return self.cfn_endpoint.ref

    @property
    def component_names(self) -> Sequence[str]:
        """Names of the inference components, adapters too."""
        return tuple(component.name for component in self.spec.inference_components or ())

    @cached_property
    def role(self) -> IRole | None:
        """The execution role: the one given, the spec's, or the one made here; None where nothing needs one."""
        if self.execution_role is not None:
            return self.execution_role.role
        if given := self._constructs.get("role"):
            return given
        if self.spec.execution_role_arn is None:
            return None
        # The role of an ARN belongs to someone else, so nothing is attached to it.
        return Role.from_role_arn(self, "ImportedRole", self.spec.execution_role_arn, mutable=False)

    @property
    def connections(self) -> Connections:
        """Who may connect with the containers, where the VPC is given as a construct."""
        from aws_cdk.aws_ec2 import Connections

        return Connections(security_groups=list(self._constructs.get("security_groups") or ()))

    @property
    def cfn_models(self) -> dict[str, CfnModel]:
        """The models by their names in ``models`` of the spec; its ``model`` has the empty name."""
        return self.models.cfn_models

    @property
    def cfn_endpoint_config(self) -> CfnEndpointConfig:
        """The configuration."""
        return self.configuration.cfn_endpoint_config

    @property
    def cfn_endpoint(self) -> CfnEndpoint:
        """The endpoint."""
        return self.endpoint.cfn_endpoint

    @property
    def cfn_inference_components(self) -> dict[str, CfnInferenceComponent]:
        """The components and adapters by their names."""
        return self.components.cfn_inference_components

    @property
    def cfn_scalable_targets(self) -> dict[str, CfnScalableTarget]:
        """The scalable targets: ``variant-main``, ``component-llama``."""
        return self.auto_scaling.cfn_scalable_targets

    @property
    def cfn_scaling_policies(self) -> dict[str, CfnScalingPolicy]:
        """The target-tracking policies, under the same names as their targets."""
        return self.auto_scaling.cfn_scaling_policies

    def add_rollback_alarms(self, *alarms: IAlarm | str) -> None:
        """Let alarms that are made after the endpoint roll its updates back, beside those that it has.

        Their dimensions must say the endpoint's name as text (``endpoint.spec.name``): they exist before it does.

        Args:
            alarms: Alarms by construct or name.

        Raises:
            InvalidSettingsError: There are more than ten.
            ConstructError: One is of another region, or names the endpoint by ``endpoint_name``.
        """
        together = (*(self._constructs.get("rollback_alarms") or ()), *alarms)
        given: SpecConstructs = {**self._constructs, "rollback_alarms": together}
        bound = BoundSpec(self.spec, self.node.path, given)
        refuse_circles(self.cfn_endpoint, alarms, self.node.path)
        (endpoint,) = (each for each in bound.resources(self) if each.kind == Kind.ENDPOINT)
        guardrails = bound.placed(endpoint.properties["DeploymentConfig"])
        self.cfn_endpoint.deployment_config = typed_property(Kind.ENDPOINT, "DeploymentConfig", guardrails)
        self._constructs = given
        self._warnings.say(bound.stated)

    def _refuse_unknown(self, what: str, name: str) -> None:
        names = self.component_names if what == "component" else [each.name for each in self.spec.all_variants]
        if name not in names:
            remedy = f"There are {', '.join(names)}." if names else "It has none."
            raise ConstructError(f"{self.node.path}: the spec has no {what} {name}.", remedy)

    def _await_role_and_network(self, network: IDependable | None) -> None:
        """Nothing starts before the role has its policies, later grants among them, and the VPC its routes."""
        role = self.execution_role or self._constructs.get("role")
        for part in (self.models, self.configuration, self.endpoint, self.components):
            if role is not None:
                part.node.add_dependency(role)
            if network is not None:
                part.node.add_dependency(network)
