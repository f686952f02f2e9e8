"""Models: what a container runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.local.control.clock import moment
from warmroute.local.control.listing import list_page
from warmroute.local.control.refusals import RefusedError
from warmroute.local.control.registry import Resource

if TYPE_CHECKING:
    from warmroute.local.control.registry import Registry, Request, Response


@dataclass(eq=False)
class Model(Resource):
    """A model, as it was asked for."""

    kind: ClassVar[str] = "model"
    arn_kind: ClassVar[str] = "model"

    request: Request

    @property
    def container(self) -> dict[str, Any]:
        """The container that answers first."""
        primary: dict[str, Any] | None = self.request.get("PrimaryContainer")
        return primary or self.request["Containers"][0]


def create_model(registry: Registry, request: Request) -> Response:
    """Make a model."""
    name = request["ModelName"]
    arn = registry.new_arn(Model, name, registry.models)
    if bool(request.get("PrimaryContainer")) == bool(request.get("Containers")):
        raise RefusedError("A model has either PrimaryContainer or Containers.")
    kept = {key: value for key, value in request.items() if key != "Tags"}
    registry.models[name] = Model(name, arn, registry.clock.now(), list(request.get("Tags", ())), kept)
    return {"ModelArn": arn}


def describe_model(registry: Registry, request: Request) -> Response:
    """A model, as it was asked for."""
    model = registry.find(Model, request["ModelName"], registry.models)
    return {
        "EnableNetworkIsolation": False,
        **model.request,
        "ModelArn": model.arn,
        "CreationTime": moment(model.creation_time),
    }


def list_models(registry: Registry, request: Request) -> Response:
    """The models of the account."""
    return list_page(registry.models.values(), request, into="Models", summary=_summary)


def delete_model(registry: Registry, request: Request) -> Response:
    """Forget a model; endpoints that run it keep running it."""
    del registry.models[registry.find(Model, request["ModelName"], registry.models).name]
    return {}


def _summary(model: Model) -> dict[str, Any]:
    return {"ModelName": model.name, "ModelArn": model.arn, "CreationTime": moment(model.creation_time)}
