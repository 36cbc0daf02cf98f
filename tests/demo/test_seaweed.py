from pathlib import Path

import boto3
import psutil
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from project.demo import seaweed
from project.object_store import ObjectStore
from tests.demo.gone import survivors


def client(store: ObjectStore, secret: str):
    return boto3.client(
        "s3",
        endpoint_url=store.endpoint,
        region_name=store.region,
        aws_access_key_id=store.access_key,
        aws_secret_access_key=secret,
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )


def test_it_has_an_empty_bucket_for_who_has_the_keys_and_leaves_only_its_log(tmp_path: Path) -> None:
    with seaweed.running(tmp_path) as server:
        store = ObjectStore.from_url(server.url)
        listed = client(store, store.secret_key).list_objects_v2(Bucket=store.bucket)
        assert listed["KeyCount"] == 0
        with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
            client(store, "wrong").list_objects_v2(Bucket=store.bucket)
        with pytest.raises(ClientError, match="NoSuchBucket"):
            client(store, store.secret_key).put_object(Bucket="another", Key="x")
        process = psutil.Process(server.process.pid)
        listening = [at.laddr.ip for at in process.net_connections() if at.status == psutil.CONN_LISTEN]
        assert listening == ["127.0.0.1"] * 8
    assert survivors([process]) == []
    assert [path.name for path in tmp_path.iterdir()] == ["seaweed.log"]
