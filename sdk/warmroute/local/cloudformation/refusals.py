"""How CloudFormation says no."""

from __future__ import annotations

from warmroute.local.control.refusals import RefusedError

NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."
"""Why a change set failed that would change nothing; the CDK looks for these words."""


class ResourceFailedError(Exception):
    """A resource that cannot be made, changed or deleted as wanted.

    Args:
        reason: What the resource's event says.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def invalid(message: str) -> RefusedError:
    """A request that makes no sense."""
    return RefusedError(message, "ValidationError")


def template_error(message: str) -> RefusedError:
    """A template that says what no template can say."""
    return invalid(f"Template format error: {message}")


def no_stack(name: str) -> RefusedError:
    """No stack has the name."""
    return invalid(f"Stack with id {name} does not exist")


def no_change_set(name: str) -> RefusedError:
    """No change set of the stack has the name."""
    return RefusedError(f"ChangeSet [{name}] does not exist", "ChangeSetNotFound")
