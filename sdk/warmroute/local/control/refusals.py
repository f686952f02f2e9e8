"""How the control plane says no: SageMaker's error codes and, where they are known, its wording."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that SageMaker answers with an error of the client's (HTTP 400).

    Args:
        message: What is wrong with the request.
        code: SageMaker's error code.
    """

    def __init__(self, message: str, code: str = "ValidationException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def not_found(kind: str, arn: str) -> RefusedError:
    """No resource of this kind has the name."""
    return RefusedError(f'Could not find {kind} "{arn}".')


def already_exists(kind: str, arn: str) -> RefusedError:
    """The name is taken."""
    return RefusedError(f'Cannot create already existing {kind} "{arn}".')


def in_progress(kind: str, arn: str, status: str) -> RefusedError:
    """The resource is changing and takes no further change until it is done."""
    return RefusedError(f'Cannot update in-progress {kind} "{arn}": its status is {status}.')
