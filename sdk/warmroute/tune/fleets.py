"""The fleet to tune for: from a spec, or from a number of instances and a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import IncompleteSpecError, WarmrouteError
from warmroute.fleet import EngineProfile, FleetConfig, load_profile
from warmroute.hosting import VllmContainer
from warmroute.routing import RoutingConfig
from warmroute.routing_strategy import RoutingStrategy

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec, ProductionVariant

BUILT_IN_PROFILE = "llama-3.1-70b-8xh100"
"""Name of the profile that comes with warmroute."""

_BUILT_IN_INSTANCE_TYPE = "ml.p5.48xlarge"


class Fleet(NamedTuple):
    """A fleet, and where its routing is written."""

    config: FleetConfig
    variant: int | None = None
    """Position of the variant in the spec."""

    notes: tuple[str, ...] = ()
    """What was assumed."""


def engine_profile(name: str) -> EngineProfile:
    """A profile by its name, or from a file.

    Raises:
        DocumentError: It is neither a name nor a file that can be read.
        InvalidSettingsError: A field of it is wrong.
    """
    return EngineProfile() if name == BUILT_IN_PROFILE else load_profile(name)


def fleet_of(spec: EndpointSpec, *, variant: str | None = None, profile: EngineProfile | None = None) -> Fleet:
    """The fleet of one variant of a spec, with the routing that it has.

    Args:
        spec: The spec.
        variant: Name of the variant; None for the only one, or the only one that routes by prefix.
        profile: What its engines are like; None for the built-in profile with the spec's engine settings.

    Raises:
        IncompleteSpecError: There is no such variant, or several; or it tells no number of instances.
    """
    position = _position(spec, variant)
    chosen = spec.variants[position]
    if chosen.serverless_config is not None or not chosen.initial_instance_count:
        raise IncompleteSpecError(
            f"variants[{position}].initial_instance_count: variant {chosen.name} tells no number of instances.",
            "Give the number in the spec, or tune with --instances instead of --spec.",
        )
    instances = chosen.initial_instance_count
    notes = []
    if profile is None:
        profile = _with_engine_settings(spec, chosen)
        if set(chosen.instance_types) != {_BUILT_IN_INSTANCE_TYPE}:
            notes.append(
                f"Engines are taken to be Llama 3.1 70B on {_BUILT_IN_INSTANCE_TYPE}, which the spec's "
                f"{', '.join(chosen.instance_types)} are not: times will differ; --profile gives others."
            )
    copies = _copies(spec, chosen, instances)
    config = FleetConfig(
        instances=instances, copies_per_instance=copies, profile=profile, routing=chosen.routing_config
    )
    return Fleet(config, position, tuple(notes))


def routing_of(
    given: RoutingConfig | None,
    strategy: RoutingStrategy | None,
    prefix_length: int | None,
    concurrency_threshold: int | None,
) -> RoutingConfig:
    """A routing with some of its values replaced.

    Args:
        given: The routing of a spec; None for RANDOM.
        strategy: Another strategy; a length or a threshold alone means PREFIX_AWARE.
        prefix_length: Another length.
        concurrency_threshold: Another threshold.

    Raises:
        WarmrouteError: A value of PREFIX_AWARE is lacking, or given for another strategy.
        InvalidSettingsError: A value is out of range.
    """
    has_values = prefix_length is not None or concurrency_threshold is not None
    if strategy is None:
        strategy = RoutingStrategy.PREFIX_AWARE if has_values else (given or RoutingConfig.random()).routing_strategy
    if strategy is not RoutingStrategy.PREFIX_AWARE:
        if has_values:
            raise WarmrouteError(
                f"{strategy} takes neither a prefix length nor a threshold.", "Leave them out, or use PREFIX_AWARE."
            )
        return RoutingConfig(routing_strategy=strategy)
    settings = given.prefix_aware_routing_config if given else None
    length, threshold = prefix_length, concurrency_threshold
    if settings is not None:
        length = settings.prefix_length if length is None else length
        threshold = settings.concurrency_threshold if threshold is None else threshold
    if length is None or threshold is None:
        raise WarmrouteError(
            "PREFIX_AWARE needs a prefix length and a threshold.",
            "Give --prefix-length and --concurrency-threshold, or a spec that has them.",
        )
    return RoutingConfig.prefix_aware(prefix_length=length, concurrency_threshold=threshold)


def _position(spec: EndpointSpec, name: str | None) -> int:
    names = [each.name for each in spec.variants]
    if name is not None:
        if name not in names:
            raise IncompleteSpecError(f"variants: there is no variant {name}.", f"There are: {', '.join(names)}.")
        return names.index(name)
    aware = [position for position, each in enumerate(spec.variants) if each.is_prefix_aware]
    if len(names) == 1 or len(aware) == 1:
        return aware[0] if aware else 0
    raise IncompleteSpecError(
        f"variants: there are {len(names)}, and {len(aware) or 'none'} of them route by prefix.",
        f"Name one with --variant: {', '.join(names)}.",
    )


def _with_engine_settings(spec: EndpointSpec, variant: ProductionVariant) -> EngineProfile:
    model = spec.model_named(variant.model_name)
    engine = model.vllm if isinstance(model, VllmContainer) else None
    told = {name: getattr(engine, name, None) for name in ("max_num_seqs", "max_num_batched_tokens")}
    return EngineProfile(**{name: value for name, value in told.items() if value is not None})


def _copies(spec: EndpointSpec, variant: ProductionVariant, instances: int) -> int:
    """Copies of the variant's component on each instance; 1 for a variant that serves a model itself."""
    components = [
        each
        for each in spec.inference_components or ()
        if each.runtime_config is not None and each.variant_name in {None, variant.name}
    ]
    if not components:
        return 1
    if len(components) > 1:
        raise IncompleteSpecError(
            f"inference_components: {len(components)} of them share variant {variant.name}.",
            "Tune for one at a time, with --instances for the copies of that one.",
        )
    runtime = components[0].runtime_config
    return max(1, -(-(runtime.copy_count if runtime else 1) // instances))
