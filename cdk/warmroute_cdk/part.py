"""What the parts of an endpoint have in common: they make the resources of some kinds of one spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from constructs import Construct

from warmroute.render.resource import Joined, Kind, Ref, resolve
from warmroute_cdk.bound import BoundSpec
from warmroute_cdk.failures import ConstructError, checked_construct, path_of
from warmroute_cdk.l1 import create

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from aws_cdk import CfnResource

    from warmroute.hosting import EndpointSpec
    from warmroute.render.resource import Reference, Resource

    AnySpec: TypeAlias = EndpointSpec | BoundSpec | str | Path
    """A spec, a spec with constructs in the place of fields, or the path of a spec's file."""


def bound(spec: AnySpec, scope: Construct, id: str) -> BoundSpec:  # noqa: A002
    """A spec as the parts need it.

    Args:
        spec: The spec.
        scope: Where the construct belongs that it is for.
        id: Id of that construct.
    """
    return spec if isinstance(spec, BoundSpec) else BoundSpec(spec, path_of(scope.node.path, id))


class Part(Construct):
    """The resources of some kinds of a spec, each an L1 construct.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        beside: The parts whose resources those of this one refer to.

    Raises:
        ConstructError: A part is missing whose resources those of this one refer to.
    """

    KINDS: ClassVar[tuple[Kind, ...]]

    @checked_construct
    def __init__(self, scope: Construct, id: str, *, spec: AnySpec, beside: Iterable[Part] = ()) -> None:  # noqa: A002
        super().__init__(scope, id)
        self._spec = bound(spec, scope, id)
        self._known: dict[Ref, CfnResource] = {ref: made for part in beside for ref, made in part.made.items()}
        self.made: Mapping[Ref, CfnResource] = {
            resource.ref: self._make(resource) for resource in self._spec.resources(self) if resource.kind in self.KINDS
        }

    def of_kind(self, kind: Kind) -> dict[str, CfnResource]:
        """Its resources of a kind, by what the spec calls them.

        Args:
            kind: The kind.
        """
        return {ref.label: made for ref, made in self.made.items() if ref.kind == kind}

    def _make(self, resource: Resource) -> CfnResource:
        awaited = list(resource.after)

        def expression(reference: Reference) -> Any:
            match reference:
                case Ref(Kind.INFERENCE_COMPONENT, name):
                    # A component gives its name to no attribute, so its order needs saying.
                    awaited.append(reference)
                    return name
                case Ref():
                    return _name_of(self._made_beside(reference), reference)
                case Joined(parts):
                    return "".join(part if isinstance(part, str) else expression(part) for part in parts)
            return self._spec.role_arn

        properties = resolve(self._spec.placed(resource.all_properties), expression)
        made = create(self, _id_of(resource), resource.kind, properties)
        for ref in awaited:
            made.node.add_dependency(self._made_beside(ref))
        self._known[resource.ref] = made
        return made

    def _made_beside(self, ref: Ref) -> CfnResource:
        if ref not in self._known:
            what = f"{ref.kind} {ref.label}".rstrip()
            raise ConstructError(
                f"{self.node.path}: it refers to the {what} of the spec, and no part that it is given has made one.",
                "Give it the parts of the same spec.",
            )
        return self._known[ref]


def _id_of(resource: Resource) -> str:
    """``Resource`` for the only one: CloudFormation's logical ids leave it out, and it is the default child."""
    return f"{resource.kind}-{resource.label}" if resource.label else "Resource"


_NAMES = {
    Kind.MODEL: "attr_model_name",
    Kind.ENDPOINT_CONFIG: "attr_endpoint_config_name",
    Kind.ENDPOINT: "attr_endpoint_name",
}


def _name_of(made: CfnResource, ref: Ref) -> str:
    name: str = getattr(made, _NAMES[ref.kind])
    return name
