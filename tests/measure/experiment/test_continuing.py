"""A folder is continued by the same experiment, and by no other."""

from __future__ import annotations

import errno
import tempfile
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from measure.experiment.arms_in_numbers import Clockwork, NumbersArm, experiment

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment.manifest import differences
from warmroute.measure.replay.journal import unwritable


def two_arms(**options):
    return Clockwork([NumbersArm("random"), NumbersArm("prefix", 0.7)], requests=40, **options)


def verdicts(comparison):
    """All that a verdict says but for the hours that more pairs would take, as text: what is unknown equals nothing."""
    return [repr(replace(each, further=None)) for each in comparison.verdicts]


@settings(max_examples=5, deadline=None, phases=[Phase.explicit, Phase.generate])  # Shrinking takes minutes.
@given(st.lists(st.integers(0, 7), min_size=1, max_size=2))
def test_stopped_anywhere_and_continued_it_ends_as_if_it_had_not_been(stops):
    with tempfile.TemporaryDirectory() as folder:
        whole = experiment(Path(folder, "whole"), two_arms(), design=SHORT).run()
        for stop in stops:
            clockwork = two_arms(stops={stop: KeyboardInterrupt()})
            try:
                experiment(Path(folder, "parts"), clockwork, design=SHORT).run()
            except KeyboardInterrupt:
                assert clockwork.count == stop + 1
        continued = experiment(Path(folder, "parts"), two_arms(), design=SHORT).run()

    assert [run.key for run in sorted(continued.runs, key=lambda run: run.key)] == [
        run.key for run in sorted(whole.runs, key=lambda run: run.key)
    ]
    assert verdicts(continued) == verdicts(whole)
    assert sorted(continued.aa.figures) == sorted(whole.aa.figures)


SHORT = {"aa_pairs": 1, "pairs": 3}


def test_a_pair_that_was_stopped_runs_again_whole_and_nothing_is_deleted(tmp_path):
    stopped = two_arms(stops={7: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        experiment(tmp_path, stopped).run()
    continued = two_arms()

    experiment(tmp_path, continued).run()

    assert stopped.done[-1][:2] == (3, 0)
    assert continued.done[0][:2] == (3, 0)
    aside = {path.name.partition(".")[2] for path in (tmp_path / "runs").glob("3-*.*")}
    assert aside == {"unfinished-1"}
    assert len(list((tmp_path / "runs").glob("3-*.unfinished-1"))) == 2


def test_a_comparison_that_is_complete_runs_nothing_again(tmp_path):
    first, again = two_arms(), two_arms()
    before = experiment(tmp_path, first).run()

    after = experiment(tmp_path, again).run()

    assert again.count == 0
    assert verdicts(after) == verdicts(before)


def test_a_full_disk_stops_it_and_leaves_what_is_done(tmp_path):
    full = unwritable(tmp_path / "runs", OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(WarmrouteError, match="No space left on device"):
        experiment(tmp_path, two_arms(stops={8: full})).run()

    continued = two_arms()
    experiment(tmp_path, continued).run()

    assert continued.count == 16 - 8


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda: {"clockwork": Clockwork([NumbersArm("random"), NumbersArm("prefix", 0.9)])}, "arms.1.scale"),
        (lambda: {"clockwork": Clockwork([NumbersArm("random"), NumbersArm("lor", 0.7)])}, "arms.1.name"),
        (lambda: {"design": {"seed": 9}}, "design.seed"),
        (lambda: {"speed": 2.0}, "options.speed"),
    ],
)
def test_another_experiment_is_refused_by_the_field_that_differs(tmp_path, change, field):
    experiment(tmp_path, two_arms())
    changed = {"clockwork": two_arms(), **change()}

    with pytest.raises(WarmrouteError) as error:
        experiment(tmp_path, changed.pop("clockwork"), **changed)

    assert f"was begun with another {field}: " in str(error.value)


def test_more_pairs_are_run_only_where_a_further_look_was_declared(tmp_path):
    experiment(tmp_path / "two", two_arms(), looks=2).run()
    experiment(tmp_path / "one", two_arms()).run()
    further = two_arms()

    comparison = experiment(tmp_path / "two", further, looks=2, design={"pairs": 7}).run()

    assert (comparison.verdicts[0].pairs, further.count) == (7, 4)
    assert comparison.manifest["earlier_looks"] == [{"pairs": 5, "most_pairs": 20}]
    assert experiment(tmp_path / "two", two_arms(), looks=2, design={"pairs": 7}).finished == 20
    with pytest.raises(WarmrouteError, match="begun for 2 looks at its results, and 2 had its number of pairs"):
        experiment(tmp_path / "two", two_arms(), looks=2, design={"pairs": 9})
    with pytest.raises(WarmrouteError, match="begun for 1 look at its results, and 1 had"):
        experiment(tmp_path / "one", two_arms(), design={"pairs": 7})


def test_two_processes_do_not_run_one_comparison(tmp_path):
    class Rival(Clockwork):
        def replay(self, runs):
            if not self.count:
                with pytest.raises(WarmrouteError, match="another command is running this comparison"):
                    experiment(tmp_path, two_arms(), design=SHORT).run()
            return super().replay(runs)

    rival = Rival([NumbersArm("random"), NumbersArm("prefix", 0.7)], requests=40)

    assert experiment(tmp_path, rival, design=SHORT).run().verdicts[0].pairs == 3


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("", "utf-8")

    with pytest.raises(WarmrouteError, match="holds something else than a comparison"):
        experiment(tmp_path, two_arms())

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"])
def test_a_manifest_that_is_damaged_is_named(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)

    with pytest.raises(WarmrouteError, match=r"manifest.json: not what warmroute compare wrote"):
        experiment(tmp_path, two_arms())


@pytest.mark.parametrize("content", [b"{}", b'{"format": 1, "arm": "random"}'])
def test_a_run_that_is_damaged_is_named(tmp_path, content):
    experiment(tmp_path, two_arms()).run()
    (tmp_path / "runs" / "0-0-random" / "outcome.json").write_bytes(content)

    with pytest.raises(WarmrouteError, match=r"outcome.json: not what warmroute compare wrote"):
        experiment(tmp_path, two_arms())


JSON = st.recursive(
    st.none() | st.integers(0, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
MANIFESTS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


@given(MANIFESTS, MANIFESTS)
def test_manifests_differ_exactly_where_they_are_not_equal(one, other):
    assert list(differences(one, one)) == []
    assert bool(list(differences(one, other))) == (orjson.dumps(one, option=KEYS) != orjson.dumps(other, option=KEYS))


KEYS = orjson.OPT_SORT_KEYS


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["random"], "Arms: 1; a comparison needs two or more."),
        (["a", "a"], "Arm a is named twice."),
        (["a", "b/c"], "Arm 'b/c' has no usable name."),
        (["a", ""], "Arm '' has no usable name."),
    ],
)
def test_arms_that_cannot_be_told_apart(tmp_path, names, message):
    with pytest.raises(WarmrouteError) as error:
        experiment(tmp_path / "new", Clockwork([NumbersArm(name) for name in names]))

    assert message in str(error.value)
    assert not (tmp_path / "new").exists()
