"""A calibration from the first request to the profile, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from warmroute.fleet.calibration.fit import Fit, fit
from warmroute.fleet.calibration.probe import Limits, Measurements, probe
from warmroute.fleet.cost_model import CostModel
from warmroute.fleet.profile import EngineProfile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warmroute.fleet.calibration.answers import Server


@dataclass(frozen=True, slots=True)
class Calibration:
    """A profile, and where it comes from."""

    profile: EngineProfile
    fit: Fit
    measured: Measurements
    kept: tuple[str, ...]
    """Fields of the profile that the server did not tell: the default's, or as near to them as what was measured
    allows."""

    def as_yaml(self, *, source: str) -> str:
        """The profile as a file that `load_profile` reads, with its provenance in comments.

        Args:
            source: What was measured, and when.
        """
        lines = [f"# Measured by warmroute calibrate: {source}", *(f"# {line}" for line in self.report())]
        values = self.profile.model_dump(mode="json")
        return "\n".join(lines) + "\n" + yaml.safe_dump(values, sort_keys=False)

    def report(self) -> list[str]:
        """How well the profile tells what was measured, in lines."""
        measured = self.measured
        longest = f"prompts of up to {measured.longest_prompt_tokens:,} tokens"
        lines = [f"{measured.requests:,} requests, {measured.prompt_tokens:,} prompt tokens, {longest}."]
        for kind, (count, middle, most) in self.fit.residuals.items():
            lines.append(f"{kind}: {count} times, half within {middle:.1%}, 90 % within {most:.1%} of the fit.")
        for name, constant in self.fit.constants.items():
            if constant.identified:
                lines.append(f"{name}: {constant.value:.3g} s, standard error {constant.standard_error:.1g} s.")
        lines.append("scale is 1 and attention_seconds 0: what they stand for is in the other constants.")
        if not measured.caches_prefixes:
            lines.append("The server found no repeated prompt in its cache: is prefix caching on?")
        elif not measured.reports_cached_tokens:
            lines.append("The server reports no cached tokens: repeated prompts were taken for cached by their time.")
        if self.kept:
            lines.append(f"Not told by the server, so as near to the default's as it allows: {', '.join(self.kept)}.")
        return lines


def calibrate(
    server: Server,
    limits: Limits,
    *,
    default: EngineProfile | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Calibration:
    """Measure a server and fit a profile to it.

    Args:
        server: The server; no one else may use it meanwhile.
        limits: How much to ask.
        default: What the profile takes where the server tells nothing.
        on_step: Told what comes next.

    Raises:
        CalibrationError: The server cannot be measured.
        MissingExtraError: numpy is not installed.
    """
    default = default or EngineProfile()
    measured = probe(server, limits, on_step)
    found = fit(measured, _effective(default.cost_model), default.max_num_batched_tokens)
    size = server.cache_size()
    told: dict[str, int | None] = {
        "block_size": size.block_size if size else measured.block_size,
        "max_num_seqs": measured.max_num_seqs,
        "max_num_batched_tokens": None,
    }
    kept = [name for name, constant in found.constants.items() if not constant.identified]
    kept += [name for name, value in told.items() if value is None]
    if size is None:
        kept.append("kv_cache_tokens")
    model = default.cost_model
    constants = {name: constant.value for name, constant in found.constants.items()}
    cost_model = CostModel(
        **constants,
        attention_seconds=0.0,
        scale=1.0,
        kv_cache_tokens=size.kv_cache_tokens if size else model.kv_cache_tokens,
        seconds_per_host_token=model.seconds_per_host_token,
        seconds_per_transferred_token=model.seconds_per_transferred_token,
    )
    own = {name: value for name, value in told.items() if value is not None}
    profile = EngineProfile.model_validate({**default.model_dump(), **own, "cost_model": cost_model})
    return Calibration(profile, found, measured, tuple(kept))


def _effective(model: CostModel) -> Mapping[str, float]:
    """The constants of a model with its scale and the attention of every step in them."""
    return {
        "request_seconds": model.request_seconds,
        "floor_seconds": model.scale * (model.floor_seconds + model.attention_seconds),
        "base_seconds": model.scale * (model.base_seconds + model.attention_seconds),
        "seconds_per_token": model.scale * model.seconds_per_token,
        "seconds_per_decode_kv_token": model.scale * model.seconds_per_decode_kv_token,
        "seconds_per_prefill_pair": model.scale * model.seconds_per_prefill_pair,
    }
