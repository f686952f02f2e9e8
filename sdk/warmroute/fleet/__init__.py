"""A fleet behind an endpoint: routing strategies, KV caches and engines, none of which holds a clock.

The local endpoint drives them in real time and a simulation in virtual time; the objects are the same.
"""

from warmroute.fleet.cost_model import LLAMA_3_1_70B_8XH100, CostModel
from warmroute.fleet.engine import Engine, EngineRequest, RequestRefusedError, Step
from warmroute.fleet.kv_cache import BLOCK_SIZE, BlockTable, KvCache, Prompt, prompt_blocks
from warmroute.fleet.placement import Pick, Target, anywhere, least_outstanding, rendezvous
from warmroute.fleet.strategies import (
    Choice,
    KvAware,
    LeastOutstandingRequests,
    PrefixAware,
    Random,
    RoutingRequest,
    Strategy,
    strategy_for,
)

__all__ = [
    "BLOCK_SIZE",
    "LLAMA_3_1_70B_8XH100",
    "BlockTable",
    "Choice",
    "CostModel",
    "Engine",
    "EngineRequest",
    "KvAware",
    "KvCache",
    "LeastOutstandingRequests",
    "Pick",
    "PrefixAware",
    "Prompt",
    "Random",
    "RequestRefusedError",
    "RoutingRequest",
    "Step",
    "Strategy",
    "Target",
    "anywhere",
    "least_outstanding",
    "prompt_blocks",
    "rendezvous",
    "strategy_for",
]
