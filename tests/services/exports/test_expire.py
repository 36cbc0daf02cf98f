from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from project.models import Exporter, ExportRun
from project.services.exports.attempts import begin
from project.services.exports.cancel import delete
from project.services.exports.expire import Removed, expire, remove_orphans
from project.services.exports.names import FOLDER, Key
from project.services.exports.storage import Found, Storage
from tests.factories import Team, make_issue, make_team
from tests.services.exports.exporting import LIMITS, make, requested, storage
from tests.services.exports.refusing import Refusing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _empty_store() -> None:
    for found in storage().found():
        storage().remove(found)


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


def completed(team: Team, zone: str = "UTC") -> ExportRun:
    return make(requested(team, time_zone=zone))


def keys() -> list[str]:
    return sorted(found.key for found in storage().found())


def put(key: str) -> None:
    with storage().upload(key) as upload:
        upload.write(b"x")
        upload.finish()


def begin_upload(key: str) -> None:
    storage()._client.create_multipart_upload(Bucket=settings.OBJECT_STORE.bucket, Key=key)


def expired(now: datetime, store: Storage | None = None) -> Removed:
    return expire(storage=store or storage(), now=now, limits=LIMITS)


def orphans(now: datetime | None = None, store: Storage | None = None) -> Removed:
    return remove_orphans(storage=store or storage(), now=now or timezone.now(), limits=LIMITS)


def test_archives_go_when_their_time_is_over_and_not_before(team):
    run = completed(team)
    assert expired(run.expires_at - timedelta(seconds=1)) == Removed(0, 0)
    assert keys() == [run.key]
    assert expired(run.expires_at) == Removed(1, 0)
    assert keys() == []
    run.refresh_from_db()
    assert (run.status, run.export.status) == ("expired", "expired")
    assert expired(run.expires_at) == Removed(0, 0)


def test_one_that_cannot_be_removed_keeps_its_row_and_stops_no_other(team):
    bad, good = completed(team), completed(team, "Asia/Tokyo")
    store = Refusing(lambda key: key == bad.key)
    assert expired(good.expires_at, store) == Removed(1, 1)
    assert [ExportRun.objects.get(export=run.export).status for run in (bad, good)] == [
        "completed",
        "expired",
    ]
    assert expired(good.expires_at) == Removed(1, 0)
    assert keys() == []


def test_an_archive_that_is_gone_already_counts_as_removed(team):
    run = completed(team)
    storage().remove(Found(run.key, run.ended_at))
    assert expired(run.expires_at) == Removed(1, 0)


def test_a_deleted_export_loses_its_archive_at_the_next_round(team):
    run = completed(team)
    now = timezone.now()
    delete(run.export, now=now)
    assert expired(now) == Removed(1, 0)
    assert keys() == []


def test_a_round_is_bounded(team):
    runs = [completed(team, f"Etc/GMT+{n}") for n in (1, 2, 3)]
    limits = replace(LIMITS, sweep_batch=2)
    now = runs[-1].expires_at
    assert [expire(storage=storage(), now=now, limits=limits).done for _ in range(3)] == [2, 1, 0]


def test_what_lost_attempts_left_behind_is_found_and_the_rest_is_untouched(team):
    kept = completed(team)
    export = requested(team, time_zone="Asia/Tokyo")
    for _ in range(2):
        begin(export.id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    of = {n: str(Key(export.workspace_id, export.id, n)) for n in (1, 2)}
    begin_upload(of[1])  # of an attempt that was taken over
    put(of[1])
    begin_upload(of[2])  # of the one that runs
    old = kept.key.replace("/1.zip", "/7.zip")
    put(old)
    assert orphans() == Removed(3, 0)
    assert keys() == sorted([kept.key, of[2]])
    assert orphans() == Removed(0, 0)


def test_what_has_no_row_is_left_alone_for_a_day(team):
    stranger = str(Key(uuid4(), uuid4(), 1))
    put(stranger)
    assert orphans() == Removed(0, 0)
    assert orphans(timezone.now() + LIMITS.export_orphan) == Removed(1, 0)
    assert keys() == []


def test_what_is_not_named_like_an_archive_is_never_touched(team):
    put(f"{FOLDER}readme.txt")
    assert orphans(timezone.now() + timedelta(days=400)) == Removed(0, 0)
    assert keys() == [f"{FOLDER}readme.txt"]


def test_below_the_prefix_of_deleted_rows_old_uploads_go_and_files_stay(team):
    put("deleted/issues/a.jsonl.gz")
    begin_upload("deleted/issues/b.jsonl.gz")
    begin_upload("undeleted/c")

    def removed(now: datetime, store: Storage | None = None) -> Removed:
        return remove_orphans(storage=store or storage(), now=now, limits=LIMITS, kept="deleted/")

    later = timezone.now() + LIMITS.export_orphan
    assert removed(later - timedelta(minutes=1)) == Removed(0, 0)
    assert str(removed(later, Refusing(lambda key: True))) == "removed 0, failed 1"
    assert str(removed(later)) == "removed 1"
    left = [found for folder in ("deleted/", "undeleted/") for found in storage().found(folder)]
    assert [found.key for found in left] == ["deleted/issues/a.jsonl.gz", "undeleted/c"]
    for found in left:
        storage().remove(found)


def test_an_orphan_that_cannot_be_removed_stops_no_other(team):
    bad, good = (str(Key(uuid4(), uuid4(), n)) for n in (1, 2))
    put(bad)
    put(good)
    later = timezone.now() + LIMITS.export_orphan
    assert orphans(later, Refusing(lambda key: key == bad)) == Removed(1, 1)
    assert keys() == [bad]


def test_orphans_are_looked_for_piece_by_piece(team):
    for number in range(5):
        put(str(Key(uuid4(), uuid4(), number)))
    limits = replace(LIMITS, sweep_batch=2)
    later = timezone.now() + limits.export_orphan
    assert remove_orphans(storage=storage(), now=later, limits=limits) == Removed(5, 0)
    assert not Exporter.objects.exists()
