"""Where the stack engine is attached to moto's CloudFormation: every call of it is answered here, or by nobody.

Like the control plane's registry, the stacks live in the ``__dict__`` of moto's backend, which a reset empties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import moto.cloudformation.models as moto_models
import moto.cloudformation.parsing as moto_parsing
import moto.utilities.utils as moto_utils
from moto.cloudformation.models import CloudFormationBackend, cloudformation_backends
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.responses import ActionResult, EmptyResult
from moto.core.utils import camelcase_to_underscores

from warmroute.local.cloudformation import change_sets, drift, operations, queries
from warmroute.local.cloudformation.api import Api
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.stacks import Stacks
from warmroute.local.control.hooks import BEFORE_CALLS, ApiError
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.local.cloudformation.operations import Request, Response

OPERATIONS: dict[str, Callable[[Stacks, Request], Response]] = {
    "CreateStack": operations.create_stack,
    "UpdateStack": operations.update_stack,
    "DeleteStack": operations.delete_stack,
    "CancelUpdateStack": operations.cancel_update_stack,
    "ContinueUpdateRollback": operations.continue_update_rollback,
    "RollbackStack": operations.rollback_stack,
    "UpdateTerminationProtection": operations.update_termination_protection,
    "SetStackPolicy": operations.set_stack_policy,
    "GetStackPolicy": operations.get_stack_policy,
    "CreateChangeSet": change_sets.create_change_set,
    "DescribeChangeSet": change_sets.describe_change_set,
    "DescribeChangeSetHooks": change_sets.describe_change_set_hooks,
    "ListChangeSets": change_sets.list_change_sets,
    "DeleteChangeSet": change_sets.delete_change_set,
    "ExecuteChangeSet": change_sets.execute_change_set,
    "DescribeStacks": queries.describe_stacks,
    "ListStacks": queries.list_stacks,
    "DescribeStackEvents": queries.describe_stack_events,
    "DescribeStackResource": queries.describe_stack_resource,
    "DescribeStackResources": queries.describe_stack_resources,
    "ListStackResources": queries.list_stack_resources,
    "GetTemplate": queries.get_template,
    "GetTemplateSummary": queries.get_template_summary,
    "ValidateTemplate": queries.validate_template,
    "ListExports": queries.list_exports,
    "ListImports": queries.list_imports,
    "DetectStackDrift": drift.detect_stack_drift,
    "DetectStackResourceDrift": drift.detect_stack_resource_drift,
    "DescribeStackDriftDetectionStatus": drift.describe_stack_drift_detection_status,
    "DescribeStackResourceDrifts": drift.describe_stack_resource_drifts,
}
"""What answers each call."""

RELIED_ON: tuple[tuple[object, str], ...] = (
    (CloudFormationResponse, "cloudformation_backend"),
    (CloudFormationResponse, "RESPONSE_KEY_PATH_TO_TRANSFORMER"),
    (moto_models, "CloudFormationBackend"),
    (moto_parsing, "get_model_map"),
    (BotocoreStubber, "__call__"),
    (moto_utils, "get_partition"),
)
"""Everything of moto's that is replaced, wrapped or called, as owner and name."""

_ATTACHED = "warmroute_attached"
_STACKS = "warmroute_stacks"
_KEPT = {"cfnresponse", "cloudformation_backend", "dispatch", "setup_class", "call_action", "parse_parameters"}


def attach() -> None:
    """Replace moto's calls; a second call changes nothing."""
    if hasattr(CloudFormationResponse, _ATTACHED):
        return
    response: Any = CloudFormationResponse
    own = {name for name in vars(response) if not name.startswith("_") and callable(vars(response)[name])}
    for name in own - _KEPT:
        delattr(response, name)  # Of stack sets for example, which would be stacks of moto's own engine.
    for action in OPERATIONS:
        setattr(response, camelcase_to_underscores(action), _answer(action))
    response.RESPONSE_KEY_PATH_TO_TRANSFORMER = {}
    BEFORE_CALLS.append(_settle_at)
    setattr(response, _ATTACHED, True)


def stacks_of(backend: CloudFormationBackend) -> Stacks:
    """The stacks of a moto backend, made when they are first needed and gone with the backend's next reset."""
    state: dict[str, Any] = backend.__dict__
    found: Stacks | None = state.get(_STACKS)
    if found is None:
        made = Stacks(Api(backend.account_id, backend.region_name), backend.partition)
        found = state.setdefault(_STACKS, made)
    return found


def settle_all() -> bool:
    """Let everything under way in every account go on, as it does by itself in AWS.

    Returns:
        Whether something still is.
    """
    in_progress = False
    for regions in list(dict.values(cloudformation_backends)):
        for region, backend in list(dict.items(regions)):
            _settle(regions, region)
            stacks: Stacks | None = backend.__dict__.get(_STACKS)
            if stacks is not None:
                in_progress |= any(stack.in_progress for stack in list(stacks.stacks.values()))
    return in_progress


def _settle_at(account: str, region: str) -> None:
    """Let stacks go on before anybody looks at what they make."""
    regions: Any = dict.get(cloudformation_backends, account)
    if regions is not None:
        _settle(regions, region)


def _settle(regions: Any, region: str) -> None:
    backend = dict.get(regions, region)
    found: Stacks | None = backend.__dict__.get(_STACKS) if backend is not None else None
    # Who has the lock is settling them already.
    if found is not None and found.lock.acquire(blocking=False):
        try:
            found.settle()
        finally:
            found.lock.release()


def _answer(action: str) -> Callable[[Any], ActionResult]:
    def answer(self: Any) -> ActionResult:
        stacks = stacks_of(self.cloudformation_backend)
        try:
            with stacks.lock:
                stacks.settle()
                response = OPERATIONS[action](stacks, self.params)
        except RefusedError as refused:
            raise ApiError(refused.code, refused.message) from None
        except ResourceFailedError as failed:
            raise ApiError("ValidationError", failed.reason) from None
        return ActionResult(response) if response else EmptyResult()

    return answer
