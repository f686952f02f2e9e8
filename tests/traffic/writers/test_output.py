"""A file is there when it is complete, or not at all; standard output and devices are written to as they are."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from pathlib import Path

import pytest
import zstandard

from warmroute.errors import DocumentError, MissingExtraError
from warmroute.traffic.writers.output import opened_output


def write(path, data=b"a\n", **options):
    with opened_output(path, **options) as out:
        out(data)


def test_the_file_appears_once_it_is_complete(tmp_path):
    path = tmp_path / "out.jsonl"
    with opened_output(path) as out:
        out(b"a\n")
        assert not path.exists()
        out(b"b\n")
    assert path.read_bytes() == b"a\nb\n"
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_file_is_made_with_the_usual_rights(tmp_path):
    write(tmp_path / "out.jsonl")
    (tmp_path / "usual").touch()
    assert (tmp_path / "out.jsonl").stat().st_mode == (tmp_path / "usual").stat().st_mode


def _write_and_fail(out, error):
    out(b"a" * 100_000)
    raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_of_a_file_that_is_not_finished(tmp_path, error):
    (tmp_path / "out.jsonl.gz").write_bytes(b"before")
    with pytest.raises(error), opened_output(tmp_path / "out.jsonl.gz", overwrite=True) as out:
        _write_and_fail(out, error)
    assert (tmp_path / "out.jsonl.gz").read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl.gz"]


@pytest.mark.parametrize(("suffix", "read"), [(".gz", gzip.decompress), (".zst", zstandard.decompress)])
def test_a_name_tells_the_compression_and_the_same_lines_give_the_same_bytes(tmp_path, suffix, read):
    data = b"line\n" * 50_000
    for name in ("a", "b"):
        write(tmp_path / f"{name}.jsonl{suffix}", data)
    first, second = ((tmp_path / f"{name}.jsonl{suffix}").read_bytes() for name in ("a", "b"))
    unpacked = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(first)).read() if suffix == ".zst" else read(first)
    assert unpacked == data
    assert first == second
    assert len(first) < len(data) / 50


def test_zstd_without_its_package_says_which_extra_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[analysis\]"):
        write(tmp_path / "out.zst")
    assert not list(tmp_path.iterdir())


def test_a_file_that_exists_is_only_replaced_when_asked(tmp_path):
    path = tmp_path / "out.jsonl"
    write(path, b"a")
    with pytest.raises(DocumentError, match=r"exists.*--force"):
        write(path, b"b")
    assert path.read_bytes() == b"a"
    write(path, b"b", overwrite=True)
    assert path.read_bytes() == b"b"


def test_a_link_goes_on_pointing_to_its_file(tmp_path):
    (tmp_path / "real").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", b"b", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"b"


@pytest.mark.parametrize("name", ["none/out", "file/out", "nul\0", ".", "x" * 300])
def test_a_place_that_cannot_be_written_is_one_message(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(DocumentError, match=r": .*\. "):
        write(tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full, of Linux")
@pytest.mark.parametrize("data", [b"a", b"a" * 10_000_000])
def test_a_full_device_is_one_message(data):
    with pytest.raises(DocumentError, match=os.strerror(errno.ENOSPC)):
        write("/dev/full", data, overwrite=True)
    assert not Path("/dev/full").is_file()


def test_a_device_is_written_to_and_stays_one():
    write(os.devnull)
    assert not Path(os.devnull).is_file()


def test_standard_output_takes_the_lines(capfdbinary):
    write("-", b"a\xff\n")
    assert capfdbinary.readouterr().out == b"a\xff\n"


def test_standard_output_that_is_closed(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(DocumentError, match="Standard output is closed"):
        write("-")
