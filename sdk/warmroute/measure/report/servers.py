"""What telemetry tells of an arm: figures that the servers counted while its runs were on."""

from __future__ import annotations

from math import fsum, isfinite, nan
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.document import Known, ServerFigure, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Telemetry = Mapping[str, Any]

_NOT_OBSERVED, _NOT_TOLD = "Nothing was observed beside the runs.", "It was not told."


def server_figures(telemetry: Sequence[Telemetry]) -> tuple[ServerFigure, ...]:
    """Load of the engines and times without the network.

    Args:
        telemetry: Of the compared runs, as ``RunTelemetry.to_json`` writes it; empty where nothing was observed.
    """

    def figure(label: str, unit: Any, name: str, of_runs: Callable[[Sequence[Any]], float]) -> ServerFigure:
        found = [run[name] for run in telemetry if run.get(name) is not None]
        return ServerFigure(label=label, unit=unit, known=_known(telemetry, name, of_runs(found) if found else nan))

    return (
        figure("Requests that wait in the engines, mean", "requests", "queue_depth", lambda runs: _mean(_values(runs))),
        figure("The same, at most", "requests", "queue_depth", lambda runs: max(_values(runs), default=nan)),
        figure("KV cache in use, the fullest instance at most", "share", "kv_cache_usage", _fullest),
        *(
            figure(
                f"{percentile.upper()} TTFT at the servers", "seconds", "ttft", _server_ttft(f"{percentile}_seconds")
            )
            for percentile in ("p50", "p90", "p99")
        ),
    )


def hit_rate(telemetry: Sequence[Telemetry], kind: str) -> Known:
    """A hit rate, its mean over the runs.

    Args:
        telemetry: Of the compared runs.
        kind: ``ceiling``, ``predicted`` or ``delivered``.
    """
    rates = [(run.get("hit_rate") or {}).get(kind) for run in telemetry]
    name = "hit_tokens" if kind == "delivered" else f"hit_rate_{kind}"
    known = _known(telemetry, name, _mean(rate for rate in rates if rate is not None))
    bases = dict.fromkeys(str(run.get("prediction_basis") or "") for run in telemetry)
    if kind != "predicted" or not isfinite(known.value):
        return known
    return known.model_copy(update={"note": " ".join(filter(None, ["Simulated with what the runs sent.", *bases]))})


def overflow(telemetry: Sequence[Telemetry]) -> Known:
    """The share of requests that overflowed; only its limits, where nobody counted them."""
    found = [run["overflow"] for run in telemetry if run.get("overflow")]
    if not found:
        return _known(telemetry, "overflow", nan)
    least, most = (_mean(run[end] for run in found if end in run) for end in ("at_least", "at_most"))
    meaning = str(found[0].get("meaning", ""))
    if all(run.get("basis") == "measured" for run in found):
        return Known(value=least, note=f"Counted by the router. {meaning}".strip())
    limits = f"Between {100 * least:.1f} and {100 * most:.1f} %, bounded from the outside."
    return Known(value=nan, note=f"{limits} {meaning}".strip())


def server_shares(telemetry: Sequence[Telemetry]) -> tuple[Share, ...]:
    """Shares of the instances as the servers counted them, each its mean over the runs that met it.

    None unless every run tells them.
    """
    found = [run.get("instance_shares") or {} for run in telemetry]
    if not found or not all(found):
        return ()
    names = sorted({name for shares in found for name in shares})
    means = {name: _mean(shares[name] for shares in found if name in shares) for name in names}
    ordered = sorted(names, key=lambda name: (-means[name], name))
    return tuple(Share(instance=name, requests=None, share=means[name]) for name in ordered)


def _known(telemetry: Sequence[Telemetry], name: str, value: float) -> Known:
    """A figure; where it is unknown, the reason that telemetry gives."""
    if isfinite(value):
        return Known(value=value, note="Over the compared runs.")
    reasons = (str((run.get("unavailable") or {}).get(name, "")) for run in telemetry)
    otherwise = _NOT_TOLD if any(telemetry) else _NOT_OBSERVED
    return Known(value=nan, note=next(filter(None, reasons), otherwise))


def _values(runs: Iterable[Any]) -> list[float]:
    return [point["value"] for points in runs for point in points]


def _fullest(runs: Sequence[Any]) -> float:
    return max(_values(runs), default=nan)


def _server_ttft(name: str) -> Callable[[Sequence[Any]], float]:
    return lambda runs: _mean(run[name] for run in runs if run.get(name) is not None)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return fsum(found) / len(found) if found else nan
