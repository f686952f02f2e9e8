"""What an experiment asks of its arms. What serves them lives on a floor above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from warmroute.measure.experiment.serving import Watch
    from warmroute.measure.replay import Target


@dataclass(frozen=True, slots=True)
class EndpointState:
    """What the control plane says of an endpoint that serves."""

    endpoint_arn: str
    endpoint_config_arn: str
    engine: str = ""
    """What computes the answers, as exactly as it is told: an image and its digest; empty where nobody tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """An arm that is ready for a run."""

    target: Target

    look: Callable[[], EndpointState]
    """Asks the control plane, before and after a run; raises WarmrouteError where it cannot, or nothing serves."""

    session: Any
    """The boto3 session that reaches it."""

    endpoint_name: str
    variant: str = ""
    """The variant that is addressed; empty where SageMaker chooses by weight."""

    fleet: str = ""
    """The machines that serve it, where each arm has its own; empty with one fleet."""

    local_url: str = ""
    """Root of the local endpoint; empty on SageMaker."""

    watch: Watch | None = None
    """Looks at what serves while the run is on; None where nobody tells."""


class Arm(Protocol):
    """One policy under test."""

    name: str
    chat_only: bool
    """Whether it takes chats alone, not bare prompts."""

    is_fixed: bool
    """Whether all its runs have one configuration, since nothing but the experiment changes it."""

    machines: str
    """What serves it: an endpoint, or a variant of one; arms that share their machines have it in common."""

    instances: int | None
    """How many these are; None where that is not known, or nothing is paid for them."""

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another, for the manifest: values of JSON, no secret among them."""

    def serve(self, *, swapped: bool) -> AbstractContextManager[Served]:
        """Make it ready for one run, for as long as the context lasts.

        Args:
            swapped: Whether the machines of the arms have changed roles.

        Raises:
            WarmrouteError: It cannot be made ready.
        """
