"""PromQL over the metrics that vLLM publishes, as detailed observability brings them to CloudWatch.

Classic metrics have no requests in flight per instance; these have. A label that is spelt wrongly gives no data and no
error, so they are spelt here alone. Source: SageMaker guide, "Detailed observability", and vLLM's ``/metrics``.
"""

from __future__ import annotations

from dataclasses import dataclass

RUNNING = "vllm:num_requests_running"
WAITING = "vllm:num_requests_waiting"
KV_CACHE_USAGE = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
"""Share of the KV cache in use, 0 to 1: the name of vLLM's newer engine, and of its first."""

ENDPOINT = "aws.sagemaker.endpoint.name"
VARIANT = "aws.sagemaker.variant.name"
COMPONENT = "aws.sagemaker.inference_component.name"
HOST = "@resource.host.id"
CONTAINER = "aws.sagemaker.container.id"


@dataclass(frozen=True, slots=True)
class Fleet:
    """The engines of one variant, or of one component."""

    labels: tuple[tuple[str, str], ...]
    """Values by label that select it."""

    server: str
    """The label that tells one engine from another."""

    @classmethod
    def of_variant(cls, endpoint_name: str, variant_name: str) -> Fleet:
        """The instances of a variant.

        Args:
            endpoint_name: Name of the endpoint.
            variant_name: Name of the variant.
        """
        return cls(((ENDPOINT, endpoint_name), (VARIANT, variant_name)), HOST)

    @classmethod
    def of_component(cls, endpoint_name: str, component_name: str) -> Fleet:
        """The copies of a component.

        Args:
            endpoint_name: Name of the endpoint.
            component_name: Name of the component.
        """
        return cls(((ENDPOINT, endpoint_name), (COMPONENT, component_name)), CONTAINER)

    def hot(self, ratio: float) -> str:
        """One engine has had so many times the mean requests running, over five minutes, and more than one request.

        Args:
            ratio: Busiest over mean.
        """
        each = f"sum by ({_quoted(self.server)}) (avg_over_time({self._selector(RUNNING)}[5m]))"
        return f"max({each}) / avg({each}) > {ratio:g} and max({each}) > 1"

    def overflowing(self, requests: float) -> str:
        """One engine has so many requests running and waiting.

        Args:
            requests: Requests.
        """
        each = f"sum by ({_quoted(self.server)}) ({self._selector(RUNNING, WAITING)})"
        return f"max({each}) >= {requests:g}"

    def thrashing(self, share: float) -> str:
        """One engine has filled so much of its KV cache, and requests wait there.

        Args:
            share: Share of the KV cache, 0 to 1.
        """
        server = _quoted(self.server)
        full = f"max by ({server}) ({self._selector(*KV_CACHE_USAGE)}) > {share:g}"
        waiting = f"sum by ({server}) ({self._selector(WAITING)}) > 0"
        return f"count({full} and on ({server}) {waiting}) > 0"

    def _selector(self, *names: str) -> str:
        labels = ", ".join(f"{_quoted(label)}={_quoted(value)}" for label, value in self.labels)
        name = _quoted(names[0]) if len(names) == 1 else f"__name__=~{_quoted('|'.join(names))}"
        return f"{{{name}, {labels}}}"


def _quoted(text: str) -> str:
    return f'"{text}"'
