"""Addresses and domains that refuse our mail."""

from datetime import timedelta

import pytest

from project.models import DigestStatus, EmailDigest, SuppressedAddress, User
from project.services.digests.suppression import ADDRESS_SUPPRESSED, domain_held_until, is_suppressed
from tests.factories import Team, make_team
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.office import MINUTE, due, open_office, wake
from tests.smtp_script import Action, Script, reply, script

pytestmark = pytest.mark.django_db(transaction=True)
FAILED, SUPPRESSED, WAITING = DigestStatus.FAILED, DigestStatus.SUPPRESSED, DigestStatus.WAITING
DAY = timedelta(days=1)
UNKNOWN = reply("550 5.1.1 no such user")


def refusing(answers: dict[str, str]) -> Script:
    """Refuse recipients in whose address a key is found."""

    def behave(stage: str, recipient: str) -> Action | None:
        found = [text for key, text in answers.items() if stage == "rcpt" and key in recipient]
        return reply(found[0]) if found else None

    return behave


def addressed(team: Team, **addresses: str) -> None:
    for name, email in addresses.items():
        User.objects.filter(pk=team.members[name].pk).update(email=email)


def outcome(digest: EmailDigest) -> tuple[str, str]:
    digest.refresh_from_db()
    return digest.status, digest.reason


def test_the_address_is_suppressed_and_not_the_person(team):
    with open_office(refusing({"bob@": "550 5.1.1 no such user"})) as (office, server):
        office.deliver([wake(due(team))])
        second = due(team)
        office.deliver([wake(second)])
        assert outcome(second) == (SUPPRESSED, "suppressed_address")
        addressed(team, bob="robert@acme.example")
        office.deliver([wake(due(team))])
    (row,) = SuppressedAddress.objects.all()
    assert (row.address, row.reason, row.evidence) == ("bob@acme.example", "unknown", "rcpt 550 5.1.1")
    assert (row.since, row.until) == (NOW, None)
    assert [mail.recipient for mail in server.accepted] == ["robert@acme.example"]


@pytest.mark.parametrize("spelling", ["bob@müller.example", "BOB@xn--mller-kva.example"])
def test_an_address_is_known_in_any_spelling(team, spelling):
    SuppressedAddress.objects.create(
        address="bob@xn--mller-kva.example", reason="unknown", evidence="x", since=NOW
    )
    assert is_suppressed(spelling, now=NOW)
    assert not is_suppressed("not an address", now=NOW)


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"until": NOW + MINUTE}, True),
        ({"until": NOW}, False),
        ({"cleared_at": NOW}, False),
    ],
)
def test_a_suppression_holds_until_its_end_or_until_it_is_cleared(fields, holds):
    given = {"address": "bob@acme.example", "reason": "unknown", "evidence": "x", "since": NOW, **fields}
    SuppressedAddress.objects.create(**given)
    assert is_suppressed("bob@acme.example", now=NOW) is holds


@pytest.mark.parametrize(
    ("every", "mails", "suppressed"), [(DAY, 4, False), (DAY, 5, True), (4 * DAY, 5, False)]
)
def test_a_mailbox_that_is_always_full_is_left_alone_for_two_weeks(team, every, mails, suppressed):
    with open_office(refusing({"bob@": "552 5.2.2 full"})) as (office, _):
        for _ in range(mails):
            office.now += every
            office.deliver([wake(digest := due(team))])
            assert outcome(digest) == (FAILED, "receiver_soft: rcpt 552 5.2.2")
        assert is_suppressed("bob@acme.example", now=office.now) is suppressed
        assert not is_suppressed("bob@acme.example", now=office.now + 14 * DAY)


def test_a_mail_that_finds_a_mailbox_full_again_and_again_counts_once(team):
    with open_office(refusing({"bob@": "452 4.2.2 full"})) as (office, _):
        digest = due(team)
        for _ in range(8):
            office.deliver([wake(digest)])
        assert outcome(digest) == (WAITING, "")
        assert not is_suppressed("bob@acme.example", now=office.now)
    assert SuppressedAddress.objects.count() == 1


def test_a_domain_that_denies_us_is_left_alone_for_an_hour_and_nobody_is_suppressed(team):
    addressed(team, carl="carl@other.example")
    with open_office(refusing({"acme": "554 5.7.1 denied"})) as (office, server):
        first, same, other = due(team), due(team, receiver="dora"), due(team, receiver="carl")
        office.deliver([wake(first), wake(same), wake(other)])
        assert outcome(other)[0] == DigestStatus.SENT
        assert (outcome(first), outcome(same)) == ((WAITING, ""), (WAITING, ""))
        assert (first.failures, same.failures) == (1, 0)  # the second was not even tried
        assert [c for c in server.commands if c.startswith("RCPT TO:<dora")] == []
        assert domain_held_until("x@ACME.example", now=NOW) == NOW + 60 * MINUTE
        assert min(first.due_at, same.due_at) >= NOW + 60 * MINUTE
        server.behave = script()
        office.now += 59 * MINUTE
        office.tick()
    assert len(server.accepted) == 3


