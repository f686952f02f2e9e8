"""Media that fail while they are read or written, and missing packages: one message each."""

from __future__ import annotations

import errno
import io
import sys

import boto3
import pytest
from moto import mock_aws

from warmroute.errors import MissingExtraError
from warmroute.traffic import Rejects, TrafficError, read_traffic
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.lines import line_batches
from warmroute.traffic.digest.write import replacing
from warmroute.traffic.entries.entry import entries
from warmroute.traffic.sources.named import Source, find_sources

LINE = b'{"prompt": "1"}\n'
FAILED = r"^a\.jsonl: reading failed: Input/output error\. Check the file and its medium\.$"


class Failing(io.RawIOBase):
    """A medium that gives one line and then fails."""

    def __init__(self):
        self.coming = [LINE]

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.coming:
            raise OSError(errno.EIO, "Input/output error")
        data = self.coming.pop()
        buffer[: len(data)] = data
        return len(data)


SOURCE = Source("a.jsonl", lambda: io.BufferedReader(Failing()))


def test_a_medium_that_fails_is_named():
    with pytest.raises(TrafficError, match=FAILED):
        list(entries(SOURCE, Rejects()))
    with pytest.raises(TrafficError, match=FAILED):
        list(line_batches([SOURCE], 1_000))


def test_a_digest_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    def write():
        with replacing(tmp_path / "digest") as unfinished:
            unfinished.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DigestError, match="the digest cannot be written: No space left"):
        write()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("package", "name"), [("zstandard", "a.zst"), ("smart_open", "s3://captures/a")])
def test_a_package_that_is_missing_is_named_by_its_extra(tmp_path, monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd....")

    with pytest.raises(MissingExtraError, match=r"warmroute\[analysis\]"):
        list(read_traffic(name))


def test_an_object_that_goes_while_it_is_read_is_named(monkeypatch):
    for setting in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{setting}", "k")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="captures")
        client.put_object(Bucket="captures", Key="a", Body=LINE)
        (source,) = find_sources("s3://captures/a")
        client.delete_object(Bucket="captures", Key="a")

        with pytest.raises(TrafficError, match=r"^s3://captures/a: .*Check the name, the region and the permission"):
            source.open().read()


def test_settings_of_aws_that_are_wrong_are_told_with_what_was_to_be_read(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    with pytest.raises(TrafficError, match=r"^s3://captures/a: The config profile \(nobody\) could not be found"):
        find_sources("s3://captures/a")
