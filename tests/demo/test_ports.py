import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from project.demo.child import Child, StartError
from project.demo.ports import HOST, Server, free_port, listening

LISTEN = "import socket, sys, time; s = socket.create_server((sys.argv[1], int(sys.argv[2]))); time.sleep(60)"


@pytest.fixture
def server_on(tmp_path: Path) -> Callable[[int], Server]:
    def server_on(port: int) -> Server:
        process = Child(
            name="listener",
            command=[sys.executable, "-c", LISTEN, HOST, str(port)],
            log=tmp_path / "log",
            ready=lambda: process.is_running() and answers(port),
        )
        return Server(process, f"tcp://{HOST}:{port}")

    return server_on


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0


def test_a_free_port_can_be_listened_at() -> None:
    with socket.create_server((HOST, free_port())):
        pass


def test_a_server_listens_as_long_as_it_is_wanted(server_on: Callable[[int], Server]) -> None:
    with listening(server_on) as server:
        port = int(server.url.rpartition(":")[2])
        assert answers(port)
    assert not answers(port)


def test_a_port_lost_to_another_process_is_given_up_for_the_next(server_on: Callable[[int], Server]) -> None:
    taken: list[socket.socket] = []

    def too_late(port: int) -> Server:
        if not taken:
            # Bound but not listened at: the check for readiness is refused, as by a server that is not ours.
            taken.append(socket.socket())
            taken[0].bind((HOST, port))
        return server_on(port)

    with listening(too_late) as server:
        assert server.url != f"tcp://{HOST}:{taken[0].getsockname()[1]}"
    taken[0].close()


def test_a_server_that_fails_by_itself_is_not_tried_again(tmp_path: Path) -> None:
    tries = []

    def broken(port: int) -> Server:
        tries.append(port)
        process = Child(
            name="broken",
            command=["/bin/false"],
            log=tmp_path / "log",
            ready=lambda: False,
        )
        return Server(process, "")

    with pytest.raises(StartError, match="broken ended"), listening(broken):
        pass
    assert len(tries) == 1
