"""Files of recorded traffic in S3."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any, BinaryIO

from warmroute.errors import MissingExtraError
from warmroute.traffic.errors import TrafficError
from warmroute.traffic.sources.named import Source, is_shown, printable
from warmroute.traffic.sources.streams import buffered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATTERN = re.compile(r"[*?\[]")


def find_objects(uri: str) -> Iterator[Source]:
    """The objects that an ``s3://bucket/key``, ``s3://bucket/folder`` or ``s3://bucket/pattern`` stands for.

    A folder ends at a ``/``: ``s3://bucket/chat`` is not ``chat-2/``. In a pattern, ``*`` matches ``/`` too.

    Raises:
        TrafficError: The bucket cannot be listed.
        MissingExtraError: No ``smart_open``.
    """
    try:
        import smart_open  # noqa: F401 - to fail before anything is listed.
    except ImportError:
        raise MissingExtraError("Reading traffic from S3", "analysis") from None
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    if not bucket:
        raise TrafficError(f"{uri}: no bucket is named.", "Give s3://bucket/folder.")
    client = _client(uri)
    for found in _keys(client, uri, bucket, key):
        yield Source(f"s3://{bucket}/{found}", _opener(client, bucket, found))


def _keys(client: Any, uri: str, bucket: str, key: str) -> Iterator[str]:
    if next(_listed(client, uri, bucket, key), None) == key:  # The first of those that begin so.
        yield key
    elif pattern := _PATTERN.search(key):
        yield from fnmatch.filter(_listed(client, uri, bucket, key[: pattern.start()]), key)
    else:
        folder = f"{key.rstrip('/')}/" if key else ""
        yield from (found for found in _listed(client, uri, bucket, folder) if is_shown(found.removeprefix(folder)))


def _client(uri: str) -> Any:
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        return boto3.client("s3")
    except (BotoCoreError, ValueError) as error:
        raise _refused(uri, error) from None


def _listed(client: Any, uri: str, bucket: str, prefix: str) -> Iterator[str]:
    """Keys in their order, those of empty objects left out: they mark folders."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            contents = page.get("Contents", ())
            yield from (each["Key"] for each in contents if each["Size"] and not each["Key"].endswith("/"))
    except (BotoCoreError, ClientError) as error:
        raise _refused(uri, error) from None


def _opener(client: Any, bucket: str, key: str) -> Callable[[], BinaryIO]:
    uri = f"s3://{bucket}/{key}"

    def opened() -> BinaryIO:
        from botocore.exceptions import BotoCoreError, ClientError
        from smart_open import s3

        try:  # By its key: a URI would lose tabs and line breaks.
            stream = s3.open(bucket, key, "rb", client=client)
        except (BotoCoreError, ClientError, OSError) as error:
            raise _refused(uri, error) from None

        def take(size: int) -> bytes:
            try:
                return bytes(stream.read(size))
            except (BotoCoreError, ClientError, OSError) as error:
                raise _refused(uri, error) from None

        return buffered(take)

    return opened


def _refused(uri: str, error: Exception) -> TrafficError:
    return TrafficError(
        f"{printable(uri)}: {error}.", "Check the name, the region and the permission to list and read it."
    )
