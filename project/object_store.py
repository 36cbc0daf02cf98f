"""Where archives are kept and under which address people fetch them, read from two URLs."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]+", re.ASCII)
_PREFIX = re.compile(r"([\w-]+/)+", re.ASCII)
_ENCODE = "percent-encode special characters (/, +, @ …) in the keys"
_SCHEMES = {"s3": "", "s3+https": "https", "s3+http": "http"}
_DEFAULT_PORTS = {"https": 443, "http": 80}
_OPTIONS = {"region", "style"}


class Style(StrEnum):
    """Where the bucket's name stands in an address: in its path, or before the host name."""

    PATH = "path"
    VIRTUAL = "virtual"


@dataclass(frozen=True, kw_only=True)
class ObjectStore:
    """A bucket of an S3 service.

    Attributes:
        endpoint: The service's address as this network knows it; empty means AWS.
        access_key, secret_key: Both empty mean that the machine's own role is used.
    """

    bucket: str
    endpoint: str = ""
    region: str = "us-east-1"
    style: Style = Style.PATH
    access_key: str = ""
    secret_key: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Read ``scheme://key:secret@host:port/bucket?region=…&style=path|virtual``.

        The scheme is ``s3+https`` or ``s3+http`` for a service of one's own, or ``s3``, without a host, for
        AWS. The style is path by default, and virtual for AWS, which is phasing the other one out.

        Raises:
            ValueError: saying what is allowed, and never showing a part of the URL that may be a secret.
        """
        parts = _split(url)
        if parts.scheme not in _SCHEMES:
            raise ValueError("it must begin with s3+https://, s3+http:// or s3://")
        endpoint = _endpoint(parts)
        options = _options(parts)
        access_key, secret_key = _credential(parts.username), _credential(parts.password)
        if bool(access_key) != bool(secret_key):
            raise ValueError("it must have both an access key and a secret key, or neither")
        bucket = _bucket(parts.path)
        # A dot in the bucket's name breaks the certificate of the virtual style's host name.
        usual = Style.PATH if endpoint or "." in bucket else Style.VIRTUAL
        return cls(
            bucket=bucket,
            endpoint=endpoint,
            region=options.get("region", "us-east-1"),
            style=Style(options.get("style", usual)),
            access_key=access_key,
            secret_key=secret_key,
        )


def public_endpoint(url: str) -> str:
    """Check the address under which browsers reach the store; empty means: the same as ours.

    A default port is dropped, since browsers do not send it and the host is part of a link's signature. A
    path is refused for the same reason: a proxy that takes it away makes every signature wrong.

    Raises:
        ValueError: saying what is allowed.
    """
    if not url:
        return ""
    parts = _split(url)
    bare = not (parts.username or parts.query or parts.fragment or parts.path.strip("/"))
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or not bare:
        raise ValueError("it must be an http(s) URL without a path, such as https://files.example.org")
    return _address(parts.scheme, parts)


def archive_prefix(text: str) -> str:
    """Check what the names of archived rows are to begin with; empty means that none are archived.

    Raises:
        ValueError: saying what is allowed.
    """
    if text and (not _PREFIX.fullmatch(text) or text.startswith("exports/")):
        raise ValueError(
            "it must be a folder such as deleted/, of letters, digits, -, _ and /, and not exports/"
        )
    return text


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # some of its messages show the keys
        raise ValueError(f"its host cannot be read; {_ENCODE}") from None


def _endpoint(parts: SplitResult) -> str:
    scheme = _SCHEMES[parts.scheme]
    if bool(scheme) != bool(parts.hostname):
        raise ValueError(
            "it must name a host if it begins with s3+https:// or s3+http://, and none with s3://"
        )
    return _address(scheme, parts) if scheme else ""


def _address(scheme: str, parts: SplitResult) -> str:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:  # what stands there may be half of a secret with a / in it, so it is not shown
        raise ValueError(f"its port must be a number from 1 to 65535; {_ENCODE}")
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{scheme}://{host}" if port in {None, _DEFAULT_PORTS[scheme]} else f"{scheme}://{host}:{port}"


def _bucket(path: str) -> str:
    bucket = path.strip("/")
    if not _BUCKET.fullmatch(bucket):
        raise ValueError(f"its path must be the name of a bucket; {_ENCODE}")
    return bucket


def _options(parts: SplitResult) -> dict[str, str]:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.fragment or options.keys() - _OPTIONS:
        raise ValueError("only ?region= and &style= may follow the bucket")
    if not _REGION.fullmatch(options.get("region", "us-east-1")):
        raise ValueError("its region must be a name such as eu-central-1")
    if options.get("style", Style.PATH) not in set(Style):
        raise ValueError("its style must be path or virtual")
    return options


def _credential(text: str | None) -> str:
    plain = unquote(text or "")
    if not plain.isascii() or not plain.isprintable():
        raise ValueError("its keys must be printable ASCII")
    return plain
