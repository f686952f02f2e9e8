"""What a stack with an endpoint may be told beside the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from aws_cdk import Environment, Stage

from warmroute_cdk.options import refuse_unknown
from warmroute_cdk.spec_constructs import SpecConstructs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import IPropertyInjector, IStackSynthesizer, PermissionsBoundary
    from constructs import Construct


class StackOptions(TypedDict, total=False):
    """Options of ``aws_cdk.Stack``, which are passed on to it as they are; None says nothing."""

    analytics_reporting: bool | None
    cross_region_references: bool | None
    description: str | None
    """Default: what the spec deploys."""

    env: Environment | None
    """Account and region. Default: those of the stage, and for a region that none names, the spec's."""

    notification_arns: Sequence[str] | None
    permissions_boundary: PermissionsBoundary | None
    property_injectors: Sequence[IPropertyInjector] | None
    stack_name: str | None
    suppress_template_indentation: bool | None
    synthesizer: IStackSynthesizer | None
    tags: Mapping[str, str] | None
    termination_protection: bool | None


class EndpointStackOptions(StackOptions, SpecConstructs, total=False):
    """Options of ``aws_cdk.Stack``, and constructs in the place of fields of the spec, see ``SpecConstructs``."""


def divided(options: EndpointStackOptions) -> tuple[StackOptions, SpecConstructs]:
    """The options of the stack, and those of its endpoint.

    Args:
        options: Both.

    Raises:
        ConstructError: A name is neither's.
    """
    refuse_unknown(options, EndpointStackOptions)
    of_stack = StackOptions()
    of_endpoint = SpecConstructs()
    for name, value in options.items():
        target = of_endpoint if name in SpecConstructs.__annotations__ else of_stack
        target[name] = value  # type: ignore[literal-required]
    return of_stack, of_endpoint


def environment(given: Environment | Mapping[str, str] | None, scope: Construct, region: str | None) -> Environment:
    """Where a stack goes: as it is told, else as its stage is, else to the region of its spec.

    Args:
        given: What it is told.
        scope: The app or stage.
        region: Region of the spec, if it has one.
    """
    told = given if isinstance(given, Environment) else Environment(**(given or {}))
    # Stage.of looks above a stage, not at it.
    stage = scope if isinstance(scope, Stage) else Stage.of(scope)
    return Environment(account=told.account, region=told.region or (stage and stage.region) or region)
