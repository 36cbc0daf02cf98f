"""A worker that was taken over and comes to the fence all the same is refused, and counted."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone

from project.actors import digests, exports
from project.models import DigestStatus, ExportStatus
from project.queue import metrics
from project.queue.metrics import Counted
from project.services.digests import attempts as mails
from project.services.exports import attempts as archives
from project.services.exports.archive import Archive
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import only_digest
from tests.services.digests.office import due, open_office
from tests.services.exports.exporting import LIMITS, depot, requested
from tests.services.exports.meanwhile import left, run_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def refused() -> Iterator:
    before = metrics._counts[Counted.FENCE_REFUSED]
    return lambda: metrics._counts[Counted.FENCE_REFUSED] - before


def take_over(module, row_id: UUID) -> None:
    assert module.begin(row_id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)


def test_of_a_mail(team, refused, monkeypatch):
    def meanwhile(stage: str, recipient: str) -> None:
        if stage == "data":
            take_over(mails, digest.id)
            connection.close()

    with open_office(meanwhile) as (office, server):
        monkeypatch.setattr(digests, "OUTBOX", office.outbox)
        digest = due(team)
        digests.send_digest.fn(str(digest.id), 1)
    assert (refused(), server.accepted) == (1, [])
    assert (only_digest().status, only_digest().attempt) == (DigestStatus.SENDING, 2)


def test_of_an_archive(team, refused, monkeypatch):
    make_issue(team)
    export = requested(team)
    stream = Archive.stream

    def meanwhile(archive: Archive) -> Iterator[bytes]:
        yield from stream(archive)
        take_over(archives, export.id)

    monkeypatch.setattr(Archive, "stream", meanwhile)
    monkeypatch.setattr(exports, "DEPOT", depot(export_heartbeat=timedelta(seconds=60)))
    exports.run_export.fn(str(export.id), 1)
    assert (refused(), left(export)) == (1, [])
    assert (run_of(export).status, run_of(export).attempt) == (ExportStatus.PROCESSING, 2)
