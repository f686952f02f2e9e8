"""Cases of the checks of the endpoint as a whole (WR7..) and of what a spec silences (WR9..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.specs import ONE_MODEL, SERVERLESS

ELSEWHERE = {"max_invocations_per_second_per_instance": 100, "max_cross_region_percent_per_endpoint": 50}
ASYNC = {"output_config": {"s3_output_path": "s3://a/answers/"}}
UNROUTED = {"variants[0].routing_config": {"routing_strategy": "RANDOM"}}
FREQUENCY = "metrics_config.metric_publish_frequency_in_seconds"
SMALL = {"source": {"s3_archive": "s3://models/small.tar.gz"}}

CASES = [
    error("WR701", "cross_region_traffic_config", SERVERLESS, {"cross_region_traffic_config": ELSEWHERE}, {}),
    error(
        "WR701",
        "cross_region_traffic_config",
        ONE_MODEL,
        {**UNROUTED, "cross_region_traffic_config": ELSEWHERE, "async_inference_config": ASYNC},
        {**UNROUTED, "cross_region_traffic_config": ELSEWHERE},
    ),
    warning("WR702", FREQUENCY, ONE_MODEL, {FREQUENCY: 10}, {FREQUENCY: 60}),
    warning(
        "WR702",
        FREQUENCY,
        ONE_MODEL,
        {FREQUENCY: 300},
        {FREQUENCY: 300, "metrics_config.enable_enhanced_metrics": True},
    ),
    error("WR703", "tags.AWS:team", ONE_MODEL, {"tags": {"AWS:team": "chat"}}, {"tags": {"team": "chat"}}),
    warning(
        "WR704",
        "models.small",
        ONE_MODEL,
        {"models": {"small": SMALL}},
        {"models": {"small": SMALL}, "variants[0].model_name": "small"},
    ),
    error(
        "WR901",
        "silence[0].id",
        ONE_MODEL,
        {"silence": [{"id": "WR101", "reason": "not here"}]},
        {"silence": [{"id": "WR103", "reason": "not here"}]},
    ),
    error(
        "WR901",
        "silence[0].id",
        ONE_MODEL,
        {"silence": [{"id": "WR999", "reason": "not here"}]},
        {"silence": [{"id": "WR103", "reason": "not here"}]},
    ),
]
