"""Run every benchmark: ``python -m benchmarks``, or some: ``python -m benchmarks startup``."""

import sys

from benchmarks import (
    cdk_synth,
    client_boto3,
    client_openai,
    compare_null,
    data_plane,
    digest,
    fleet_aws,
    fleet_golden,
    fleet_llm_d,
    fleet_speed,
    prefix_agentic,
    prefix_canonical,
    prefix_explain,
    replay_speed,
    startup,
    tune_tau_bench,
    validation,
)

BENCHMARKS = {
    "startup": startup.run,
    "validation": validation.run,
    "prefix_canonical": prefix_canonical.run,
    "prefix_agentic": prefix_agentic.run,
    "prefix_explain": prefix_explain.run,
    "client_boto3": client_boto3.run,
    "client_openai": client_openai.run,
    "compare_null": compare_null.run,
    "data_plane": data_plane.run,
    "digest": digest.run,
    "fleet_golden": fleet_golden.run,
    "fleet_llm_d": fleet_llm_d.run,
    "fleet_aws": fleet_aws.run,
    "fleet_speed": fleet_speed.run,
    "tune_tau_bench": tune_tau_bench.run,
    "replay_speed": replay_speed.run,
    "cdk_synth": cdk_synth.run,
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in wanted if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"No such benchmark: {', '.join(unknown)}. Known: {', '.join(BENCHMARKS)}.")
    print(f"{'what':<44}{'measured':>12}{'reference':>12}{'ratio':>8}{'goal':>8}")
    for name in wanted:
        BENCHMARKS[name]()
