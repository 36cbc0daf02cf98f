"""Rows are in the store, byte for byte as PostgreSQL tells them, before they are deleted."""

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.utils import timezone

from project.actors import clean_up
from project.limits import Limits
from project.models import Notification, User
from project.services.maintenance.archive import Archive
from project.services.maintenance.purge import Purge
from tests.factories import make_team
from tests.services.exports.exporting import storage
from tests.services.maintenance.world import LONG_AGO, NOW

pytestmark = pytest.mark.django_db(transaction=True)
PREFIX = "deleted/"


def notify(number: int) -> list[Notification]:
    team = make_team()
    place = {"workspace": team.workspace, "receiver": team.members["bob"], "created_at": LONG_AGO}
    rows = [
        Notification.objects.create(
            **place, title=f"Tür {n}\n", data={"n": n}, sender="", entity_name="issue"
        )
        for n in range(number)
    ]
    return sorted(rows, key=lambda row: row.pk)


def purge(archive: Archive, size: int = 500) -> Purge:
    limits = Limits(purge_batch=size)
    return Purge(limits=limits, clock=lambda: NOW, archive=archive)


def named(file: str, rows: list[Notification]) -> bool:
    first_to_last = f"{PREFIX}notifications/2026-06-01/{rows[0].pk}_{rows[-1].pk}"
    return re.fullmatch(rf"{first_to_last}_[0-9a-f]{{16}}\.jsonl\.gz", file) is not None


def ids(file: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in gzip.decompress(file).splitlines()]


def test_each_batch_is_a_file_that_is_named_after_it():
    rows, files = notify(3), {}
    purge(Archive(PREFIX, files.__setitem__), 2).clear(Notification.objects.all())
    one, other = files
    assert named(one, rows[:2])
    assert named(other, rows[2:])
    first, second = (json.loads(line) for line in gzip.decompress(files[one]).splitlines())
    assert (first["id"], first["title"], first["data"]) == (
        str(rows[0].pk),
        rows[0].title,
        rows[0].data,
    )
    assert (second["id"], second["read_at"]) == (str(rows[1].pk), None)
    assert not Notification.objects.exists()


def test_what_cannot_be_archived_is_not_deleted_and_written_again_by_the_same_name():
    rows, tried = notify(2), []

    def refuse(key: str, content: bytes) -> None:
        tried.append((key, content))
        raise OSError("the store is away")

    for _ in range(2):
        with pytest.raises(OSError, match="away"):
            purge(Archive(PREFIX, refuse)).clear(Notification.objects.all())
    first, second = tried
    assert named(first[0], rows)
    assert first == second
    assert Notification.objects.count() == 2


def test_who_comes_for_the_rest_of_a_batch_writes_over_no_row_that_is_gone():
    rows, files = notify(3), {}
    archive = Archive(PREFIX, files.__setitem__)

    def purge_elsewhere() -> None:
        try:
            purge(archive).clear(Notification.objects.all())
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        list(Notification.objects.select_for_update().filter(pk__in=[rows[0].pk, rows[2].pk]))
        pool.submit(purge_elsewhere).result(20)
    assert set(Notification.objects.all()) == {rows[0], rows[2]}
    purge(archive).clear(Notification.objects.all())
    assert all(named(file, rows) for file in files)
    all_three, rest = map(ids, files.values())
    assert all_three == [str(row.pk) for row in rows]
    assert rest == [str(rows[0].pk), str(rows[2].pk)]


def test_the_actors_archive_to_the_bucket_if_they_are_told_where(monkeypatch):
    notify(1)
    Notification.objects.update(deleted_at=timezone.now() - settings.LIMITS.hard_delete_after)
    monkeypatch.setattr(settings, "ARCHIVE_PREFIX", PREFIX)
    clean_up.delete_for_good.fn()
    (found,) = storage().found(PREFIX)
    answer = storage()._client.get_object(Bucket=settings.OBJECT_STORE.bucket, Key=found.key)
    row = json.loads(gzip.decompress(answer["Body"].read()))
    assert row["receiver_id"] == str(User.objects.get(display_name="bob").pk)
    assert answer["ContentType"] == "application/gzip"
    assert not Notification.all_objects.exists()
    storage().remove(found)


def test_sessions_are_in_no_archive(monkeypatch):
    monkeypatch.setattr(settings, "ARCHIVE_PREFIX", PREFIX)
    monkeypatch.setattr(clean_up, "_put", pytest.fail)
    Session.objects.create(session_key="key", session_data="secret", expire_date=timezone.now())
    clean_up.delete_spent_rows.fn()
    assert not Session.objects.exists()
