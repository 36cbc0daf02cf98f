"""Each part of the readiness broken for real, and named."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings as project_settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from project.actors.exports import DEPOT
from project.models import EmailDigest
from project.queue.processes import WORKER, Process, beat
from project.services.exports.run import Depot
from project.services.exports.storage import Storage
from project.views import health_checks
from project.views.health_checks import CHECKS
from tests.admin.staff import browser
from tests.factories import make_user
from tests.queue.server import RedisServer
from tests.services.exports.meanwhile import behind
from tests.tcp_proxy import Proxy, running

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "a-token"
QUEUES = ("clock", "exports", "fan_out", "mail", "maintenance")


@pytest.fixture(autouse=True)
def nothing_remembered(settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    forget()


def forget() -> None:
    for check in CHECKS.values():
        check._last = None


@pytest.fixture
def server(tmp_path, settings) -> Iterator[RedisServer]:
    """A Redis of this test, in which a worker of every queue is alive."""
    server = RedisServer(tmp_path)
    server.start()
    settings.REDIS_URL, settings.DEDUP_REDIS_URL = server.url(0), server.url(1)
    with server.client() as client:
        beat(client, Process.own(WORKER, QUEUES))
    yield server
    server.kill()


def ready(*checks: str, client: Client | None = None) -> tuple[int, dict[str, dict[str, object]]]:
    """The status, and what is said of each check, which is carried out anew."""
    forget()
    return asked(*checks, client=client)


def asked(*checks: str, client: Client | None = None) -> tuple[int, dict[str, dict[str, object]]]:
    asking = client or Client(headers={"Authorization": f"Bearer {TOKEN}"})
    answer = asking.get("/readyz", {"check": checks})
    return answer.status_code, {check.pop("name"): check for check in answer.json()["checks"]}


def wrong(check: str) -> str:
    status, found = ready(check)
    assert status == 503
    assert found[check]["advice"]
    return str(found[check]["wrong"])


def test_all_is_well(server):
    status, found = ready()
    assert {name: check["ok"] for name, check in found.items()} == dict.fromkeys(
        ("database", "migrations", "redis", "storage", "workers", "work"), True
    )
    assert status == 200
    assert all(check["milliseconds"] > 0 for check in found.values())


def test_who_lives_says_so_whatever_is_broken(server):
    server.kill()
    assert Client().get("/healthz").json() == {"ok": True}


def test_strangers_hear_names_only(server, settings):
    server.kill()
    status, found = ready(client=Client())
    assert status == 503
    assert found["redis"] == {"ok": False}
    assert found["database"] == {"ok": True}
    assert "advice" in ready(client=browser())[1]["redis"]
    assert ready(client=staffless())[1]["redis"] == {"ok": False}


def staffless() -> Client:
    client = Client()
    client.force_login(make_user("member"))
    return client


def test_a_stopped_redis(server):
    server.kill()
    assert wrong("redis") == "ConnectionError"
    assert wrong("workers") == "ConnectionError"


def test_a_redis_that_hangs_is_given_up_in_time(server):
    server.pause()
    began = monotonic()
    assert wrong("redis") == "TimeoutError"
    assert monotonic() - began < 4


def test_a_redis_that_would_forget(server):
    with server.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
    assert "allkeys-lru" in wrong("redis")
    assert "noeviction" in str(ready("redis")[1]["redis"]["advice"])


def test_workers_that_are_missing(server):
    with server.client() as client:
        client.flushall()
        beat(client, Process.own(WORKER, ("mail", "clock")))
    assert wrong("workers") == "nobody works on: exports, fan_out, maintenance"


def test_work_that_nobody_moves(server):
    EmailDigest.objects.create(
        id=uuid4(), receiver=make_user("bob"), due_at=timezone.now() - timedelta(minutes=10)
    )
    assert wrong("work").startswith("due for too long: digest 60")


@pytest.fixture
def postgres(monkeypatch) -> Iterator[Proxy]:
    """The way by which new connections reach PostgreSQL."""
    with running(int(connection.settings_dict["PORT"])) as proxy:
        monkeypatch.setitem(connection.settings_dict, "PORT", str(proxy.port))
        yield proxy


def test_a_postgres_that_hangs_and_one_that_is_stopped(postgres):
    assert ready("database")[0] == 200
    assert postgres.sent
    postgres.hold_after = 0
    began = monotonic()
    assert {check["wrong"] for check in ready("database", "work")[1].values()} == {"OperationalError"}
    assert monotonic() - began < 6
    postgres.cut()
    assert wrong("database") == "OperationalError"
    status, found = ready("database", client=browser_without_database())
    assert (status, found["database"]) == (503, {"ok": False})


def browser_without_database() -> Client:
    """A browser with a session that nobody can look up now."""
    client = Client()
    client.cookies[project_settings.SESSION_COOKIE_NAME] = "x" * 32
    return client


def test_a_version_of_the_tables_that_the_code_does_not_know(monkeypatch):
    known = frozenset({("project", "9999_to_come")})
    monkeypatch.setattr("project.views.health_parts._known_migrations", lambda: known)
    assert wrong("migrations") == "not applied: project.9999_to_come"


def test_a_store_that_cannot_be_reached(monkeypatch):
    port = urlsplit(project_settings.OBJECT_STORE.endpoint).port
    with running(port) as proxy:
        monkeypatch.setattr("project.views.health_parts.DEPOT", behind(proxy.port))
        assert ready("storage")[0] == 200
        proxy.cut()
        assert wrong("storage") == "EndpointConnectionError"


def test_a_slow_check_is_given_up_in_time_and_delays_nobody_who_did_not_ask_for_it(monkeypatch):
    monkeypatch.setattr(health_checks, "_LONGEST", 1)
    with running(urlsplit(project_settings.OBJECT_STORE.endpoint).port) as proxy:
        proxy.hold_after = 0
        monkeypatch.setattr("project.views.health_parts.DEPOT", behind(proxy.port))
        slow = CHECKS["storage"].begun()
        assert asked("database")[0] == 200
        assert slow.is_alive()
        for _ in range(3):
            began = monotonic()
            status, found = asked("storage", "database")
            assert monotonic() - began < 2
            assert (status, found["database"]["ok"]) == (503, True)
            assert found["storage"]["wrong"] == "took longer than 1 s"
            assert found["storage"]["advice"] == "Run: manage.py check_storage"
        assert CHECKS["storage"].begun() is slow  # however many ask, one thread waits
        proxy.release()
        slow.join(10)
        assert asked("storage")[0] == 200


def test_a_bucket_that_is_missing(monkeypatch):
    store = replace(project_settings.OBJECT_STORE, bucket="no-such-bucket")
    monkeypatch.setattr(
        "project.views.health_parts.DEPOT", Depot(Storage(store, store.endpoint), "", DEPOT.limits)
    )
    assert wrong("storage") == "ClientError"


def test_the_servers_are_asked_once_a_second_however_many_ask(server, monkeypatch):
    assert ready("redis")[0] == 200
    server.kill()
    assert Client().get("/readyz?check=redis").status_code == 200
    monkeypatch.setattr(health_checks, "_KEPT", 0)
    assert Client().get("/readyz?check=redis").status_code == 503


def test_a_check_that_does_not_exist():
    answer = Client().get("/readyz?check=databas")
    assert answer.status_code == 400
    assert answer.json()["unknown"] == ["databas"]
