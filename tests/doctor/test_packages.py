"""The probes of Python and of the packages that are always needed."""

from __future__ import annotations

from doctor.conftest import Site

from warmroute.doctor import Status, packages


def test_a_python_that_is_new_enough_is_ok(site: Site) -> None:
    (found,) = packages.python(site.machine(python=(3, 14, 0)))

    assert found.status is Status.OK
    assert found.message.startswith("3.14.0, ")


def test_a_python_that_is_too_old_is_a_problem(site: Site) -> None:
    (found,) = packages.python(site.machine(python=(3, 10, 4)))

    assert str(found) == (
        "problem  Python: 3.10.4 runs, and warmroute needs >=3.11. Make a virtual environment with a newer one."
    )


def test_which_warmroute_it_is(site: Site) -> None:
    (found,) = packages.itself(site.machine())

    assert found.status is Status.OK
    assert found.message.startswith("0.1.0, /")


def test_a_warmroute_that_pip_does_not_know(site: Site) -> None:
    (found,) = packages.itself(site.machine(path=[]))

    assert found.status is Status.WARNING
    assert found.remedy == "Run in a checkout: pip install -e ."


def test_the_core_is_ok(site: Site) -> None:
    (found,) = packages.core(site.core().machine())

    assert str(found) == "ok       packages: all that warmroute always needs are there."


def test_a_missing_and_an_old_package_have_a_line_each(site: Site) -> None:
    found = packages.core(site.add("boto3", "1.40.0").machine())

    assert [str(each) for each in found] == [
        (
            "problem  packages: boto3 1.40.0 is installed, and warmroute needs >=1.43.68. "
            "Run: pip install 'boto3>=1.43.68'"
        ),
        "problem  packages: orjson is missing. Run: pip install 'orjson>=3.10'",
    ]


def test_what_a_package_of_the_core_needs_is_looked_at_too(site: Site) -> None:
    site.add("orjson", "3.13.0").add("boto3", "1.44.8", "Requires-Dist: botocore<1.45.0,>=1.44.8\n")
    found = packages.core(site.add("botocore", "1.43.117").machine())

    assert [str(each) for each in found] == [
        (
            "problem  packages: botocore 1.43.117 is installed, and boto3 needs <1.45.0,>=1.44.8. "
            "Run: pip install 'botocore<1.45.0,>=1.44.8'"
        )
    ]


def test_packages_that_require_each_other_end(site: Site) -> None:
    site.core().add("a", "1", "Requires-Dist: b\n").add("b", "1", "Requires-Dist: a\nRequires-Dist: c\n")
    lacks = list(packages.lacking(site.machine(), packages.required(site.machine(), "a"), "a"))

    assert [str(lack) for lack in lacks] == ["c is missing"]


def test_a_package_that_cannot_be_imported_is_told_in_python_s_words(site: Site) -> None:
    machine = site.machine()

    assert packages.import_failure(machine, ("json", "email")) == ""
    assert packages.import_failure(machine, ("json", "nothing_such")) == (
        "ModuleNotFoundError: No module named 'nothing_such'"
    )
