"""Prefix-aware routing for LLM endpoints on Amazon SageMaker: configure it, deploy it, run it on a laptop."""
