"""Helpers around the clients that applications already use.

- ``warmroute.client.sagemaker``: boto3 and aiobotocore clients send canonical JSON and a PrefixAwareId.
- ``warmroute.client.chat``: chat requests over those clients, with typed replies and streamed text.
- ``warmroute.client.openai``: openai clients of SageMaker's OpenAI-compatible API.
- ``warmroute.client.ids``: ids that do not show whom they stand for.
- ``warmroute.client.testing``: an endpoint that answers offline and records routing keys, for tests.
"""
