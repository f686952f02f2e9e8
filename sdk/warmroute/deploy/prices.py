"""What a deployment costs an hour, from a dated table of prices that the user can replace.

A table is YAML or JSON: where its figures come from, and dollars an hour of one instance by region and type:

    as_of: 2026-08-17
    currency: USD
    source: our contract
    regions:
      us-east-1:
        ml.p5.48xlarge: 63.296
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from warmroute.documents import DocumentKind, load_mapping, parse_mapping
from warmroute.settings import Frozen, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.deploy.plan import InstanceCount

Price = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Prices(Settings):
    """Dollars an hour of one instance, by region and instance type."""

    as_of: str = Field(pattern=r"\A\d{4}-\d{2}-\d{2}\Z")
    """The day that the figures are of."""

    currency: str = Field(default="USD", min_length=3, max_length=3)
    """Currency of every figure, ISO 4217."""

    source: str = Field(min_length=1)
    """Where the figures come from."""

    regions: Frozen[dict[str, dict[str, Price]]]
    """Price of one instance for one hour, by region and then by type."""

    def of(self, instance_type: str, region: str) -> float | None:
        """The price of one instance for one hour, or None where it is not known.

        Args:
            instance_type: With its prefix: ``ml.p5.48xlarge``.
            region: AWS region.
        """
        return self.regions.get(region, {}).get(instance_type)


@dataclass(frozen=True, slots=True)
class HourlyCost:
    """What the instances of a deployment cost an hour; storage, traffic and savings plans are not in it."""

    now: float
    """Before the change."""

    during: float
    """At the peak of the change, with the instances of a second fleet or batch."""

    after: float
    """After the change."""

    most: float
    """When everything has scaled out as far as its limits let it."""

    currency: str
    as_of: str
    """The day that the prices are of."""

    unknown: tuple[str, ...] = ()
    """Instance types without a known price, which the figures leave out."""

    @property
    def is_complete(self) -> bool:
        """Whether the price of every instance type is known."""
        return not self.unknown


def load_prices(path: str | Path | None = None) -> Prices:
    """A table of prices.

    Args:
        path: A YAML or JSON file; by default the table that comes with warmroute.

    Raises:
        DocumentError: The file cannot be read or parsed.
        InvalidSettingsError: It is not a table of prices.
    """
    if path is None:
        own = resources.files("warmroute.deploy").joinpath("prices.json").read_text("utf-8")
        return Prices.parse(parse_mapping(own, "prices.json", _TABLE, format="json"))
    values = load_mapping(path, _TABLE)
    # YAML reads a day without quotes as a date.
    days = {key: value.isoformat() for key, value in values.items() if isinstance(value, date)}
    return Prices.parse({**values, **days}, name=str(Path(path)))


_TABLE = DocumentKind("a table of prices", "It has as_of, source and regions.")


def hourly_cost(instances: Iterable[InstanceCount], region: str, prices: Prices) -> HourlyCost:
    """What a deployment costs an hour: before, during and after its change, and scaled out.

    Args:
        instances: Instances by type.
        region: AWS region of the endpoint.
        prices: The table.
    """
    counted = [(each, prices.of(each.instance_type, region)) for each in instances]
    known = [(each, price) for each, price in counted if price is not None]
    return HourlyCost(
        now=sum(each.now * price for each, price in known),
        during=sum(each.peak * price for each, price in known),
        after=sum(each.after * price for each, price in known),
        most=sum(each.most * price for each, price in known),
        currency=prices.currency,
        as_of=prices.as_of,
        unknown=tuple(sorted({each.instance_type for each, price in counted if price is None})),
    )
