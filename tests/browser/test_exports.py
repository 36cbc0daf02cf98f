"""Exports as people follow them."""

from uuid import uuid4

import pytest
from django.utils import timezone

from project.models import Exporter
from project.services.exports.attempts import begin, fail, note_progress, note_snapshot
from project.services.exports.scope import Scope
from tests.browser.looks import faults
from tests.browser.office import Office
from tests.browser.visitor import Visitor
from tests.services.exports.exporting import LIMITS, make, requested

EXPORTS = "/brightwater/exports/"
FIRST = ".export:first-child"

pytestmark = pytest.mark.usefixtures("redis_server")


@pytest.fixture
def ben(visitor: Visitor, office: Office) -> Visitor:
    visitor.look(1200)
    visitor.sign_in(office.ben)
    return visitor


def test_an_export_is_followed_until_it_can_be_fetched(ben: Visitor) -> None:
    ben.open("/brightwater/inbox/")
    ben.press_and_leave("Exports", ".head")
    ben.press("JSON")
    ben.press_and_leave("Export", "main form")
    assert "Queued" in ben.text(FIRST)
    make(Exporter.objects.get())
    ben.until(lambda: "Completed" in ben.text(FIRST))
    assert "Completed" in ben.attribute("#exports-said", "textContent")
    assert ben.all("progress") == []
    assert "/download/" in ben.attribute(f"{FIRST} .download", "href")
    assert ben.complaints() == []


def test_progress_moves_and_the_focus_stays(ben: Visitor, office: Office) -> None:
    export = requested(office.team, by="ben")
    attempt = begin(export.id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    assert attempt
    ben.open(EXPORTS)
    ben.run("document.querySelector('.export button').focus()")
    note_snapshot(attempt, at=timezone.now(), scope=Scope(frozenset({office.team.project.id})), total=4)
    note_progress(attempt, rows=3, now=timezone.now())
    ben.until(lambda: ben.attribute("progress", "value") == "75")
    assert ben.run("return document.activeElement.textContent") == "Cancel"
    ben.press_and_leave("Cancel", FIRST)
    assert "Cancelled" in ben.text(FIRST)


def test_without_javascript(ben: Visitor) -> None:
    ben.without_javascript()
    ben.open(EXPORTS)
    ben.press_and_leave("Export", "main form")
    make(Exporter.objects.get())
    ben.press_and_leave("Reload")
    assert "Download" in ben.text(FIRST)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1200])
def test_looks(ben: Visitor, office: Office, width: int, theme: str) -> None:
    make(requested(office.team, by="ben"))
    failed = requested(office.team, "xlsx", by="ben")
    attempt = begin(failed.id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    assert attempt
    fail(
        attempt,
        "The storage for archives cannot be reached at the moment.",
        now=timezone.now(),
        limits=LIMITS,
    )
    requested(office.team, "json", by="ben")
    ben.look(width, theme)
    ben.open(EXPORTS)
    ben.run("for (const details of document.querySelectorAll('details')) details.open = true")
    assert (faults(ben), ben.complaints()) == ([], [])
