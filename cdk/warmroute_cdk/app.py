"""The app of ``cdk.json``: the stack of the spec that ``-c spec=endpoint.yaml`` names."""

from __future__ import annotations

import sys

from aws_cdk import App

from warmroute.errors import WarmrouteError
from warmroute.hosting import load_spec
from warmroute_cdk.stack import EndpointStack


def main() -> None:
    """Synthesise the stack; a mistake in the spec ends in its message, not in a traceback."""
    app = App()
    path = app.node.try_get_context("spec")
    if not path:
        sys.exit("No spec is named. Give one: cdk synth -c spec=endpoint.yaml")
    try:
        spec = load_spec(path)
        EndpointStack(app, spec.name, spec=spec)
    except WarmrouteError as error:
        sys.exit(str(error))
    app.synth()


if __name__ == "__main__":
    main()
