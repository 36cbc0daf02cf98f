"""Tries out the store before anybody needs it, and names what is wrong with the settings."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import urlopen
from uuid import UUID, uuid4

from botocore.exceptions import BotoCoreError, ClientError

from project.services.exports.names import Key
from project.services.exports.storage import Storage

_CONTENT = b"probe"
_PATIENCE = 10  # seconds


class Step(NamedTuple):
    """What was tried, and what is wrong; empty if nothing is."""

    name: str
    wrong: str


class _WrongError(Exception):
    """What a step found."""


def probe(storage: Storage) -> Iterator[Step]:
    """Write an archive, list it, fetch it by a link, make sure that a link is needed, remove it.

    Steps follow each other until one goes wrong. Nothing is left behind, unless removing does not work.
    """
    key = str(Key(UUID(int=0), uuid4(), 0))
    steps: tuple[tuple[str, Callable[[Storage, str], None]], ...] = (
        ("write an archive", _write),
        ("list it", _list),
        ("fetch it by a link, at the public address", _fetch),
        ("refuse it without a link", _refuse),
    )
    for name, act in steps:
        if wrong := _tried(act, storage, key):
            yield Step(name, wrong)
            break
        yield Step(name, "")
    yield Step("remove it", _tried(_remove, storage, key))


def _tried(act: Callable[[Storage, str], None], storage: Storage, key: str) -> str:
    try:
        act(storage, key)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        return f"{error} {_ADVICE.get(code, '')}".rstrip()
    except (BotoCoreError, URLError, OSError, _WrongError) as error:
        return str(error)
    return ""


_ADVICE = {
    "NoSuchBucket": "Make the bucket, or correct its name in S3_URL.",
    "InvalidAccessKeyId": "Correct the access key in S3_URL.",
    "SignatureDoesNotMatch": "Correct the secret key in S3_URL; is it percent-encoded?",
    "AccessDenied": "The keys need s3:PutObject, GetObject, DeleteObject, AbortMultipartUpload, ListBucket"
    " and ListBucketMultipartUploads.",
    "PermanentRedirect": "Correct the region in S3_URL.",
    "AuthorizationHeaderMalformed": "Correct the region in S3_URL.",
}


def _write(storage: Storage, key: str) -> None:
    with storage.upload(key) as upload:
        upload.write(_CONTENT)
        upload.finish()


def _list(storage: Storage, key: str) -> None:
    if key not in [found.key for found in storage.found(key)]:
        raise _WrongError("It is not in the list.")


def _fetch(storage: Storage, key: str) -> None:
    try:
        if _get(_link(storage, key)) != _CONTENT:
            raise _WrongError("Something else came back.")
    except HTTPError as error:
        with error:
            advice = "Does the proxy behind S3_PUBLIC_URL pass on the Host header and the path unchanged?"
            raise _WrongError(f"{error}. {advice}") from None


def _refuse(storage: Storage, key: str) -> None:
    try:
        _get(_link(storage, key).partition("?")[0])
    except HTTPError as error:
        error.close()
        return
    raise _WrongError("Anybody can fetch it. Make the bucket private: nothing in it is meant for the public.")


def _remove(storage: Storage, key: str) -> None:
    for found in list(storage.found(key)):
        storage.remove(found)


def _link(storage: Storage, key: str) -> str:
    return storage.link(key, file_name="probe.zip", works_for=timedelta(minutes=1))


def _get(url: str) -> bytes:
    with urlopen(url, timeout=_PATIENCE) as answer:  # noqa: S310 (the scheme is that of the settings)
        return bytes(answer.read())
