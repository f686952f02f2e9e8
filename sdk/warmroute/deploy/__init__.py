"""Deploys a spec through AWS's API: create or update, wait, verify."""

from warmroute.deploy.deployment import Deployment, Outcome, Result
from warmroute.deploy.progress import Progress

__all__ = ["Deployment", "Outcome", "Progress", "Result"]
