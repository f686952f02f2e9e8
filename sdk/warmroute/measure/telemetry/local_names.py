"""What the local endpoint calls its metrics, and where they are; it exposes them under these names."""

METRICS_PATH = "/_warmroute/metrics"

IN_SERVICE = "warmroute_instance_in_service"
ENGINE = "warmroute_engine_info"
REQUESTS = "warmroute_requests_total"
OVERFLOW_REQUESTS = "warmroute_overflow_requests_total"
QUERIED_TOKENS = "warmroute_prefix_cache_queries_total"
HIT_TOKENS = "warmroute_prefix_cache_hits_total"
WAITING = "warmroute_requests_waiting"
KV_CACHE_USAGE = "warmroute_kv_cache_usage_ratio"
TTFT = "warmroute_time_to_first_token_seconds"
