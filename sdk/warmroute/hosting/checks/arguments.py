"""Checks of vLLM's arguments: what would be lost on their way through the container's variables (WR3..)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from warmroute.errors import Severity
from warmroute.field_errors import show
from warmroute.hosting.containers import MAX_VARIABLE_LENGTH, MAX_VARIABLES, MAX_VARIABLES_BYTES
from warmroute.hosting.environment import ENVIRONMENT_PREFIX
from warmroute.hosting.models import Model
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.vllm import VllmContainer, VllmSettings, variable_of
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENTRYPOINT = "AWS deep learning containers: sagemaker_args.py"
_NEGATIVE = f"{ENVIRONMENT_PREFIX}NO_"


@rule("WR303", Severity.ERROR, on=VllmSettings, source=_ENTRYPOINT)
def values_that_the_container_passes_on(settings: VllmSettings) -> Iterator[Problem]:
    """What the container drops, turns into a bare flag or takes apart does not reach vLLM as it is written."""
    for name, value in settings.arguments().items():
        remedy = _remedy(value)
        if remedy:
            yield problem(_path(name), f"{show(value)} does not reach vLLM as a value.", remedy)


def _path(argument: str) -> str:
    return argument if argument in VllmSettings.model_fields else f"other_arguments.{argument}"


def _remedy(value: Any) -> str:
    """What to write instead of a value that vLLM would not get, or nothing for one that it gets."""
    return next((remedy for is_lost, remedy in _LOSSES if is_lost(value)), "")


def _has_too_many_digits(value: Any) -> bool:
    try:
        str(value)
    except ValueError:
        return True
    return False


def _says_nothing(value: Any) -> bool:
    return value is None or value == []


def _is_read_as_a_flag(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in {"", "true", "false"}


def _is_read_as_an_option(value: Any) -> bool:
    words = value if isinstance(value, (list, tuple)) else [value]
    return any(str(word).startswith("-") and not _is_negative_number(word) for word in words)


def _is_negative_number(word: Any) -> bool:
    # argparse does not know those with an exponent.
    return not isinstance(word, str) and re.fullmatch(r"-\d+|-\d*\.\d+", str(word)) is not None


def _is_an_array(value: Any) -> bool:
    if not isinstance(value, str) or (value.strip()[:1], value.strip()[-1:]) != ("[", "]"):
        return False
    try:
        json.loads(value)
    except ValueError:
        return False
    except RecursionError:  # The container would end on it.
        return True
    return True


def _is_several_objects(value: Any) -> bool:
    decoder, rest, found = json.JSONDecoder(), value.strip() if isinstance(value, str) else "", 0
    while rest.startswith("{"):
        try:
            _, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return False
        rest, found = rest[end:].lstrip(), found + 1
    return not rest and found > 1


_LOSSES = (
    (_has_too_many_digits, "The container's Python reads whole numbers of up to 4,300 digits."),
    (_says_nothing, "Leave the argument out to keep vLLM's default."),
    (
        _is_read_as_a_flag,
        "Write true or false without quotes for a flag; leave the argument out to keep vLLM's default.",
    ),
    (_is_read_as_an_option, "vLLM takes a word that begins with - for its next option; write it without."),
    (_is_an_array, "The container makes a word of each item; write a list, without quotes."),
    (_is_several_objects, "The container makes a word of each object; write a list of mappings, without quotes."),
)


@rule("WR304", Severity.ERROR, on=VllmSettings, source="one argument has one value")
def no_argument_twice(settings: VllmSettings) -> Iterator[Problem]:
    """An argument that is set elsewhere too, also in its no_ form, has two values."""
    others = settings.other_arguments or {}
    for name in others:
        argument = name.removeprefix("no_")
        at = f"other_arguments.{name}"
        if argument in VllmSettings.model_fields:
            yield problem(at, "is an argument of its own.", f"Write it as vllm.{argument}.")
        elif argument in _SET_ELSEWHERE:
            yield problem(at, f"is set by {_SET_ELSEWHERE[argument]}.", "Leave it out.")
        elif argument != name and argument in others:
            yield problem(at, f"contradicts or repeats {argument}.", "Keep one of the two.")


_SET_ELSEWHERE = {"model": "the model's source", "port": "the container"}


@rule("WR305", Severity.ERROR, on=VllmContainer, source="one variable has one value")
def no_variable_twice(container: VllmContainer) -> Iterator[Problem]:
    """A variable that repeats an engine setting, also in its NO_ form, would override it silently."""
    given = container.environment or {}
    settings = {_argument(variable) for variable in container.vllm.environment()}
    settings |= {"MODEL"} if container.source.hugging_face else set()
    for variable in given:
        at = f"environment.{variable}"
        if not variable.startswith(ENVIRONMENT_PREFIX):
            continue
        if _argument(variable) in settings:
            yield problem(at, "is also set by vllm or source.", "Keep one of the two; vllm is checked.")
        elif _argument(variable) == "PORT":
            yield problem(at, "is set by the container.", "Leave it out.")
        elif variable.startswith(_NEGATIVE) and ENVIRONMENT_PREFIX + _argument(variable) in given:
            yield problem(
                at, f"contradicts or repeats {ENVIRONMENT_PREFIX}{_argument(variable)}.", "Keep one of the two."
            )


def _argument(variable: str) -> str:
    return variable.removeprefix(ENVIRONMENT_PREFIX).removeprefix("NO_")


@rule("WR306", Severity.WARNING, on=EndpointSpec, source=_ENTRYPOINT)
def false_is_dropped(spec: EndpointSpec) -> Iterator[Problem]:
    """A variable that says false is dropped by the container, so vLLM's default stays in force."""
    for path, variables in _all_environments(spec):
        for variable, value in variables.items():
            if variable.startswith(ENVIRONMENT_PREFIX) and value.strip().lower() == "false":
                negative = f"{_NEGATIVE}{variable.removeprefix(ENVIRONMENT_PREFIX)}"
                yield problem(f"{path}.{variable}", "is dropped by the container.", f"Set {negative} to true instead.")


