"""Names that somebody gives on the way, refused where SageMaker has none like it."""

from __future__ import annotations

from pydantic import ConfigDict, TypeAdapter, ValidationError

from warmroute.errors import DeploymentError
from warmroute.hosting.text import Name

_NAME: TypeAdapter[str] = TypeAdapter(Name, config=ConfigDict(regex_engine="python-re"))


def refuse_unnameable(name: str, what: str) -> None:
    """Refuse what cannot be a name of an endpoint or an endpoint configuration.

    Args:
        name: What was given.
        what: What it should name, with its article.

    Raises:
        DeploymentError: Nothing can be called so.
    """
    try:
        _NAME.validate_python(name)
    except ValidationError:
        raise DeploymentError(
            f"{name!r} cannot be the name of {what}.",
            "Give 1 to 63 letters, digits and hyphens, with no hyphen at either end.",
        ) from None
