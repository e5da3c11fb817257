"""Archives that somebody else made."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.archives import Limits, unpack


def a_zip(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def a_tar(path: Path, *members: tuple[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("make", [a_zip, a_tar])
def test_files_come_out_as_they_went_in(tmp_path: Path, make: object) -> None:
    archive = make(tmp_path / "a", ("set/corpus.jsonl", b"one"), ("set/qrels/test.tsv", b"two"))  # type: ignore[operator]
    unpack(archive, tmp_path / "out")
    found = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")
    }
    assert found == {"set/corpus.jsonl": b"one", "set/qrels/test.tsv": b"two"}


@pytest.mark.parametrize("make", [a_zip, a_tar])
@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:\\evil"])
def test_a_member_outside_of_the_folder_is_refused(tmp_path: Path, make: object, name: str) -> None:
    archive = make(tmp_path / "a", ("fine", b"1"), (name, b"2"))  # type: ignore[operator]
    with pytest.raises(InvalidInputError, match="lies outside of the archive"):
        unpack(archive, tmp_path / "deep" / "out")
    assert not list(tmp_path.rglob("*evil*"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "a", "w") as archive:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(InvalidInputError, match="'link' is a link or a device"):
        unpack(tmp_path / "a", tmp_path / "out")


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(InvalidInputError, match="'link' is a link or a device"):
        unpack(tmp_path / "a", tmp_path / "out")


@pytest.mark.parametrize("make", [a_zip, a_tar])
def test_a_bomb_is_refused_before_it_has_filled_the_disk(tmp_path: Path, make: object) -> None:
    archive = make(tmp_path / "a", ("zeros", bytes(20_000_000)))  # type: ignore[operator]
    limits = Limits(max_ratio=100, free_bytes=1_000_000)
    most = max(limits.free_bytes, archive.stat().st_size * 100)
    assert most < 20_000_000
    with pytest.raises(InvalidInputError, match=f"unpacks to more than {most:,} bytes, at 'zeros'"):
        unpack(archive, tmp_path / "out", limits)
    assert (tmp_path / "out" / "zeros").stat().st_size <= most


def test_more_bytes_or_files_than_allowed_are_refused(tmp_path: Path) -> None:
    archive = a_zip(tmp_path / "a", ("a", b"12345"), ("b", b"12345"))
    with pytest.raises(InvalidInputError, match="unpacks to more than 9 bytes, at 'b'"):
        unpack(archive, tmp_path / "bytes", Limits(max_bytes=9))
    with pytest.raises(InvalidInputError, match="has more than 1 files"):
        unpack(archive, tmp_path / "files", Limits(max_files=1))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="has 'a' twice"):
        unpack(a_zip(tmp_path / "z", ("a", b"1"), ("a", b"2")), tmp_path / "out")


@pytest.mark.parametrize("make", [a_zip, a_tar])
def test_a_damaged_archive_is_refused(tmp_path: Path, make: object) -> None:
    archive = make(tmp_path / "a", ("a", bytes(range(256)) * 400))  # type: ignore[operator]
    data = bytearray(archive.read_bytes())
    data[60:90] = b"\xff" * 30
    archive.write_bytes(data)
    with pytest.raises(InvalidInputError, match=r"damaged|no zip or tar"):
        unpack(archive, tmp_path / "out")


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("words")
    with pytest.raises(InvalidInputError, match="is no zip or tar archive"):
        unpack(tmp_path / "a", tmp_path / "out")
