"""What every typed setting has in common: immutable, strict, AWS's names, errors that a person can follow."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Self, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    WrapSerializer,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_pascal
from pydantic_core import PydanticKnownError

from warmroute.errors import InvalidSettingsError
from warmroute.field_errors import findings_of
from warmroute.rules import own_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

Item = TypeVar("Item")
Value = TypeVar("Value")

Many = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list in the document, a tuple in memory; the items stay strict."""


class FrozenDict(dict[str, Value]):
    """A dictionary that cannot change, for the mappings inside immutable settings."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("Settings are immutable; build new ones with model_copy(update=…).")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, Value]]]:
        return type(self), (dict(self),)


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return FrozenDict({key: _freeze(item) for key, item in value.items()})
    return tuple(_freeze(item) for item in value) if isinstance(value, (list, tuple)) else value


def _thaw(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _thaw(item) for key, item in value.items()}
    return [_thaw(item) for item in value] if isinstance(value, (list, tuple)) else value


def _read(value: Any) -> Any:
    try:
        return _thaw(value)
    except RecursionError:
        raise PydanticKnownError("recursion_loop") from None


def _write(value: Any, write: SerializerFunctionWrapHandler) -> Any:
    return write(_thaw(value))


Frozen = Annotated[Value, BeforeValidator(_read), AfterValidator(_freeze), WrapSerializer(_write)]
"""``Frozen[dict[str, int]]``: a mapping that is immutable once validated, with everything in it.

Lists in it become tuples; what is dumped of it is plain again.
"""

_IRREGULAR = {
    "volume_size_in_gb": "VolumeSizeInGB",
    "memory_size_in_mb": "MemorySizeInMB",
    "max_payload_in_mb": "MaxPayloadInMB",
    "enable_ssm_access": "EnableSSMAccess",
}
"""Names that AWS spells in a way of its own."""


def _aws_name(name: str) -> str:
    return _IRREGULAR.get(name) or to_pascal(name)


def _also_read(name: str) -> AliasChoices:
    # A plain text would take the place of our own name in the signatures that `help()` shows.
    return AliasChoices(_aws_name(name))


if TYPE_CHECKING:  # Type checkers see pydantic's own constructors.
    from pydantic._internal._model_construction import ModelMetaclass as _SettingsType
else:

    class _SettingsType(type(BaseModel)):
        """Turns what pydantic says of a direct construction into the errors of warmroute."""

        def __call__(cls, *args: Any, **values: Any) -> Any:
            try:
                return super().__call__(*args, **values)
            except ValidationError as error:
                raise InvalidSettingsError(findings_of(error, cls, values), cls.__name__) from None


class Settings(BaseModel, metaclass=_SettingsType):
    """Base of every typed setting.

    Fields are strict (``"4096"``, ``4096.0`` and ``True`` are not whole numbers), unknown ones are errors, and
    instances cannot change. Each field is read under its own name and under AWS's PascalCase one.
    """

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=_also_read, serialization_alias=_aws_name),
        validate_by_name=True,
        validate_by_alias=True,
        loc_by_alias=False,
        extra="forbid",
        frozen=True,
        strict=True,
        regex_engine="python-re",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_what_has_no_order(cls, value: Any) -> Any:
        if isinstance(value, (AbstractSet, Iterator)):
            raise PydanticKnownError("tuple_type")
        return value

    @model_validator(mode="after")
    def _hold_own_rules(self) -> Self:
        errors = own_errors(self)
        if errors:
            raise InvalidSettingsError(errors)
        return self

    @classmethod
    def parse(cls, values: Mapping[str, Any], *, name: str = "") -> Self:
        """Settings from plain values, as read from YAML or JSON.

        Args:
            values: Fields by snake_case or AWS name.
            name: What to call the values in messages, usually a file.

        Raises:
            InvalidSettingsError: With every error found.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise InvalidSettingsError(findings_of(error, cls, values), name or cls.__name__) from None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """These settings with some of them changed, held to every rule.

        Args:
            update: New values by the names of their fields; None for a field that is then not set.
            deep: Whether to copy what is inside too, which immutable settings do not need.

        Raises:
            InvalidSettingsError: The changed settings are not valid.
        """
        if not update:
            return super().model_copy(deep=deep)
        return type(self)(**{name: getattr(self, name) for name in self.model_fields_set} | dict(update))

    def to_aws(self) -> dict[str, Any]:
        """Plain values under AWS's names, without the fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
