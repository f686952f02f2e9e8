"""Lines of SageMaker Data Capture as requests: written once, for every engine."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from warmroute.traffic.digest.arrival import instant
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.entries.lines import NO_OBJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.traffic.digest.engines.functions import Functions
    from warmroute.traffic.digest.engines.query import Query

LINES = {"source": "string", "line": "int64", "data": "string", "fault": "string"}
"""The columns of lines, with Ibis's names of their types: the file, a number that grows along it, the line's text, and
why it could not be read, or null."""

SESSION_FIELDS = ("inferenceId", "customAttributes")
"""Where a capture may tell the session: only the application knows what it sends there."""


def captured_requests(lines: Any, query: Query, session: str = "") -> Any:
    """The requests of captured lines.

    A body's text is that of its ``messages``, or of ``prompt`` or ``inputs``, each a string or a list of strings; what
    comes before it is made of ``cache_salt``, ``tools`` and the other fields that a chat template shows first. Tokens
    are those that the answer's ``usage`` tells, where it is JSON.

    Args:
        lines: A table in Ibis with the columns ``LINES``.
        query: What steps are added to.
        session: The field of a call that names its session.

    Returns:
        A table in Ibis with the columns of ``request_columns``; lines that are no request have a ``reject``, blank
        ones an empty one.
    """
    functions = query.functions
    fields = query.step("fields", _fields(lines, functions, session))
    bodies = query.step("bodies", _bodies(fields, functions))
    texts = query.step("texts", _texts(bodies, functions))
    prompts = query.step("prompts", _prompts(texts, functions))
    return _sound(query.step("requests", _requests(prompts, functions)), functions)


def checked_session(field: str) -> str:
    """A field that may tell the session, or none.

    Raises:
        DigestError: It is another one.
    """
    if field and field not in SESSION_FIELDS:
        raise DigestError(f"{field} is no field for the session.", f"Use {' or '.join(SESSION_FIELDS)}.")
    return field


_INPUT, _OUTPUT, _EVENT = "$.captureData.endpointInput", "$.captureData.endpointOutput", "$.eventMetadata"
_LINE = {
    "data": f"{_INPUT}.data",
    "encoding": f"{_INPUT}.encoding",
    "output": f"{_OUTPUT}.data",
    "output_encoding": f"{_OUTPUT}.encoding",
    "request": f"{_EVENT}.eventId",
    "time": f"{_EVENT}.inferenceTime",
}
_BEFORE = ("cache_salt", "tools", "functions", "documents", "chat_template", "chat_template_kwargs")
"""Fields that a chat template shows before the messages, or that part the KV caches of equal prompts."""


def _fields(lines: Any, functions: Functions, session: str) -> Any:
    """The fields of a line, as texts."""
    import ibis

    data = functions.sound_json(lines.data)
    paths = {**_LINE, **({"session": f"{_EVENT}.{session}"} if session else {})}
    values = dict(zip(paths, functions.json_values(data, list(paths.values())), strict=True))
    is_object = functions.is_json_object(data)
    fault = ibis.cases(
        (lines.data.fill_null("").strip() == "", ""),
        (is_object.isnull(), "not JSON"),
        (~is_object, NO_OBJECT),
        else_="no input was captured",
    )
    (kind,) = functions.json_kinds(data, [_LINE["data"]])
    reject = ibis.cases(
        (lines.fault.notnull(), lines.fault),
        (values["data"].isnull(), fault),
        (kind != functions.text_kind, "captured data are not a text"),
    )
    return lines.select("source", "line", reject=reject, **{"session": ibis.literal(""), **values})


def _bodies(fields: Any, functions: Functions) -> Any:
    """The body, to the byte, and when it came."""
    import ibis

    data = ibis.ifelse(fields.reject.isnull(), fields.data, ibis.null("string"))
    arrival = instant(fields.time)
    return fields.mutate(
        data=data,
        has_time=fields.time.notnull(),
        arrival_seconds=arrival.seconds,
        arrival_resolution_seconds=arrival.resolution_seconds,
        body=ibis.ifelse(fields.encoding == "BASE64", functions.bytes_of_base64(data), functions.bytes_of_text(data)),
    ).drop("time")


def _texts(bodies: Any, functions: Functions) -> Any:
    """The body and the answer as texts, of which JSON is read."""
    import ibis

    json = ibis.ifelse(bodies.encoding == "BASE64", functions.text_of_bytes(bodies.body), bodies.data)
    answer = ibis.ifelse(
        bodies.output_encoding == "BASE64",
        functions.text_of_bytes(functions.bytes_of_base64(bodies.output)),
        bodies.output,
    )
    return bodies.mutate(json=functions.sound_json(json), answer=answer).drop(
        "data", "encoding", "output", "output_encoding"
    )


def _prompts(texts: Any, functions: Functions) -> Any:
    """The fields of the bodies and answers, and of what kind those are that hold a prompt."""
    names = ("model", "prompt_cache_key", *_BEFORE)
    values = functions.json_values(texts.json, [f"$.{name}" for name in names])
    kinds = functions.json_kinds(texts.json, [f"$.{name}" for name in _PROMPTS])
    usage = functions.json_values(texts.answer, [f"$.usage.{name}" for name in _USAGE])
    return texts.mutate(
        **dict(zip(names, values, strict=True)),
        **{f"{name}_kind": kind for name, kind in zip(_PROMPTS, kinds, strict=True)},
        **{f"usage_{name}": value for name, value in zip(_USAGE, usage, strict=True)},
    ).drop("answer")


_PROMPTS = ("messages", "prompt", "inputs")
_USAGE = ("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens")


def _requests(prompts: Any, functions: Functions) -> Any:
    """What the fields tell."""
    import ibis

    reject = ibis.cases(
        (prompts.reject.notnull(), prompts.reject),
        (prompts.body.isnull(), "captured data are not in base64"),
        (prompts.has_time & prompts.arrival_seconds.isnull(), "inferenceTime is not a date and time"),
    )
    return prompts.select(
        *("source", "line", "request", "arrival_seconds", "arrival_resolution_seconds", "body"),
        reject=reject,
        session=prompts.session.fill_null(""),
        prefix_aware_id=prompts.prompt_cache_key.fill_null(""),
        adapter=prompts.model.fill_null(""),
        prompt_root=reduce(add, (_member(name, prompts[name]) for name in _BEFORE)),
        turn=ibis.null("int32"),
        api=ibis.null("string"),
        text=ibis.cases(
            (prompts.messages_kind == functions.list_kind, functions.message_texts(prompts.json)),
            *_text_of_prompt(prompts, "prompt", functions),
            *_text_of_prompt(prompts, "inputs", functions),
        ),
        input_tokens=_count(prompts.usage_prompt_tokens, prompts.usage_input_tokens),
        output_tokens=_count(prompts.usage_completion_tokens, prompts.usage_output_tokens),
        block_hashes=ibis.null("array<int64>"),
        block_tokens=ibis.null("int32"),
    )


def _sound(requests: Any, functions: Functions) -> Any:
    """The requests, those without a prompt rejected."""
    import ibis

    has_tokens = requests.input_tokens.fill_null(0) > 0
    is_empty = requests.text.isnull() & (functions.byte_length(requests.body) == 0) & ~has_tokens
    reject = ibis.cases(
        (requests.reject.notnull(), requests.reject),
        (requests.text == "", "the prompt has no text"),
        (is_empty, "no prompt, nor how many tokens it had"),
    )
    return requests.mutate(reject=reject)


def _member(name: str, value: Any) -> Any:
    """A field and its value, led by the value's length, so that no two sets of fields read the same."""
    import ibis

    told = ibis.literal(f"{name}=").concat(value.length().cast("string"), ":", value)
    return ibis.ifelse(value.isin(["", "[]", "{}"]) | value.isnull(), "", told)


def _text_of_prompt(prompts: Any, name: str, functions: Functions) -> Iterator[tuple[Any, Any]]:
    """Cases of a prompt: a string, or a list of strings as one."""
    path, kind = f"$.{name}", prompts[f"{name}_kind"]
    parts = functions.json_elements(prompts.json, path)

    def is_no_text(part: Any) -> Any:
        (kind,) = functions.json_kinds(part, ["$"])
        return (kind != functions.text_kind).fill_null(True)  # noqa: FBT003

    yield kind == functions.text_kind, functions.json_values(prompts.json, [path])[0]
    yield (
        (kind == functions.list_kind) & (parts.length() > 0) & (parts.filter(is_no_text).length() == 0),
        functions.joined(parts.map(lambda part: functions.json_values(part, ["$"])[0])),
    )


def _count(*values: Any) -> Any:
    """The first value that is there, if it is a whole number of 0 or more."""
    import ibis

    value = ibis.coalesce(*values)
    return ibis.ifelse(value.re_search("^[0-9]{1,18}$"), value.try_cast("int64"), ibis.null("int64"))
