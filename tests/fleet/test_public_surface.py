from __future__ import annotations

from warmroute import fleet


def test_the_public_names_are_these():
    assert fleet.__all__ == [
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
    assert all(hasattr(fleet, name) for name in fleet.__all__)
