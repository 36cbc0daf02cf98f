"""Where archives are kept: an S3 bucket, private, known under two addresses."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from boto3.session import Session
from botocore.config import Config

from project.object_store import ObjectStore
from project.services.exports.names import FOLDER
from project.services.exports.upload import Upload

_CONNECT, _READ = 5, 30  # seconds
_TRIES = 4


class Found(NamedTuple):
    """An archive, or the upload of one that was never finished (then with the upload's id)."""

    key: str
    since: datetime
    upload_id: str = ""


class Storage:
    """The bucket. One object for a process; threads may share it.

    Nothing is ever given an access list, so everything is as private as the bucket. Methods raise what
    botocore raises; ``failures.py`` knows what that means.
    """

    def __init__(self, store: ObjectStore, public_endpoint: str) -> None:
        self._store = store
        self._public_endpoint = public_endpoint

    def upload(self, key: str, content_type: str = "application/zip") -> Upload:
        """Begin to write an archive, or another file."""
        return Upload(self._client, self._store.bucket, key, content_type)

    def link(self, key: str, *, file_name: str, works_for: timedelta) -> str:
        """Sign a link by which anybody who has it can fetch one archive, saved as `file_name`.

        It is signed for the public address: a host that is exchanged afterwards makes the signature wrong.
        """
        return str(
            self._signer.generate_presigned_url(
                "get_object",
                Params={
                    "Bucket": self._store.bucket,
                    "Key": key,
                    "ResponseContentDisposition": _disposition(file_name),
                },
                ExpiresIn=int(works_for.total_seconds()),
            )
        )

    def remove(self, found: Found) -> None:
        """Remove an archive or an unfinished upload; what is gone already counts as removed."""
        where = {"Bucket": self._store.bucket, "Key": found.key}
        if not found.upload_id:
            self._client.delete_object(**where)
            return
        try:
            self._client.abort_multipart_upload(**where, UploadId=found.upload_id)
        except self._client.exceptions.NoSuchUpload:
            return

    def found(self, folder: str = FOLDER) -> Iterator[Found]:
        """List archives and unfinished uploads whose keys begin with `folder`, page by page."""
        where = {"Bucket": self._store.bucket, "Prefix": folder}
        for page in self._client.get_paginator("list_objects_v2").paginate(**where):
            for item in page.get("Contents", []):
                yield Found(item["Key"], item["LastModified"])
        yield from self.unfinished(folder)

    def unfinished(self, folder: str) -> Iterator[Found]:
        """List the uploads that nobody finished, of keys that begin with `folder`, page by page."""
        where = {"Bucket": self._store.bucket, "Prefix": folder}
        for page in self._client.get_paginator("list_multipart_uploads").paginate(**where):
            for item in page.get("Uploads", []):
                yield Found(item["Key"], item["Initiated"], item["UploadId"])

    def look(self, *, patience: timedelta) -> None:
        """Ask whether the bucket is there and open to us, once; any step may take `patience`."""
        seconds = patience.total_seconds()
        brief = Config(
            connect_timeout=seconds,
            read_timeout=seconds,
            retries={"mode": "standard", "total_max_attempts": 1},
        )
        client = self._connect(self._store.endpoint, brief)
        try:
            client.head_bucket(Bucket=self._store.bucket)
        finally:
            client.close()

    @cached_property
    def _client(self) -> Any:
        return self._connect(self._store.endpoint)

    @cached_property
    def _signer(self) -> Any:
        return self._connect(self._public_endpoint)

    def _connect(self, endpoint: str, changes: Config | None = None) -> Any:
        store = self._store
        config = Config(
            signature_version="s3v4",  # for links it would be version 2, which new regions refuse
            s3={"addressing_style": store.style},
            connect_timeout=_CONNECT,
            read_timeout=_READ,
            retries={"mode": "standard", "total_max_attempts": _TRIES},
            # The newer checksums are not known to all services; sums of the parts are checked anyway.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        return Session().client(
            "s3",
            endpoint_url=endpoint or None,
            region_name=store.region,
            aws_access_key_id=store.access_key or None,
            aws_secret_access_key=store.secret_key or None,
            config=config.merge(changes) if changes else config,
        )


def _disposition(file_name: str) -> str:
    """The header by which browsers name what they save (RFC 6266): plain for old ones, exact for others."""
    plain = file_name.encode("ascii", "replace").decode().translate({ord(c): "_" for c in '?"\\\r\n'})
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"
