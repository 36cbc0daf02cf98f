import io
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from project.services.exports import zip_stream as module
from project.services.exports.zip_stream import Member, zip_stream

unzip = pytest.mark.skipif(not shutil.which("unzip"), reason="needs unzip")
AT = datetime(2026, 3, 4, 5, 6, 8, tzinfo=UTC)
CONTENTS = {"a.csv": b"hello " * 100_000, "Übersicht 日本.json": b"[]", "empty.txt": b"", "one/two.txt": b"x"}


def packed(contents: dict[str, bytes]) -> bytes:
    return b"".join(zip_stream((Member(name, pieces(c)) for name, c in contents.items()), at=AT))


def pieces(content: bytes, size: int = 70_000) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


def unpacked(archive: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(archive)) as zipped:
        assert zipped.testzip() is None
        return {name: zipped.read(name) for name in zipped.namelist()}


def says_unzip(archive: bytes, folder: Path) -> str:
    file = folder / "archive.zip"
    file.write_bytes(archive)
    done = subprocess.run(["unzip", "-t", file], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_what_is_packed_comes_out_again() -> None:
    archive = packed(CONTENTS)
    assert unpacked(archive) == CONTENTS
    assert len(archive) < 20_000
    with ZipFile(io.BytesIO(archive)) as zipped:
        assert {info.date_time for info in zipped.infolist()} == {(2026, 3, 4, 5, 6, 8)}
        assert {info.create_version for info in zipped.infolist()} == {20}  # nobody needs zip64 for this


def test_an_archive_of_nothing_is_one() -> None:
    assert unpacked(packed({})) == {}


@unzip
def test_sums_beyond_32_bits_are_written_with_64(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # As if 32 bits held no more than 5,000; the numbers that do not fit stand in the extra fields then.
    small, real = 5_000, 0xFFFFFFFF
    monkeypatch.setattr(module, "LARGEST", small)
    archive = packed({"large.bin": bytes(range(256)) * 4000, "small.txt": b"x" * 100, "last.txt": b"y"})
    # Readers look for the real mark in the directory.
    mark = small.to_bytes(4, "little")
    directory = archive.index(b"PK\1\2")
    archive = archive[:directory] + archive[directory:].replace(mark, real.to_bytes(4, "little"))
    assert {name: len(content) for name, content in unpacked(archive).items()} == {
        "large.bin": 1_024_000,
        "small.txt": 100,
        "last.txt": 1,
    }
    assert "No errors detected" in says_unzip(archive, tmp_path)


def test_more_members_than_16_bits_count() -> None:
    contents = {f"{number}.txt": b"" for number in range(65_536)}
    with ZipFile(io.BytesIO(packed(contents))) as archive:
        assert archive.namelist() == list(contents)


@unzip
def test_an_ordinary_program_finds_no_errors(tmp_path: Path) -> None:
    assert "No errors detected" in says_unzip(packed(CONTENTS), tmp_path)


def test_an_error_leaves_something_that_is_no_archive() -> None:
    def breaks() -> Iterator[bytes]:
        yield b"half"
        raise ZeroDivisionError

    taken = []
    with pytest.raises(ZeroDivisionError):
        taken.extend(zip_stream([Member("a.csv", [b"whole"]), Member("b.csv", breaks())], at=AT))
    assert b"PK\5\6" not in b"".join(taken)


def test_contents_are_read_in_their_turn_and_not_before() -> None:
    def members() -> Iterator[Member]:
        for number in range(3):
            order.append(f"member {number}")
            yield Member(str(number), content(number))

    def content(number: int) -> Iterator[bytes]:
        order.append(f"content {number}")
        yield b"x"

    order: list[str] = []
    list(zip_stream(members(), at=AT))
    assert order == [f"{what} {n}" for n in range(3) for what in ("member", "content")]
