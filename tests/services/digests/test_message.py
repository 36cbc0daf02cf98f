"""The bytes of a mail: the same for the same arguments, readable by any parser, within every length limit."""

from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.mail_server import LONGEST_DOMAIN, LONGEST_NAME, Mailbox
from project.services.digests.addresses import AddressError
from project.services.digests.header_text import clean_header_text, well_formed
from project.services.digests.message import LONGEST_TOKEN, Extra, build, message_id, thread_root

DIGEST, RECEIVER, ISSUE = UUID(int=1), UUID(int=2), UUID(int=3)
DOMAIN = "mail.example.org"
ROOT = thread_root(RECEIVER, ISSUE, DOMAIN)
MESSAGE_ID = message_id(DIGEST, 0, DOMAIN)

WHOLE = """\
From: Tracker <notify@example.org>
To: ann@example.com
Subject: [ACME-1] Broken
Date: Sun, 01 Mar 2026 12:30:00 +0000
Message-ID: <wxrpleeaeob4cvqe7madxfrdpk.d@mail.example.org>
References: <i.q2eyzkuk3vzrl3hbljs4okvogb@mail.example.org>
In-Reply-To: <i.q2eyzkuk3vzrl3hbljs4okvogb@mail.example.org>
List-Unsubscribe: <https://tracker.example.org/unsubscribe/AbCdEfGhIjKlMnOp/>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Auto-Submitted: auto-generated
X-Auto-Response-Suppress: All
Precedence: list
List-Id: <1a2b.acme.mail.example.org>
X-Singlepost-Reason: mention
MIME-Version: 1.0
Content-Type: multipart/alternative;
 boundary="=_wxrpleeaeob4cvqe7madxfrdpk.d"

--=_wxrpleeaeob4cvqe7madxfrdpk.d
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Ann commented.

--=_wxrpleeaeob4cvqe7madxfrdpk.d
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>Ann commented.</p>

--=_wxrpleeaeob4cvqe7madxfrdpk.d--
"""

any_text = st.text(st.characters(codec=None), max_size=300)  # surrogates and controls, too


def built(**changes: Any) -> bytes:
    arguments: dict[str, Any] = {
        "sender": Mailbox("Tracker", "notify@example.org"),
        "recipient": "ann@example.com",
        "subject": "[ACME-1] Broken",
        "text": "Ann commented.\n",
        "html": "<p>Ann commented.</p>\n",
        "message_id": MESSAGE_ID,
        "date": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    }
    return build(**arguments | changes)


def parsed(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=policy.default)
    assert [part.defects for part in message.walk()] == 3 * [[]]
    return message


def alternatives(message: EmailMessage) -> list[tuple[str, str]]:
    parts = [(part.get_content_type(), part.get_content()) for part in message.iter_parts()]
    return [(kind, content.replace("\r\n", "\n")) for kind, content in parts]


def decoded(header: str) -> str:
    return str(make_header(decode_header(header)))


def test_the_whole_of_a_mail() -> None:
    content = built(
        references=[ROOT],
        in_reply_to=ROOT,
        unsubscribe=["https://tracker.example.org/unsubscribe/AbCdEfGhIjKlMnOp/"],
        extra={Extra.LIST_ID: "<1a2b.acme.mail.example.org>", Extra.REASON: "mention"},
    )

    assert content == WHOLE.replace("\n", "\r\n").encode()


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert built() == built()


def test_what_a_mail_library_writes_again_is_the_same() -> None:
    content = built(
        references=[ROOT, MESSAGE_ID],
        subject="Größe " * 12,
        sender=Mailbox("Jörg", "notify@example.org"),
    )

    again = message_from_bytes(content, policy=policy.SMTP.clone(refold_source="none"))

    assert again.as_bytes() == content


@given(text=any_text, html=any_text, subject=any_text, name=any_text)
def test_any_text_gives_one_mail_that_says_it(text: str, html: str, subject: str, name: str) -> None:
    content = built(text=text, html=html, subject=subject, sender=Mailbox(name, "notify@example.org"))

    message = message_from_bytes(content)  # the modern policy takes long for a long header
    assert decoded(message["Subject"]) == clean_header_text(subject)
    sender, address = parseaddr(message["From"])
    assert (decoded(sender), address) == (clean_header_text(name), "notify@example.org")
    assert message.keys() == parsed(built()).keys()
    bodies = [part.get_payload(decode=True) for part in message.walk()][1:]
    assert bodies == [_plain(body).replace("\n", "\r\n").encode() for body in (text, html)]


