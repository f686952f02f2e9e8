"""Bearer tokens of the OpenAI-compatible API, made by AWS's own generator."""

from __future__ import annotations

from botocore.credentials import CredentialProvider, Credentials
from sagemaker.core.token_generator import generate_token


class _Provider(CredentialProvider):
    METHOD = "test"

    def load(self) -> Credentials:
        return Credentials("local", "local")


def bearer_token() -> str:
    return str(generate_token(region="us-east-1", aws_credentials_provider=_Provider()))