def _all_environments(spec: EndpointSpec) -> Iterator[tuple[str, Mapping[str, str]]]:
    for path, model in spec.models_by_path.items():
        if isinstance(model, VllmContainer):
            yield f"{path}.environment", model.environment or {}
        elif isinstance(model, Model):
            for position, container in enumerate(model.all_containers):
                at = "primary_container" if model.primary_container and position == 0 else f"containers[{position}]"
                yield f"{path}.{at}.environment", container.environment or {}
    for position, component in enumerate(spec.inference_components or ()):
        for at, each in component.specifications_by_path:
            if each.container:
                yield f"inference_components[{position}].{at}.container.environment", each.container.environment or {}


@rule("WR312", Severity.ERROR, on=VllmContainer, source="botocore ContainerDefinition: Environment")
def variables_that_sagemaker_takes(container: VllmContainer) -> Iterator[Problem]:
    """Arguments travel as environment variables, of which a container has so many and so much."""
    variables = container.all_variables()
    if len(variables) > MAX_VARIABLES:
        yield problem(
            "", f"The container has {len(variables)} variables.", f"SageMaker takes {MAX_VARIABLES}; leave some out."
        )
    paths = {variable_of(name, value): f"vllm.{_path(name)}" for name, value in container.vllm.arguments().items()}
    for variable, value in container.vllm.environment().items():  # The types of the others limit their length.
        longest = max(len(variable), len(value))
        if longest > MAX_VARIABLE_LENGTH:
            yield problem(
                paths[variable],
                f"The variable has {longest:,} characters.",
                f"SageMaker takes {MAX_VARIABLE_LENGTH:,}; put longer text into a file and give its path.",
            )
    size = sum(len(text.encode(errors="surrogatepass")) for pair in variables.items() for text in pair)
    if size > MAX_VARIABLES_BYTES:
        yield problem(
            "",
            f"The container's variables have {size:,} bytes.",
            f"SageMaker takes {MAX_VARIABLES_BYTES:,} for all names and values together; shorten some.",
        )
