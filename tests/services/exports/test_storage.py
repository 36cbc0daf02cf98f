"""Links and keys, against a real store."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from time import sleep
from urllib.error import HTTPError
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
from django.conf import settings

from project.object_store import ObjectStore
from project.services.exports.storage import Found, Storage
from tests.services.exports.exporting import storage
from tests.tcp_proxy import Proxy, running

CONTENT = bytes(range(256)) * 10


@pytest.fixture
def key() -> Iterator[str]:
    key = f"exports/test/{uuid4()}/1.zip"
    with storage().upload(key) as upload:
        upload.write(CONTENT)
        upload.finish()
    yield key
    storage().remove(Found(key, None))


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    port = urlsplit(settings.OBJECT_STORE.endpoint).port
    assert port
    with running(port) as proxy:
        yield proxy


def link(key: str, store: Storage | None = None, seconds: float = 60, name: str = "a.zip") -> str:
    return (store or storage()).link(key, file_name=name, works_for=timedelta(seconds=seconds))


def get(url: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    try:
        with urlopen(Request(url, headers=headers, method=method), timeout=10) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except HTTPError as error:
        with error:
            return error.code, b"", dict(error.headers)


def test_a_link_gives_the_bytes_and_their_name(key):
    status, content, headers = get(link(key, name="acme-issues.zip"))
    assert (status, content) == (200, CONTENT)
    assert headers["Content-Type"] == "application/zip"
    assert headers["Content-Disposition"].startswith('attachment; filename="acme-issues.zip"')


def test_a_part_of_it_can_be_fetched_so_that_a_download_can_go_on(key):
    status, content, _ = get(link(key), Range="bytes=0-99")
    assert (status, content) == (206, CONTENT[:100])


def test_links_are_signed_by_version_4(key):
    query = parse_qs(urlsplit(link(key)).query)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == ["60"]


def test_nobody_gets_it_without_a_link_or_with_an_altered_one(key):
    url = link(key)
    bare = url.partition("?")[0]
    altered = [
        bare,
        url.replace("1.zip", "2.zip"),
        url.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
        url.replace("a.zip", "b.zip"),
        url[:-1] + ("0" if url[-1] != "0" else "1"),
        url.replace("127.0.0.1", "localhost"),
    ]
    assert [get(other)[0] for other in altered] == [403] * len(altered)
    assert get(url, method="HEAD")[0] == 403


def test_a_link_ends(key):
    url = link(key, seconds=1)
    assert get(url)[0] == 200
    sleep(2)
    assert get(url)[0] == 403


def test_a_link_is_signed_for_the_public_address_and_no_other(key, proxy):
    public = Storage(settings.OBJECT_STORE, f"http://127.0.0.1:{proxy.port}")
    url = link(key, public)
    assert urlsplit(url).port == proxy.port
    assert get(url)[:2] == (200, CONTENT)
    internal = urlsplit(settings.OBJECT_STORE.endpoint).netloc
    assert get(url.replace(urlsplit(url).netloc, internal))[0] == 403


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        ("s3://k:s@/exports?region=eu-north-1", "https://exports.s3.eu-north-1.amazonaws.com/exports/"),
        ("s3://k:s@/my.exports?region=eu-north-1", "https://s3.eu-north-1.amazonaws.com/my.exports/exports/"),
        ("s3+https://k:s@minio:9000/exports", "https://files.example.org/exports/exports/"),
        ("s3+https://k:s@minio:9000/exports?style=virtual", "https://exports.files.example.org/exports/"),
    ],
)
def test_the_region_and_the_style_are_in_the_address(url, begins):
    store = ObjectStore.from_url(url)
    signed = link("exports/x.zip", Storage(store, "https://files.example.org" if store.endpoint else ""))
    assert signed.startswith(begins)
    if "region" in url:
        assert "%2Feu-north-1%2Fs3%2F" in signed


@pytest.mark.parametrize(
    "name", ['Übersicht "Q1".zip', "a\r\nSet-Cookie: x.zip", "a;b\\c.zip", "日本 😀.zip"]
)
def test_any_file_name_is_one_header_and_reads_back(key, name):
    status, _, headers = get(link(key, name=name))
    assert status == 200
    assert "Set-Cookie" not in headers
    plain, _, exact = headers["Content-Disposition"].partition("; filename*=UTF-8''")
    assert plain.startswith('attachment; filename="')
    assert plain.isascii()
    assert unquote(exact) == name


def test_removing_what_is_gone_is_no_error(key):
    for _ in range(2):
        storage().remove(Found(key, None))
        storage().remove(Found(key, None, "0" * 32))
    assert get(link(key))[0] == 404


def test_wrong_keys_are_an_error_of_the_store():
    wrong = Storage(replace(settings.OBJECT_STORE, secret_key="wrong"), "")
    with pytest.raises(Exception, match="SignatureDoesNotMatch"):
        list(wrong.found())
