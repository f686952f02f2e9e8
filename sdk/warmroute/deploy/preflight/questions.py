"""Questions to an account that may stay without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.faults import code_of
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.account.aws import Aws


class Questions:
    """Asks an account, and remembers what it would not say.

    Args:
        aws: The account and region.
    """

    def __init__(self, aws: Aws) -> None:
        self._aws = aws
        self.unanswered: list[str] = []
        """What could not be asked and why, a phrase each."""

    def ask(self, about: str, service: str, operation: str, **parameters: Any) -> dict[str, Any] | None:
        """The answer to one question, or None where there is none; then it is noted.

        Args:
            about: What the question is about, as the notes call it.
            service: boto3's name of the service.
            operation: boto3's name of the method.
            parameters: Its parameters.
        """
        try:
            return self._aws.call(service, operation, **parameters)
        except DeploymentError as error:
            self.note(about, error.message)
        except NotImplementedError as error:  # moto in this process, which lacks the service.
            self.note(about, str(error))
        return None

    def exists(self, about: str, missing: frozenset[str], service: str, operation: str, **parameters: Any) -> bool:
        """Whether something exists; also true where nobody says, which is noted.

        Args:
            about: What the question is about, as the notes call it.
            missing: Error codes that mean that it does not exist.
            service: boto3's name of the service.
            operation: boto3's name of the method that looks at it.
            parameters: Its parameters.
        """
        try:
            self._aws.call(service, operation, **parameters)
        except DeploymentError as error:
            if code_of(error) in missing:
                return False
            self.note(about, error.message)
        except NotImplementedError as error:  # As above.
            self.note(about, str(error))
        return True

    def pages(
        self, about: str, service: str, operation: str, items: str, **parameters: Any
    ) -> Iterator[list[dict[str, Any]] | None]:
        """The pages of a list, each as its items; None as the last one where the account stops answering.

        Args:
            about: What the question is about, as the notes call it.
            service: boto3's name of the service.
            operation: boto3's name of the method.
            items: The answer's field that holds the items of a page.
            parameters: Its parameters.
        """
        page: dict[str, Any] = {}
        while True:
            answer = self.ask(about, service, operation, **parameters, **page)
            if answer is None:
                yield None
                return
            yield answer[items]
            if not answer.get("NextToken"):
                return
            page = {"NextToken": answer["NextToken"]}

    def note(self, about: str, why: str) -> None:
        """Remember that something could not be asked."""
        self.unanswered.append(f"{about} ({why.rstrip('.')})")