@given(text=any_text, subject=any_text)
def test_every_line_is_short_ascii_and_ends_with_crlf(text: str, subject: str) -> None:
    content = built(text=text, html=text * 20, subject=subject)

    assert content.isascii()
    assert content.endswith(b"\r\n")
    lines = content.split(b"\r\n")
    assert max(map(len, lines)) <= 998
    assert not any(b"\r" in line or b"\n" in line for line in lines)


@pytest.mark.parametrize("name", [LONGEST_NAME * "x", (LONGEST_NAME // 2) * "x,", (LONGEST_NAME // 2) * "é "])
def test_a_long_name_of_the_sender_has_a_line_for_itself(name: str) -> None:
    content = built(sender=Mailbox(name, f"{'n' * 30}@example.org"))
    head = content.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert max(map(len, head)) <= 78
    sender, address = parseaddr(message_from_bytes(content)["From"])
    assert (decoded(sender), address) == (clean_header_text(name), f"{'n' * 30}@example.org")


@pytest.mark.parametrize(
    "text", ["", "x" * 5000, ".\n..\n.", "From me\n", "trailing \nspace\t\n", "--=_\n", "é" * 500]
)
def test_awkward_bodies(text: str) -> None:
    assert alternatives(parsed(built(text=text, html=text))) == [("text/plain", text), ("text/html", text)]


def test_a_title_of_eight_kilobytes_with_emoji_and_right_to_left_text() -> None:
    title = "[ACME-1] " + "שלום 👩‍👩‍👧 " * 700

    subject = parsed(built(subject=title))["Subject"]

    assert len(subject) <= 150
    assert subject.startswith("[ACME-1] שלום 👩‍👩‍👧")
    assert subject.endswith("…")


@pytest.mark.parametrize("separator", ["\r\n", "\n", "\r", "\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_no_header_can_be_injected(separator: str) -> None:
    message = parsed(built(subject=f"Title{separator}Bcc: x@example.org"))

    assert message["Subject"] == "Title Bcc: x@example.org"
    assert message["Bcc"] is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("message_id", "<a@b\r\nBcc: x@y>"),
        ("message_id", f"<{'a' * 80}@example.org>"),
        ("in_reply_to", "<a b@example.org>"),
        ("references", ["<ä@example.org>"]),
        ("unsubscribe", ["https://tracker.example.org/" + 60 * "x"]),
        ("extra", {Extra.FEEDBACK_ID: ""}),
        ("extra", {Extra.REASON: "a\nb"}),
    ],
)
def test_a_token_that_would_be_folded_or_worse_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match="77"):
        built(**{name: value})


def test_an_address_that_cannot_be_sent_to_is_refused() -> None:
    with pytest.raises(AddressError, match="eai_unsupported"):
        built(recipient="jörg@example.com")


def test_an_international_domain_is_written_in_ascii() -> None:
    assert parsed(built(recipient="bob@müller.example"))["To"] == "bob@xn--mller-kva.example"


def test_both_unsubscribe_headers_or_none() -> None:
    url = "https://tracker.example.org/unsubscribe/AbCdEfGhIjKlMnOp/"
    message = parsed(built(unsubscribe=[url]))

    assert message["List-Unsubscribe"] == f"<{url}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert parsed(built())["List-Unsubscribe-Post"] is None


def test_a_thread_is_referred_to_from_its_root_on() -> None:
    message = parsed(built(references=[ROOT, MESSAGE_ID], in_reply_to=MESSAGE_ID))

    assert message["References"].split() == [ROOT, MESSAGE_ID]
    assert message["In-Reply-To"] == MESSAGE_ID


def test_names_come_from_their_causes() -> None:
    causes = [(DIGEST, 0), (DIGEST, 1), (ISSUE, 0)]

    assert message_id(DIGEST, 0, DOMAIN) == MESSAGE_ID
    assert len({message_id(*cause, DOMAIN) for cause in causes}) == 3
    assert len({ROOT, thread_root(ISSUE, RECEIVER, DOMAIN), thread_root(RECEIVER, DIGEST, DOMAIN)}) == 3


def test_names_with_the_longest_domain_are_tokens() -> None:
    domain = "x" * LONGEST_DOMAIN

    assert len(message_id(DIGEST, 10, domain)) <= LONGEST_TOKEN
    assert len(thread_root(RECEIVER, ISSUE, domain)) <= LONGEST_TOKEN


def _plain(text: str) -> str:
    return well_formed(text).replace("\r\n", "\n").replace("\r", "\n")