@pytest.mark.parametrize("answer", ["550 5.1.1 no such user", "554 5.7.1 denied"])
def test_if_many_domains_refuse_alike_and_nothing_gets_through_the_fault_is_ours(team, caplog, answer):
    addressed(team, bob="bob@a.example", carl="carl@b.example", dora="dora@c.example")
    with open_office(script(rcpt=[reply(answer)] * 3)) as (office, server):
        digests = [due(team, receiver=name) for name in ("bob", "carl", "dora")]
        office.deliver(map(wake, digests))
        assert office.breaker.state().cause.startswith("receivers of many domains are refused alike: rcpt 55")
        assert [outcome(digest) for digest in digests] == [(WAITING, "")] * 3
        assert not is_suppressed("bob@a.example", now=NOW)
        assert domain_held_until("bob@a.example", now=NOW) is None
        for _ in range(6):
            office.tick()
    assert [outcome(digest) for digest in digests] == [(DigestStatus.SENT, "")] * 3
    assert len(server.accepted) == 3
    assert [r.levelname for r in caplog.records if r.levelno > 30] == ["ERROR"]


def test_what_was_spared_because_of_the_mistake_is_mailed_as_well(team):
    addressed(team, bob="bob@a.example", carl="carl@b.example", dora="dora@c.example")
    with open_office(script(rcpt=[reply("550 5.1.1 no such user")] * 3)) as (office, server):
        digests = [due(team, receiver=name) for name in ("bob", "bob", "carl", "dora")]
        office.deliver(map(wake, digests[:2]))
        assert outcome(digests[1]) == (DigestStatus.SUPPRESSED, "suppressed_address")
        office.deliver(map(wake, digests[2:]))
        assert outcome(digests[1]) == (WAITING, "")
        for _ in range(8):
            office.tick()
    assert [outcome(digest) for digest in digests] == [(DigestStatus.SENT, "")] * 4
    assert len(server.accepted) == 4


def test_what_the_mistake_has_nothing_to_do_with_stays_as_it_ended(team):
    addressed(team, bob="bob@a.example", carl="carl@b.example", dora="dora@c.example")
    others = {"read": NOW, ADDRESS_SUPPRESSED: NOW - 6 * MINUTE}
    with open_office(script(rcpt=[reply("550 5.1.1 no such user")] * 3)) as (office, _):
        for reason, ended_at in others.items():
            ended = {"status": SUPPRESSED, "reason": reason, "ended_at": ended_at}
            EmailDigest.objects.filter(id=due(team).id).update(**ended)
        office.deliver([wake(due(team, receiver=name)) for name in ("bob", "carl", "dora")])
    assert not SuppressedAddress.objects.filter(cleared_at=None).exists()
    left = EmailDigest.objects.filter(status=SUPPRESSED)
    assert dict(left.values_list("reason", "ended_at")) == others


@pytest.mark.parametrize(
    ("domains", "answers", "got_through"),
    [
        (("a.example", "b.example", "b.example"), [UNKNOWN] * 3, False),
        (("a.example", "b.example", "c.example"), [UNKNOWN] * 2 + [reply("550 5.1.3 what?")], False),
        (("a.example", "b.example", "c.example"), [UNKNOWN] * 3, True),
    ],
)
def test_otherwise_the_mailboxes_just_do_not_exist(team, domains, answers, got_through):
    for name, domain in zip(("bob", "carl", "dora"), domains, strict=True):
        addressed(team, **{name: f"{name}@{domain}"})
    with open_office() as (office, server):
        if got_through:
            office.deliver([wake(due(team, receiver="eve"))])
        server.behave = script(rcpt=answers)
        digests = [due(team, receiver=name) for name in ("bob", "carl", "dora")]
        office.deliver(map(wake, digests))
        assert office.breaker.state().stopped_at is None
    assert [outcome(digest)[0] for digest in digests] == [FAILED] * 3
    assert SuppressedAddress.objects.filter(cleared_at=None).count() == 3


def test_those_who_were_under_way_when_it_was_found_out_are_not_suppressed_either(team):
    names = ("bob", "carl", "dora", "eve")
    addressed(team, **{name: f"{name}@{name}.example" for name in names})
    with open_office(refusing({"example": "550 5.1.1 no such user"})) as (office, _):
        digests = [due(team, receiver=name) for name in names]
        admitted = office.breaker.admit(now=NOW)
        office.deliver(map(wake, digests[:3]))
        office.breaker.admit = lambda *, now: admitted
        office.deliver([wake(digests[3])])
    assert [outcome(digest)[0] for digest in digests] == [WAITING] * 4
    assert not SuppressedAddress.objects.filter(cleared_at=None).exists()


def test_an_address_that_fails_before_it_is_mailed_is_not_suppressed():
    team = make_team()
    addressed(team, bob="jörg@acme.example")
    with open_office() as (office, _):
        office.deliver([wake(due(team))])
    assert outcome(only_digest()) == (FAILED, "receiver: eai_unsupported")
    assert not SuppressedAddress.objects.exists()
