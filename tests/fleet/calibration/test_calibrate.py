"""The law: the constants of the model that a simulated engine was built from are found again."""

from __future__ import annotations

import sys

import pytest
from fleet.calibration.simulated_server import SimulatedServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warmroute.errors import MissingExtraError
from warmroute.fleet import LLAMA_3_1_70B_8XH100, CostModel, EngineProfile, load_profile
from warmroute.fleet.calibration import Calibration, CalibrationError, Limits, calibrate

QUICK = Limits(seconds=1.0, max_prompt_tokens=6_000, max_concurrency=16, seed=3)
JITTER = (1.0, 1.02, 0.99, 1.0, 0.97, 1.01, 1.03, 0.98, 1.0, 1.3, 0.99)
"""Of a server that is 1 or 2 % off as a rule, and sometimes 30 %."""


def effective(model: CostModel) -> dict[str, float]:
    return {
        "request_seconds": model.request_seconds,
        "floor_seconds": model.scale * (model.floor_seconds + model.attention_seconds),
        "base_seconds": model.scale * (model.base_seconds + model.attention_seconds),
        "seconds_per_token": model.scale * model.seconds_per_token,
        "seconds_per_decode_kv_token": model.scale * model.seconds_per_decode_kv_token,
        "seconds_per_prefill_pair": model.scale * model.seconds_per_prefill_pair,
    }


def found(calibration: Calibration) -> dict[str, float]:
    return effective(calibration.profile.cost_model)


models = st.builds(
    lambda floor, base, token, kv, pair, request, scale: LLAMA_3_1_70B_8XH100.model_copy(
        update={
            "floor_seconds": floor,
            "base_seconds": floor * base,
            "seconds_per_token": token,
            "seconds_per_decode_kv_token": kv,
            "seconds_per_prefill_pair": pair,
            "request_seconds": request,
            "scale": scale,
        }
    ),
    st.floats(3e-3, 3e-2),
    st.floats(0.1, 0.8),
    st.floats(1e-5, 3e-4),
    st.floats(5e-9, 1e-7),
    st.floats(2e-10, 5e-9),
    st.floats(5e-3, 0.1),
    st.floats(0.5, 1.5),
)


class TestLaw:
    @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(models)
    def test_an_exact_server_s_constants_are_found_again(self, model):
        calibration = calibrate(SimulatedServer(EngineProfile(cost_model=model)), QUICK)
        for name, value in effective(model).items():
            assert found(calibration)[name] == pytest.approx(value, rel=0.02), name
        assert all(constant.identified for constant in calibration.fit.constants.values())

    @pytest.mark.parametrize("name", ["seconds_per_decode_kv_token", "seconds_per_prefill_pair", "base_seconds"])
    def test_what_costs_the_server_nothing_is_not_given_the_cost_of_another(self, name):
        model = LLAMA_3_1_70B_8XH100.model_copy(update={name: 0.0, "attention_seconds": 0.0})
        calibration = calibrate(SimulatedServer(EngineProfile(cost_model=model)), QUICK)
        assert not calibration.fit.constants[name].identified
        assert found(calibration)[name] == pytest.approx(0.0, abs=0.01 * effective(LLAMA_3_1_70B_8XH100)[name])

    def test_it_does_not_matter_when_the_tokens_of_long_answers_arrive(self):
        plain, held = (
            calibrate(SimulatedServer(EngineProfile(max_num_seqs=10), holds_long_answers=holds), QUICK)
            for holds in (False, True)
        )
        assert held.profile == plain.profile
        assert held.profile.max_num_seqs == 10

    def test_a_noisy_server_s_constants_are_found_within_their_errors(self):
        server = SimulatedServer(EngineProfile(), jitter=JITTER)
        calibration = calibrate(server, Limits(seconds=60.0, seed=1))
        tolerances = {"seconds_per_decode_kv_token": 0.25, "base_seconds": 0.35, "seconds_per_prefill_pair": 0.25}
        for name, value in effective(LLAMA_3_1_70B_8XH100).items():
            assert found(calibration)[name] == pytest.approx(value, rel=tolerances.get(name, 0.05)), name
        count, middle, _ = calibration.fit.residuals["new prompts"]
        assert count >= 8
        assert 0 < middle < 0.03

    def test_the_fitted_profile_takes_as_long_as_the_measured_one(self):
        model = found_model = calibrate(SimulatedServer(EngineProfile()), QUICK).profile.cost_model
        for new, cached in ((20, 3_000), (500, 0), (5_000, 1_000)):
            expected = LLAMA_3_1_70B_8XH100.step_seconds(new, 0, [(new, cached)])
            assert found_model.step_seconds(new, 0, [(new, cached)]) == pytest.approx(expected, rel=0.01)
        expected = LLAMA_3_1_70B_8XH100.decode_seconds(16, 50_000, 100)
        assert model.decode_seconds(16, 50_000, 100) == pytest.approx(expected, rel=0.01)


