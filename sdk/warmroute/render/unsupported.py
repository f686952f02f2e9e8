"""What a target cannot express, said before it refuses the document or, worse, drops the setting."""

from __future__ import annotations

from warmroute.errors import WarmrouteError


class UnsupportedByTargetError(WarmrouteError):
    """A valid spec holds a setting that the target of a rendering has no place for.

    Args:
        target: What was rendered for, with the version that was looked at.
        path: The setting, under AWS's names: ``EndpointConfig.ProductionVariants[0].RoutingConfig``.
        reason: Why it cannot be expressed.
    """

    def __init__(self, target: str, path: str, reason: str) -> None:
        super().__init__(
            f"{path}: {reason} ({target}).", "Leave the setting out, or render boto3 calls, which take it."
        )
        self.target = target
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type[UnsupportedByTargetError], tuple[str, str, str]]:
        """Rebuilt from its parts, so that it survives a process boundary."""
        return type(self), (self.target, self.path, self.reason)
