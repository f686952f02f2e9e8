"""The app of ``cdk.json``: the stack of the spec that ``-c spec=endpoint.yaml`` names."""

from __future__ import annotations

import sys
from difflib import get_close_matches

from aws_cdk import App

from warmroute.errors import IncompleteSpecError, WarmrouteError
from warmroute.hosting import load_spec
from warmroute_cdk.failures import refused_by_cdk
from warmroute_cdk.stack import EndpointStack

CONTEXT = ("spec", "alarms", "dashboard", "alarm_topic", "roll_back_on_alarms")
"""What ``-c`` gives the app; the CDK and its users have keys of their own beside them."""


def main() -> None:
    """Synthesise the stack; a mistake in the spec ends in its message, not in a traceback."""
    app = App()
    try:
        with refused_by_cdk(""):
            add_stack(app)
            app.synth()
    except WarmrouteError as error:
        sys.exit(str(error))


def add_stack(app: App) -> EndpointStack:
    """The stack of the spec that the app's context names; its name is the endpoint's.

    Args:
        app: The app.

    Raises:
        IncompleteSpecError: No spec is named, or a key of the context is misspelt.
    """
    _refuse_misspelt(app)
    path = app.node.try_get_context("spec")
    if not path:
        raise IncompleteSpecError("No spec is named.", "Give one: cdk synth -c spec=endpoint.yaml")
    spec = load_spec(path)
    # The name of an endpoint may begin with a digit, that of a stack may not.
    name = spec.name if spec.name[0].isalpha() else f"endpoint-{spec.name}"
    return EndpointStack(
        app,
        name,
        spec=spec,
        alarms=_asked_for(app, "alarms"),
        dashboard=_asked_for(app, "dashboard"),
        alarm_topic=app.node.try_get_context("alarm_topic"),
        roll_back_on_alarms=_asked_for(app, "roll_back_on_alarms"),
    )


def _refuse_misspelt(app: App) -> None:
    for key in app.node.get_all_context():
        meant = get_close_matches(key, CONTEXT, 1, cutoff=0.75)
        if meant and key not in CONTEXT:
            raise IncompleteSpecError(f"There is no context {key}.", f"Give -c {meant[0]}=….")


def _asked_for(app: App, key: str) -> bool:
    """Whether the context says yes: what ``-c`` gives is text, what ``cdk.json`` gives may be a truth value."""
    value = str(app.node.try_get_context(key) or "false").lower()
    if value not in {"true", "false"}:
        raise IncompleteSpecError(
            f"{key}: {value!r} is neither true nor false.", f"Give -c {key}=true or -c {key}=false."
        )
    return value == "true"


if __name__ == "__main__":
    main()
