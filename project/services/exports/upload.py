"""Writes one archive to the store, in parts, with bounded memory."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from hashlib import sha256
from types import TracebackType
from typing import Any, NamedTuple, Self

from botocore.exceptions import BotoCoreError, ClientError

logger = logging.getLogger(__name__)

PART = 5 * 1024 * 1024  # bytes; S3 takes no smaller part, unless it is the last one
GROW_AFTER = 1000  # S3 takes 10,000 parts, so after so many of them parts become twice as large
_LOOK_UP = 0.25  # seconds


class Stored(NamedTuple):
    """An archive as the store has it."""

    key: str
    size: int
    sha256: str


class SizeDiffersError(Exception):
    """The store holds another number of bytes than it was given."""


def _patient() -> None:
    """Wait on, for as long as the store takes."""


class Upload:
    """A file to write to. Unless it is finished, nothing of it stays: not even an unfinished upload.

    One part is on its way while the next one is filled, so it holds three parts at most. What fits into one
    part is stored by a single request when it is finished.
    """

    def __init__(self, client: Any, bucket: str, key: str, content_type: str) -> None:
        self.key = key
        self._content_type = content_type
        self.size = 0
        self._client = client
        self._where = {"Bucket": bucket, "Key": key}
        self._hash = sha256()
        self._buffer = bytearray()
        self._upload_id = ""
        self._parts: list[dict[str, Any]] = []
        self._sender = ThreadPoolExecutor(1, "upload")
        self._on_its_way: Future[str] | None = None
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sender.shutdown(wait=True, cancel_futures=True)
        if self._upload_id and not self._finished:
            self._abort()

    def write(self, data: bytes, check: Callable[[], None] = _patient) -> None:
        """Add `data`; may wait for the part before to arrive, and calls `check` meanwhile, which may raise.

        Raises:
            botocore.exceptions.BotoCoreError, ClientError: what became of that part.
        """
        self._hash.update(data)
        self.size += len(data)
        self._buffer += data
        while len(self._buffer) > (part := PART << len(self._parts) // GROW_AFTER):
            self._send(bytes(memoryview(self._buffer)[:part]), check)
            del self._buffer[:part]

    def finish(self, check: Callable[[], None] = _patient) -> Stored:
        """Make the archive appear in the store, as a whole; `check` as in `write`.

        Raises:
            SizeDiffersError: if the store then says that it has another size; it is removed again.
            botocore.exceptions.BotoCoreError, ClientError: if it does not appear.
        """
        if self._upload_id:
            self._send(bytes(self._buffer), check)
            self._await_part(check)
            self._client.complete_multipart_upload(
                **self._where, UploadId=self._upload_id, MultipartUpload={"Parts": self._parts}
            )
        else:
            self._client.put_object(**self._where, Body=bytes(self._buffer), ContentType=self._content_type)
        self._finished = True
        if (size := self._client.head_object(**self._where)["ContentLength"]) != self.size:
            self._client.delete_object(**self._where)
            raise SizeDiffersError(f"{size} bytes instead of {self.size}")
        return Stored(self.key, self.size, self._hash.hexdigest())

    def _send(self, part: bytes, check: Callable[[], None]) -> None:
        if not self._upload_id:
            created = self._client.create_multipart_upload(**self._where, ContentType=self._content_type)
            self._upload_id = created["UploadId"]
        self._await_part(check)
        self._on_its_way = self._sender.submit(self._sending(part, len(self._parts) + 1))

    def _sending(self, part: bytes, number: int) -> Callable[[], str]:
        def send() -> str:
            sent = self._client.upload_part(
                **self._where, UploadId=self._upload_id, PartNumber=number, Body=part
            )
            return str(sent["ETag"])

        return send

    def _await_part(self, check: Callable[[], None]) -> None:
        if self._on_its_way is not None:
            while not wait([self._on_its_way], _LOOK_UP).done:
                check()
            tag = self._on_its_way.result()
            self._on_its_way = None
            self._parts.append({"PartNumber": len(self._parts) + 1, "ETag": tag})

    def _abort(self) -> None:
        try:
            self._client.abort_multipart_upload(**self._where, UploadId=self._upload_id)
        except (BotoCoreError, ClientError) as error:
            # It is found again by the removal of orphans.
            logger.warning("upload of %s could not be aborted: %s", self.key, error)
