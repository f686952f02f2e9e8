"""A fleet behind an endpoint: routing strategies, KV caches and engines, and their simulation in virtual time.

Strategies, caches and engines hold no clock: the local endpoint drives the same ones in real time.
"""

from warmroute.fleet.config import AddInstances, FleetConfig, LoseInstance, RemoveInstances
from warmroute.fleet.cost_model import LLAMA_3_1_70B_8XH100, CostModel
from warmroute.fleet.engine import Engine, RequestRefusedError, Step
from warmroute.fleet.kv_cache import BlockTable, KvCache
from warmroute.fleet.placement import Pick, Target, anywhere, least_outstanding, rendezvous
from warmroute.fleet.profile import EngineProfile, load_profile
from warmroute.fleet.prompt import BLOCK_SIZE, Prompt, prompt_blocks
from warmroute.fleet.prompt_tree import PromptPieces, share_prompts
from warmroute.fleet.result import Percentiles, RequestRecord, SimulationResult, Summary
from warmroute.fleet.sequence import Advance, EngineRequest
from warmroute.fleet.simulate import simulate
from warmroute.fleet.strategies import (
    Choice,
    KvAware,
    LeastOutstandingRequests,
    PrefixAware,
    Random,
    RoundRobin,
    RoutingRequest,
    Strategy,
    strategy_for,
)
from warmroute.fleet.workload import ClosedLoop, FleetRequest

__all__ = [
    "BLOCK_SIZE",
    "LLAMA_3_1_70B_8XH100",
    "AddInstances",
    "Advance",
    "BlockTable",
    "Choice",
    "ClosedLoop",
    "CostModel",
    "Engine",
    "EngineProfile",
    "EngineRequest",
    "FleetConfig",
    "FleetRequest",
    "KvAware",
    "KvCache",
    "LeastOutstandingRequests",
    "LoseInstance",
    "Percentiles",
    "Pick",
    "PrefixAware",
    "Prompt",
    "PromptPieces",
    "Random",
    "RemoveInstances",
    "RequestRecord",
    "RequestRefusedError",
    "RoundRobin",
    "RoutingRequest",
    "SimulationResult",
    "Step",
    "Strategy",
    "Summary",
    "Target",
    "anywhere",
    "least_outstanding",
    "load_profile",
    "prompt_blocks",
    "rendezvous",
    "share_prompts",
    "simulate",
    "strategy_for",
]
