"""Cost by the hour, from a table that the user can replace."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmroute.deploy.plan import InstanceCount
from warmroute.deploy.prices import hourly_cost, load_prices
from warmroute.errors import DocumentError, InvalidSettingsError
from warmroute.hosting.instance_types import INSTANCE_TYPES

TABLE = """
as_of: 2026-01-31
source: our contract
regions:
  us-east-1: {ml.p5.48xlarge: 50.5, ml.g5.xlarge: 1}
"""


def table(tmp_path: Path, text: str = TABLE) -> Path:
    file = tmp_path / "prices.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_table_that_comes_along_is_dated_and_names_types_that_exist() -> None:
    prices = load_prices()

    assert prices.as_of
    assert prices.source
    for of_region in prices.regions.values():
        assert set(of_region) <= INSTANCE_TYPES
        # A larger GPU count of one family never costs less.
        assert of_region["ml.g5.xlarge"] < of_region["ml.g5.12xlarge"] < of_region["ml.g5.48xlarge"]


def test_what_is_not_in_the_table_is_not_known() -> None:
    prices = load_prices()

    assert prices.of("ml.p5.48xlarge", "mars-north-1") is None
    assert prices.of("ml.p6e-gb200.36xlarge", "us-east-1") is None


def test_cost_before_during_and_after(tmp_path: Path) -> None:
    prices = load_prices(table(tmp_path))
    instances = [
        InstanceCount("ml.p5.48xlarge", now=2, peak=4, after=2, most=8),
        InstanceCount("ml.g5.xlarge", now=0, peak=1, after=1, most=1),
    ]

    cost = hourly_cost(instances, "us-east-1", prices)

    assert (cost.now, cost.during, cost.after, cost.most) == (101, 203, 102, 405)
    assert (cost.currency, cost.as_of, cost.is_complete) == ("USD", "2026-01-31", True)


def test_a_type_without_a_price_is_named_and_never_free(tmp_path: Path) -> None:
    instances = [InstanceCount("ml.g6.xlarge", now=1, peak=1, after=1, most=1)]

    cost = hourly_cost(instances, "us-east-1", load_prices(table(tmp_path)))

    assert cost.unknown == ("ml.g6.xlarge",)
    assert not cost.is_complete


@pytest.mark.parametrize("price", ["0", "-1", ".nan", ".inf", "free", "true"])
def test_a_price_is_a_positive_number(tmp_path: Path, price: str) -> None:
    with pytest.raises(InvalidSettingsError, match=r"regions\.us-east-1"):
        load_prices(table(tmp_path, TABLE.replace("50.5", price)))


@pytest.mark.parametrize(
    ("text", "says"),
    [("[", "not YAML at line 1"), ("- a", "a list, not a mapping"), ("\x00", "not YAML: ")]
    + [
        (text, "not YAML")
        for text in ("as_of: 2026-13-99", "as_of: !!timestamp x", "as_of: !!int x", "{[a]: 1}", "[" * 10_000)
    ],
)
def test_a_file_that_is_no_table_is_said(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        load_prices(table(tmp_path, text))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.yaml: the file does not exist"):
        load_prices(tmp_path / "none.yaml")
