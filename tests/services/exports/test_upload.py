"""Uploads: byte-equal, bounded, and nothing left of those that are not finished."""

from collections.abc import Iterator
from hashlib import sha256
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError
from django.conf import settings

from project.services.exports import upload as module
from project.services.exports.upload import PART, Upload
from tests.services.exports.exporting import storage


@pytest.fixture
def folder() -> Iterator[str]:
    folder = f"exports/test/{uuid4()}/"
    yield folder
    for found in storage().found(folder):
        storage().remove(found)


def left(folder: str) -> list[tuple[str, bool]]:
    return [(found.key.removeprefix(folder), bool(found.upload_id)) for found in storage().found(folder)]


def stored(key: str) -> bytes:
    return bytes(storage()._client.get_object(Bucket=settings.OBJECT_STORE.bucket, Key=key)["Body"].read())


@pytest.mark.parametrize(
    ("size", "parts"),
    [(0, 0), (1, 0), (PART - 1, 0), (PART, 0), (PART + 1, 2), (2 * PART, 2), (2 * PART + 1, 3)],
)
def test_what_is_written_is_what_is_stored_and_no_part_is_empty(folder, size, parts):
    content = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    with storage().upload(folder + "1.zip") as upload:
        for start in range(0, size, 1_000_000):
            upload.write(content[start : start + 1_000_000])
        result = upload.finish()
    assert (result.size, result.sha256) == (size, sha256(content).hexdigest())
    assert len(upload._parts) == parts
    assert left(folder) == [("1.zip", False)]
    assert sha256(stored(folder + "1.zip")).hexdigest() == result.sha256


def test_one_that_is_not_finished_leaves_nothing(folder):
    def write_and_fail(upload: Upload) -> None:
        upload.write(bytes(3 * PART))
        assert left(folder) == [("1.zip", True)]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), storage().upload(folder + "1.zip") as upload:
        write_and_fail(upload)
    assert left(folder) == []


def test_it_holds_no_more_than_three_parts(folder):
    with storage().upload(folder + "1.zip") as upload:
        for _ in range(10):
            upload.write(bytes(PART // 2))
            assert len(upload._buffer) <= PART
    assert left(folder) == []


def test_parts_grow_so_that_their_number_is_enough(folder, monkeypatch):
    monkeypatch.setattr(module, "GROW_AFTER", 1)
    with storage().upload(folder + "1.zip") as upload:
        upload.write(bytes(7 * PART + 1))
        assert upload.finish().size == 7 * PART + 1
        assert len(upload._parts) == 4  # of 1, 2 and 4 sizes, and what is left


def test_an_upload_that_somebody_removed_ends_with_an_error(folder):
    with storage().upload(folder + "1.zip") as upload:
        upload.write(bytes(PART + 1))
        for found in storage().found(folder):
            storage().remove(found)
        with pytest.raises(ClientError, match="NoSuchUpload"):
            upload.finish()
    assert left(folder) == []


def test_a_store_that_holds_less_is_not_believed(folder, monkeypatch):
    with storage().upload(folder + "1.zip") as upload:
        upload.write(b"short")
        upload.size += 1
        with pytest.raises(module.SizeDiffersError, match="5 bytes instead of 6"):
            upload.finish()
    assert left(folder) == []