class TestWhatElseIsSeen:
    @pytest.mark.parametrize("block_size", [8, 16, 32])
    def test_the_block_size_shows_in_the_cached_tokens(self, block_size):
        calibration = calibrate(SimulatedServer(EngineProfile(block_size=block_size)), QUICK)
        assert calibration.profile.block_size == block_size

    def test_sequences_that_had_to_wait_show_max_num_seqs(self):
        calibration = calibrate(SimulatedServer(EngineProfile(max_num_seqs=10)), QUICK)
        assert calibration.profile.max_num_seqs == 10
        assert "max_num_seqs" not in calibration.kept

    def test_metrics_tell_the_cache_s_size(self):
        profile = EngineProfile(cost_model=LLAMA_3_1_70B_8XH100.model_copy(update={"kv_cache_tokens": 123_456}))
        shown = calibrate(SimulatedServer(profile, shows_cache=True), QUICK)
        assert shown.profile.cost_model.kv_cache_tokens == 123_456
        hidden = calibrate(SimulatedServer(profile), QUICK)
        assert hidden.profile.cost_model.kv_cache_tokens == 1_350_000
        assert "kv_cache_tokens" in hidden.kept

    def test_without_reports_a_repeated_prompt_is_told_by_its_time(self):
        calibration = calibrate(SimulatedServer(EngineProfile(), reports_cached_tokens=False), QUICK)
        assert calibration.measured.caches_prefixes
        assert "block_size" in calibration.kept
        value = effective(LLAMA_3_1_70B_8XH100)["seconds_per_token"]
        assert found(calibration)["seconds_per_token"] == pytest.approx(value, rel=0.05)

    @pytest.mark.parametrize("reports", [True, False])
    def test_a_server_that_caches_nothing_is_fitted_and_said_so(self, reports):
        server = SimulatedServer(EngineProfile(), reports_cached_tokens=reports, caches_prefixes=False)
        calibration = calibrate(server, QUICK)
        assert not calibration.measured.caches_prefixes
        assert any("no repeated prompt" in line for line in calibration.report())

    def test_what_the_times_do_not_tell_is_no_more_than_they_allow(self):
        model = LLAMA_3_1_70B_8XH100.model_copy(update={"seconds_per_decode_kv_token": 0.0})
        calibration = calibrate(SimulatedServer(EngineProfile(cost_model=model), jitter=JITTER), QUICK)
        assert "seconds_per_decode_kv_token" in calibration.kept
        kept = calibration.fit.constants["seconds_per_decode_kv_token"]
        assert kept.value < 0.2 * effective(LLAMA_3_1_70B_8XH100)["seconds_per_decode_kv_token"]


class TestProfileFile:
    def test_it_is_read_back_with_its_provenance_in_comments(self, tmp_path):
        calibration = calibrate(SimulatedServer(EngineProfile()), QUICK)
        file = tmp_path / "profile.yaml"
        file.write_text(calibration.as_yaml(source="a test"), encoding="utf-8")
        assert load_profile(file) == calibration.profile
        comments = [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        assert comments[0] == "# Measured by warmroute calibrate: a test"
        assert any("half within" in line for line in comments)

    def test_two_runs_of_one_seed_write_the_same(self):
        texts = {calibrate(SimulatedServer(EngineProfile()), QUICK).as_yaml(source="") for _ in range(2)}
        assert len(texts) == 1


class TestRefusals:
    def test_a_server_that_does_not_stream(self):
        with pytest.raises(CalibrationError, match="in one piece"):
            calibrate(SimulatedServer(EngineProfile(), streams=False), QUICK)

    def test_a_context_that_is_too_short(self):
        with pytest.raises(CalibrationError, match=r"too short to tell the time of prefill.*has 300 tokens"):
            calibrate(SimulatedServer(EngineProfile(), most_tokens=300), QUICK)

    def test_a_context_below_the_limit_shortens_the_prompts(self):
        calibration = calibrate(SimulatedServer(EngineProfile(), most_tokens=2_000), QUICK)
        assert 1_000 < calibration.measured.longest_prompt_tokens <= 2_000


def test_without_numpy_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[analysis\]"):
        calibrate(SimulatedServer(EngineProfile()), QUICK)


def test_a_server_without_a_prefix_cache_is_told():
    report = calibrate(SimulatedServer(EngineProfile(), caches_prefixes=False), QUICK).report()

    assert "The server found no repeated prompt in its cache: is prefix caching on?" in report
