"""What a vLLM server has counted, from its ``/metrics``."""

from __future__ import annotations

import orjson

from warmroute.local.engines.container import EngineCounts
from warmroute.measure.telemetry import vllm_names
from warmroute.measure.telemetry.prometheus_text import samples

_COUNTED = (
    *(*vllm_names.QUERIED_TOKENS, *vllm_names.HIT_TOKENS),
    *(*vllm_names.WAITING, *vllm_names.KV_CACHE_USAGE),
)


def vllm_counts(text: bytes, version: bytes = b"") -> EngineCounts:
    """What a server has counted, over all engines of a server with several.

    Args:
        text: What it answers to ``GET /metrics``; empty where it answers nothing.
        version: What it answers to ``GET /version``, in the same way.
    """
    values: dict[str, list[float]] = {}
    for name, _, value in samples(text, _COUNTED):
        values.setdefault(name, []).append(value)

    def of(spellings: tuple[str, ...]) -> list[float]:
        name = vllm_names.spelling(spellings, values)
        return values[name] if name else []

    def count(spellings: tuple[str, ...]) -> int | None:
        return int(sum(found)) if (found := of(spellings)) else None

    return EngineCounts(
        queried_tokens=count(vllm_names.QUERIED_TOKENS),
        hit_tokens=count(vllm_names.HIT_TOKENS),
        waiting=count(vllm_names.WAITING),
        kv_cache_usage=max(of(vllm_names.KV_CACHE_USAGE), default=None),
        software=_software(version),
    )


def _software(answer: bytes) -> str | None:
    try:
        found = orjson.loads(answer)
    except orjson.JSONDecodeError:
        return None
    version = found.get("version") if isinstance(found, dict) else None
    return f"vLLM {version}" if isinstance(version, str) and version else None
