"""What every typed setting has in common: immutable, strict, AWS's names, errors that a person can follow."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
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

    from pydantic._internal._model_construction import ModelMetaclass as _PydanticType
else:
    _PydanticType = type(BaseModel)

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


Frozen = Annotated[Value, AfterValidator(FrozenDict)]
"""``Frozen[dict[str, int]]``: a mapping that is immutable once validated."""


class _SettingsType(_PydanticType):
    """Turns what pydantic says of a direct construction into the errors of warmroute."""

    if not TYPE_CHECKING:  # Type checkers see pydantic's own constructors.

        def __call__(cls, *args: Any, **values: Any) -> Any:  # noqa: N805 - a method of a class of classes.
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
        alias_generator=to_pascal,
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

    def to_aws(self) -> dict[str, Any]:
        """Plain values under AWS's names, without the fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
