"""What S3_URL and S3_PUBLIC_URL may say."""

import pytest

from project.object_store import ObjectStore, Style, public_endpoint


@pytest.mark.parametrize(
    ("url", "store"),
    [
        (
            "s3+http://key:secret@minio:9000/exports",
            ObjectStore(
                bucket="exports", endpoint="http://minio:9000", access_key="key", secret_key="secret"
            ),
        ),
        (
            "s3+https://k:a%2Fb%2Bc@files.example.org:443/exports?region=eu-1&style=virtual",
            ObjectStore(
                bucket="exports",
                endpoint="https://files.example.org",
                region="eu-1",
                style=Style.VIRTUAL,
                access_key="k",
                secret_key="a/b+c",
            ),
        ),
        ("s3+http://[::1]:80/exports/", ObjectStore(bucket="exports", endpoint="http://[::1]")),
        (
            "s3:///exports?region=eu-north-1",
            ObjectStore(bucket="exports", region="eu-north-1", style=Style.VIRTUAL),
        ),
        (
            "s3://key:secret@/my.exports",
            ObjectStore(bucket="my.exports", access_key="key", secret_key="secret"),
        ),
    ],
)
def test_a_url_says_where_and_how(url: str, store: ObjectStore) -> None:
    assert ObjectStore.from_url(url) == store


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "must begin with"),
        ("https://key:hidden@minio/exports", "must begin with"),
        ("s3+http:///exports", "must name a host"),
        ("s3://key:hidden@eu.example.org/exports", "must name a host"),
        ("s3+http://minio:99999/exports", "port must be a number"),
        ("s3+http://key:hid/hidden@minio/exports", "port must be a number.*percent-encode"),
        ("s3+http://minio", "name of a bucket"),
        ("s3+http://minio/a/b", "name of a bucket"),
        ("s3+http://minio/Exports", "name of a bucket"),
        ("s3+http://minio/exports?acl=hidden", "only [?]region"),
        ("s3+http://minio/exports?region=", "region must be"),
        ("s3+http://minio/exports?style=dns", "style must be path or virtual"),
        ("s3+http://key@minio/exports", "both an access key"),
        ("s3+http://key:hidden%0A@minio/exports", "printable ASCII"),
        ("s3+http://key:hidden@[::1/exports", "host cannot be read"),
    ],
)
def test_a_wrong_url_is_explained_without_its_secret(url: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as error:
        ObjectStore.from_url(url)

    assert "hidden" not in str(error.value)


def test_the_secret_is_not_shown() -> None:
    assert "hidden" not in repr(ObjectStore.from_url("s3+http://key:hidden@minio/exports"))


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("", ""),
        ("https://files.example.org:443/", "https://files.example.org"),
        ("http://files.example.org:80", "http://files.example.org"),
        ("https://files.example.org:9443", "https://files.example.org:9443"),
    ],
)
def test_a_default_port_is_dropped_since_browsers_do_not_send_it(url: str, endpoint: str) -> None:
    assert public_endpoint(url) == endpoint


@pytest.mark.parametrize(
    "url", ["files.example.org", "https://files.example.org/storage", "https://k:s@files.example.org"]
)
def test_a_wrong_public_address_is_explained(url: str) -> None:
    with pytest.raises(ValueError, match="without a path"):
        public_endpoint(url)
