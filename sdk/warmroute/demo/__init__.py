"""The main job in one run: a spec validated, applied and served on this machine, under two routing strategies."""

from warmroute.demo.conversations import generated_requests
from warmroute.demo.interleaving import interleaved
from warmroute.demo.real_vllm import in_small, vllm_engines
from warmroute.demo.recorded import recorded_requests
from warmroute.demo.report import report_notes, report_rows
from warmroute.demo.run import run_demo
from warmroute.demo.spec import example_spec, example_spec_text
from warmroute.demo.summary import Summary

__all__ = [
    "Summary",
    "example_spec",
    "example_spec_text",
    "generated_requests",
    "in_small",
    "interleaved",
    "recorded_requests",
    "report_notes",
    "report_rows",
    "run_demo",
    "vllm_engines",
]
