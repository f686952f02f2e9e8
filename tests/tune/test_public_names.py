"""The names that others may rely on."""

from warmroute import tune

NAMES = {
    "Fleet",
    "Observed",
    "RecordedTraffic",
    "Simulated",
    "Trace",
    "TrafficProfile",
    "TuningResult",
    "Workload",
    "fleet_of",
    "open_trace",
    "profile",
    "simulate_trace",
    "tune",
    "with_routing",
    "workload",
    "write_routing",
}


def test_no_public_name_gets_lost() -> None:
    assert set(tune.__all__) == NAMES
    assert all(getattr(tune, name).__doc__ for name in NAMES)
