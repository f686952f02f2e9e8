"""A stack with the endpoint of one spec."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aws_cdk import Environment, Stack, Token
from aws_cdk.cloudformation_include import CfnInclude

from warmroute import IncompleteSpecError, load_spec
from warmroute.render import to_cloudformation

if TYPE_CHECKING:
    from constructs import Construct

    from warmroute import EndpointSpec


class EndpointStack(Stack):
    """The models, the configuration and the endpoint of a spec, with its components and scaling.

    What is rendered is the template of ``warmroute render --to cloudformation``; every resource can be reached as an
    L1 construct by its logical id through ``template``.

    Args:
        scope: The app, or a stage.
        id: Name of the stack.
        spec: The spec, or the path of its file.
        options: Options of ``aws_cdk.Stack``. Without ``env`` the stack is for the spec's region; where the spec names
            no region, the stack's is used.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
        UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
    """

    def __init__(self, scope: Construct, id: str, *, spec: EndpointSpec | str | Path, **options: Any) -> None:  # noqa: A002
        document = load_spec(spec) if isinstance(spec, (str, Path)) else spec
        if document.region:
            options.setdefault("env", Environment(region=document.region))
        super().__init__(scope, id, **options)
        self.spec = document
        region = None if Token.is_unresolved(self.region) else self.region
        if region and self.spec.region and region != self.spec.region:
            raise IncompleteSpecError(
                f"{self.node.path}: the spec is for {self.spec.region}, and the stack for {region}.",
                "Leave the region out of the spec, or deploy the stack to the spec's region.",
            )
        self.template = self._include(to_cloudformation(self.spec, region=self.spec.region or region))

    def _include(self, template: dict[str, Any]) -> CfnInclude:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "template.json")
            file.write_text(json.dumps(template), encoding="utf-8")
            return CfnInclude(self, "Spec", template_file=str(file))
