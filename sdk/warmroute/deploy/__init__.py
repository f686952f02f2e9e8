"""Deploys a spec through AWS's API: plan, create or update, wait, verify, clean up."""

from warmroute.deploy.account.configurations import Configuration
from warmroute.deploy.deployed import DeployedEndpoint
from warmroute.deploy.deployment import Deployment
from warmroute.deploy.importing.imported import Imported
from warmroute.deploy.plan import Action, Change, FieldChange, InstanceCount, Kind, Plan, Rollout
from warmroute.deploy.prices import HourlyCost, Prices, load_prices
from warmroute.deploy.progress import Progress, VariantProgress
from warmroute.deploy.results import Outcome, Result
from warmroute.deploy.status import ComponentStatus, ScalingStatus, Status, VariantStatus

__all__ = [
    "Action",
    "Change",
    "ComponentStatus",
    "Configuration",
    "DeployedEndpoint",
    "Deployment",
    "FieldChange",
    "HourlyCost",
    "Imported",
    "InstanceCount",
    "Kind",
    "Outcome",
    "Plan",
    "Prices",
    "Progress",
    "Result",
    "Rollout",
    "ScalingStatus",
    "Status",
    "VariantProgress",
    "VariantStatus",
    "load_prices",
]
