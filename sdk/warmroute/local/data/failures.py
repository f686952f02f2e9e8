"""What the data plane answers when it cannot serve: the codes, statuses and bodies of SageMaker's runtime API."""

from __future__ import annotations

import orjson
from starlette.responses import Response


class Refusal(Exception):  # noqa: N818 - an answer, not a fault of this program.
    """A request that is answered with an error.

    Args:
        code: Error code of the API, for example ``ValidationError``.
        status: HTTP status.
        message: What is wrong.
        details: Further fields of the error's body.
    """

    def __init__(self, code: str, status: int, message: str, **details: str | int) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.body = {"Message": message, "message": message, **details}

    def response(self) -> Response:
        """The error as an HTTP response that boto3 turns into a ClientError of the code."""
        return Response(
            orjson.dumps(self.body),
            status_code=self.status,
            media_type="application/json",
            headers={"x-amzn-errortype": self.code},
        )


def invalid(message: str) -> Refusal:
    """SageMaker itself refuses the request."""
    return Refusal("ValidationError", 400, message)


def model_error(status: int, message: str) -> Refusal:
    """The container refuses the request, or does not answer.

    Args:
        status: HTTP status of the container's answer; 0 where none came.
        message: Body of the container's answer, or why none came.
    """
    side = "client" if 400 <= status < 500 else "server"
    text = f'Received {side} error ({status}) from primary with message "{message}".'
    return Refusal("ModelError", 424, text, OriginalStatusCode=status, OriginalMessage=message)


def unavailable(message: str) -> Refusal:
    """Nothing can serve the request now; botocore tries again."""
    return Refusal("ServiceUnavailable", 503, message)


def unknown_operation(method: str, path: str) -> Refusal:
    """The data plane has nothing there."""
    return Refusal("UnknownOperationException", 404, f"There is no operation {method} {path} of the data plane.")


def internal_failure() -> Refusal:
    """A fault of this program, which has said more where it runs."""
    return Refusal("InternalFailure", 500, "The local endpoint failed; its own output tells why.")
