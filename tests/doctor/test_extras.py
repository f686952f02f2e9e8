"""The probe of the extras."""

from __future__ import annotations

import tomllib
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
from doctor.conftest import Site
from packaging.requirements import Requirement

from warmroute.doctor import Machine, Status, extras

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def of_extra(machine: Machine, extra: str) -> str:
    return next(str(each) for each in extras.extras(machine) if each.subject == f"extra {extra}")


@pytest.fixture(autouse=True)
def standard_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of packages that take seconds to import."""
    modules = {"local": ("json",), "analysis": ("email",), "report": ("email",), "cdk": ("nothing_such",)}
    monkeypatch.setattr(extras, "MODULES", modules)


def test_none_is_installed(site: Site) -> None:
    found = list(extras.extras(site.core().machine()))

    assert {each.status for each in found} == {Status.OK}
    assert str(found[0]) == "ok       extra local: not installed. To have it: pip install 'warmroute[local]'"


def test_one_is_installed_and_can_be_imported(site: Site) -> None:
    site.core().add("moto", "5.2.5").add("uvicorn", "0.40")

    assert of_extra(site.machine(), "local") == "ok       extra local: installed."


def test_one_is_installed_in_part(site: Site) -> None:
    site.core().add("uvicorn", "0.40")

    assert of_extra(site.machine(), "local") == (
        "warning  extra local: not all of it is installed: moto is missing. To use it: pip install 'warmroute[local]'"
    )


def test_one_has_another_release(site: Site) -> None:
    site.core().add("moto", "5.1.0").add("uvicorn", "0.40")

    assert of_extra(site.machine(), "local") == (
        "problem  extra local: moto 5.1.0 is installed, and warmroute needs ==5.2.5. "
        "Run: pip install 'warmroute[local]'"
    )


def test_what_its_packages_need_is_missing(site: Site) -> None:
    site.core().add("uvicorn", "0.40")
    site.add("moto", "5.2.5", 'Provides-Extra: server\nRequires-Dist: flask>=2; extra == "server"\n')

    assert of_extra(site.machine(), "local") == (
        "problem  extra local: flask is missing. Run: pip install 'warmroute[local]' 'flask>=2'"
    )


def test_one_that_includes_another_is_not_installed_with_that(site: Site) -> None:
    site.core().add("numpy", "2.4")

    assert of_extra(site.machine(), "report").startswith("ok       extra report: not installed.")
    assert of_extra(site.machine(), "analysis") == "ok       extra analysis: installed."


def test_one_cannot_be_imported(site: Site) -> None:
    site.core().add("aws-cdk-lib", "2.275")

    assert of_extra(site.machine(), "cdk") == (
        "problem  extra cdk: it cannot be imported: ModuleNotFoundError: No module named 'nothing_such'. "
        "Run: pip install 'warmroute[cdk]' --force-reinstall"
    )


def test_every_extra_has_its_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the packages that pyproject.toml names, as far as they are installed here."""
    monkeypatch.undo()
    named = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(extras.MODULES) == set(named) - {"all"}
    distributions = packages_distributions()
    for extra, modules in extras.MODULES.items():
        tops = {module.partition(".")[0] for module in modules} - {"warmroute_cdk"}
        brought = {name for top in tops if find_spec(top) for name in distributions[top]}
        wanted = {Requirement(line).name for line in named[extra]}
        assert {name.lower().replace("_", "-") for name in brought} & {
            name.lower().replace("_", "-") for name in wanted
        } or not brought
