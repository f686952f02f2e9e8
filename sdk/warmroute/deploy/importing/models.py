"""The models of an endpoint that exists, in one of three forms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.contents import model_content, models_of, models_of_component
from warmroute.deploy.importing.vllm_form import vllm_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.deploy.account.live import Live

_INHERITED = ("ExecutionRoleArn", "VpcConfig", "EnableNetworkIsolation")


class Form(Enum):
    """How models are told, the clearest form first."""

    VLLM = "as vLLM servers where possible"
    CONTAINERS = "as containers"
    NAMES = "by their names in the account"


@dataclass(frozen=True, slots=True)
class ModelNames:
    """What the models of an endpoint are called in its spec."""

    labels: Mapping[str, str]
    """By name of a model, its name in ``models``; empty for the only one, which is ``model``."""

    @classmethod
    def of(cls, live: Live) -> ModelNames:
        """The names of an endpoint's models: of the variant or the component that runs each first."""
        users: dict[str, str] = {}
        for model, user in _users(live):
            if model in live.models:
                users.setdefault(model, user)
        if len(users) == 1:
            return cls(dict.fromkeys(users, ""))
        taken: set[str] = set()
        labels = {}
        for model, user in users.items():
            labels[model] = user if user not in taken else model
            taken.add(labels[model])
        return cls(labels)

    def called(self, form: Form) -> Mapping[str, str]:
        """By name of a model, what variants and components call it; nothing where they call it by that name."""
        return {} if form is Form.NAMES else self.labels


def model_values(live: Live, region: str, form: Form, names: ModelNames) -> tuple[dict[str, Any], dict[str, Any]]:
    """What models inherit from the spec, and the models themselves, as values of a spec.

    Args:
        live: What the account has.
        region: AWS region.
        form: How models are told.
        names: What they are called.
    """
    if form is Form.NAMES:
        return {}, {}
    described = {label: live.models[name].described for name, label in names.labels.items()}
    contents = {label: model_content(each) for label, each in described.items()}
    inherited = _inherited(live, list(contents.values()))
    models = {label: _model(content, described[label], inherited, region, form) for label, content in contents.items()}
    return inherited, {"model": models[""]} if "" in models else ({"models": models} if models else {})


def _users(live: Live) -> Iterator[tuple[str, str]]:
    for family in ("ProductionVariants", "ShadowProductionVariants"):
        for variant in (live.config or {}).get(family, ()):
            for model in models_of({family: [variant]}):
                yield model, variant["VariantName"]
    for name, existing in live.components.items():
        for model in models_of_component(existing.described):
            yield model, name


def _inherited(live: Live, contents: list[dict[str, Any]]) -> dict[str, Any]:
    """What the spec says once for every model; with components it goes into the configuration as well."""
    config = live.config or {}
    if all(variant.get("ModelName") for variant in config.get("ProductionVariants", ())):
        return _shared(contents)
    return {key: config[key] for key in _INHERITED if config.get(key)}


def _shared(contents: list[dict[str, Any]]) -> dict[str, Any]:
    """What the spec can say for every model: the first one's, where each has its own or the same."""
    found = {}
    for key in _INHERITED:
        values = [content.get(key) for content in contents]
        if values and all(values):
            found[key] = values[0]
    return found


def _model(
    content: dict[str, Any], described: Mapping[str, Any], inherited: Mapping[str, Any], region: str, form: Form
) -> dict[str, Any]:
    own = {key: value for key, value in content.items() if inherited.get(key) != value}
    if form is Form.VLLM and own.keys() == {"PrimaryContainer"}:
        # The container as it was asked for; its content has archives in another form.
        asked = {key: value for key, value in described["PrimaryContainer"].items() if value not in (None, {}, [])}
        if asked.get("Mode") == "SingleModel":
            del asked["Mode"]
        if found := vllm_form(asked, region):
            return found
    return own
