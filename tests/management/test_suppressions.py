"""``manage.py suppressions``."""

from datetime import timedelta

import pytest
from django.utils import timezone

from project.models import RequeueAudit, SuppressedAddress
from project.services.digests.suppression import domain_held_until, is_suppressed
from tests.management.ran import refused, run, run_json

pytestmark = pytest.mark.django_db

ORDERED = ("--yes", "--reason", "they asked", "--by", "olga")


def kept(
    address: str, kind: str = "unknown", *, age: int = 0, counted: bool = False, **fields: object
) -> SuppressedAddress:
    since = timezone.now() - timedelta(hours=age)
    until = {"until": since} if counted else {}
    given = {"evidence": f"rcpt 550 about {kind}", "since": since, **until, **fields}
    return SuppressedAddress.objects.create(address=address, reason=kind, **given)


def listed(*filters: object) -> list[str]:
    return [row["address"] for row in run_json("suppressions", "list", *filters)]


def in_force() -> set[str]:
    return {row.address for row in SuppressedAddress.objects.filter(cleared_at=None)}


def test_list_tells_what_is_in_force() -> None:
    kept("bob@a.example")
    kept("carl@a.example", until=timezone.now() - timedelta(minutes=1), age=1)
    kept("dora@a.example", cleared_at=timezone.now())
    kept("eve@a.example", "full", counted=True)
    assert listed() == ["bob@a.example"]
    assert "bob@a.example  unknown" in run("suppressions", "list")
    assert "rcpt 550 about unknown" in run("suppressions", "list")


def test_list_is_narrowed_by_kind_words_domain_and_age() -> None:
    kept("bob@a.example", age=3)
    kept("carl@b.example", "complaint")
    kept("@b.example", "policy", until=timezone.now() + timedelta(hours=1))
    assert listed("--kind", "complaint") == ["carl@b.example"]
    assert listed("--error", "ABOUT POLICY") == ["@b.example"]
    assert listed("--domain", "B.example") == ["carl@b.example", "@b.example"]
    assert listed("--older-than", "2h") == ["bob@a.example"]
    assert listed("--limit", 1) == ["bob@a.example"]
    assert run("suppressions", "list", "--domain", "c.example") == "No suppressed addresses fit.\n"


def test_show_tells_all_that_was_ever_kept() -> None:
    kept("bob@xn--mller-kva.example", "full", age=2, cleared_at=timezone.now())
    kept("bob@xn--mller-kva.example")
    rows = run_json("suppressions", "show", "Bob@müller.example")
    assert [(row["reason"], bool(row["cleared_at"])) for row in rows] == [("full", True), ("unknown", False)]
    assert "Nothing is kept against" in run("suppressions", "show", "x@a.example")


def test_clear_previews_and_then_clears_all_that_is_kept_against_an_address() -> None:
    for age in range(5):
        kept("bob@a.example", "full", age=age, counted=True)
    kept("bob@a.example", "full", until=timezone.now() + timedelta(days=14))
    preview = run("suppressions", "clear", "BOB@a.example", "nobody@a.example")
    assert "bob@a.example     will be cleared  mailbox full since" in preview
    assert "nobody@a.example  not suppressed" in preview
    assert is_suppressed("bob@a.example", now=timezone.now())
    assert "cleared 1" in run("suppressions", "clear", "bob@a.example", *ORDERED)
    assert in_force() == set()
    audit = RequeueAudit.objects.get()
    assert (audit.verb, audit.target, audit.by, audit.why) == ("clear", "addresses", "olga", "they asked")
    assert audit.rows["bob@a.example"].startswith("cleared: mailbox full since")
    assert audit.finished_at is not None
    assert "not suppressed 1" in run("suppressions", "clear", "bob@a.example", *ORDERED)


def test_clear_by_filter_takes_each_address_once_and_leaves_the_others() -> None:
    for _ in range(2):
        kept("bob@a.example")
    kept("carl@a.example", "complaint")
    assert "cleared 1" in run("suppressions", "clear", "--kind", "unknown", *ORDERED)
    assert in_force() == {"carl@a.example"}


def test_a_domain_is_cleared_by_its_name() -> None:
    kept("@a.example", "policy", until=timezone.now() + timedelta(hours=1))
    run("suppressions", "clear", "@A.example", *ORDERED)
    assert domain_held_until("x@a.example", now=timezone.now()) is None


def test_what_is_not_complete_is_refused() -> None:
    assert "no address and no @domain" in refused("suppressions", "show", "bob")
    assert "no address and no @domain" in refused("suppressions", "clear", "@-", *ORDERED)
    assert "Say why" in refused("suppressions", "clear", "bob@a.example", "--yes")
    assert "add --all" in refused("suppressions", "clear", *ORDERED)
    assert "not both" in refused("suppressions", "clear", "bob@a.example", "--kind", "full", *ORDERED)


def test_nothing_to_clear_is_said() -> None:
    assert run("suppressions", "clear", "--all", *ORDERED) == "No addresses fit.\n"
