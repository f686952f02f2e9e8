"""vLLM servers on this machine: started, watched, started again and ended by the local endpoint."""

from warmroute.local.engines.vllm.engines import VllmEngines
from warmroute.local.engines.vllm.interpreter import vllm_interpreter

__all__ = ["VllmEngines", "vllm_interpreter"]
