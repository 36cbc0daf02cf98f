"""Every row of the classification, and what follows from it."""

import pytest

from project.services.digests.progress import Fault, Outcome, Phase, Progress
from project.services.digests.replies import Kind, classify

P, F, K = Phase, Fault, Kind

SETTING_UP = (P.CONNECT, P.EHLO, P.TLS)
IN_SESSION = (P.MAIL, P.RCPT, P.DATA, P.BODY)

#: Phases, what the server said there (or the faults), kind.
TABLE: list[tuple[tuple[Phase, ...], tuple[str, ...], Kind]] = [
    (SETTING_UP, (F.LOST, F.TIMEOUT, F.UNREADABLE, F.UNSUPPORTED, "421 busy", "554 5.7.1 no"), K.OUTAGE),
    ((P.AUTH,), ("535 5.7.8 no", "534 5.7.9 no", "530 no", "538 no", F.UNSUPPORTED), K.CONFIG),
    ((P.AUTH,), ("454 4.7.0 not now", "421 4.3.2 busy", F.LOST, F.TIMEOUT, F.UNREADABLE), K.OUTAGE),
    (IN_SESSION, (F.LOST, F.TIMEOUT, F.UNREADABLE), K.SESSION),
    ((P.MAIL, P.RCPT, P.DATA, P.REPLIED), ("421 4.3.2 closing", "421 bye"), K.SESSION),
    ((P.MAIL,), ("450 later", "452 4.3.1 no room", "451 4.7.1 too fast"), K.TRANSIENT),
    ((P.MAIL,), ("530 no", "550 no", "553 no", "554 no", "501 what?"), K.CONFIG),
    ((P.MAIL,), ("550 5.1.7 no", "550 5.1.8 no", "550 5.7.1 no", "554 5.7.26 no", "552 5.7.1 no"), K.CONFIG),
    ((P.MAIL,), ("552 too big", "552 5.3.4 too big", "554 5.3.4 too big"), K.MESSAGE),
    ((P.RCPT,), ("450 later", "451 4.7.1 greylisted", "452 4.5.3 too many"), K.TRANSIENT),
    ((P.RCPT,), ("452 4.2.2 full", "552 5.2.2 full", "550 5.2.2 full", "552 full"), K.RECEIVER_SOFT),
    ((P.RCPT,), ("550 unknown", "551 unknown", "553 unknown", "550 5.0.0 unknown"), K.RECEIVER),
    ((P.RCPT,), ("550 5.1.1 ?", "550 5.1.2 ?", "553 5.1.3 ?", "551 5.1.6 ?", "556 5.1.10 ?"), K.RECEIVER),
    ((P.RCPT,), ("550 5.2.1 disabled", "550 #5.1.1 unknown"), K.RECEIVER),
    ((P.RCPT,), ("550 5.7.1 denied", "554 5.7.1 blocked", "553 5.7.26 unauthenticated"), K.POLICY),
    ((P.RCPT,), ("554 blocked", "550 5.4.1 denied", "503 sequence", "550 5.1.100 ?"), K.POLICY),
    ((P.DATA,), ("451 4.3.0 later",), K.TRANSIENT),
    ((P.DATA,), ("554 5.5.1 no",), K.MESSAGE),
    ((P.DATA,), ("250 out of step",), K.SESSION),
    ((P.REPLIED,), ("250 2.0.0 queued", "250 ok", "200 well"), K.SENT),
    ((P.REPLIED,), ("451 4.3.0 later", "452 no room", "450 4.2.2 full"), K.TRANSIENT),
    ((P.REPLIED,), ("554 5.6.0 bad", "550 5.3.4 big", "552 big", "550 no", "554 no"), K.MESSAGE),
    ((P.REPLIED,), ("550 5.7.1 spam", "550 5.7.9 no", "550 5.7.26 no", "550 5.7.515 no"), K.POLICY),
    ((P.REPLIED,), ("552 5.7.0 content",), K.POLICY),
    # Contradictions: the milder code counts.
    ((P.MAIL, P.RCPT, P.DATA, P.REPLIED), ("550 4.1.1 hm", "450 5.1.1 hm"), K.TRANSIENT),
    ((P.DOT,), (F.LOST, F.TIMEOUT, F.UNREADABLE, F.UNFINISHED, "354 what?"), K.AMBIGUOUS),
    ((P.BODY,), (F.FENCE,), K.REFUSED_BY_FENCE),
    ((*SETTING_UP, P.AUTH, *IN_SESSION), (F.UNFINISHED,), K.INTERRUPTED),
]
ROWS = [(phase, answer, kind) for phases, answers, kind in TABLE for phase in phases for answer in answers]


def outcome(phase: Phase, answer: str) -> Outcome:
    progress = Progress()
    progress.enter(phase)
    if isinstance(answer, Fault):
        return progress.end(answer)
    code, _, text = answer.partition(" ")
    progress.answered(int(code), text.encode())
    return progress.end(None)


@pytest.mark.parametrize(("phase", "answer", "kind"), ROWS)
def test_classification(phase: Phase, answer: str, kind: Kind) -> None:
    verdict = classify(outcome(phase, answer))

    assert verdict.kind is kind
    assert verdict.certain_negative is (kind not in {Kind.SENT, Kind.AMBIGUOUS})


def test_every_kind_is_in_the_table() -> None:
    assert {kind for _, _, kind in ROWS} == set(Kind)


def test_an_answer_that_was_heard_counts_even_if_the_call_was_torn_out() -> None:
    progress = Progress()
    progress.enter(Phase.DOT)
    progress.answered(250, b"2.0.0 queued")
    progress.phase = Phase.REPLIED

    assert classify(progress.outcome).kind is Kind.SENT


@pytest.mark.parametrize(
    ("phase", "answer", "reason"),
    [
        (P.RCPT, "550 5.1.1 <ann@example.com> unknown", "rcpt 550 5.1.1"),
        (P.MAIL, "452 Ann must wait", "mail 452"),
        (P.DOT, F.TIMEOUT, "dot timed out"),
        (P.DOT, F.UNREADABLE, "dot unreadable answer"),
        (P.BODY, F.FENCE, "body refused by the fence"),
    ],
)
def test_the_reason_names_no_people(phase: Phase, answer: str, reason: str) -> None:
    assert classify(outcome(phase, answer)).reason == reason


@pytest.mark.parametrize(
    ("phase", "answer", "charges", "permanent"),
    [
        (P.CONNECT, F.LOST, False, False),
        (P.AUTH, "535 no", False, False),
        (P.MAIL, "550 no", False, False),
        (P.BODY, F.FENCE, False, False),
        (P.BODY, F.UNFINISHED, False, False),
        (P.MAIL, F.LOST, True, False),
        (P.RCPT, "450 later", True, False),
        (P.RCPT, "452 4.2.2 full", True, False),
        (P.RCPT, "552 5.2.2 full", True, True),
        (P.RCPT, "550 5.1.1 unknown", True, True),
        (P.RCPT, "550 5.7.1 denied", True, False),
        (P.REPLIED, "554 5.6.0 bad", True, True),
    ],
)
def test_what_it_costs_the_mail(phase: Phase, answer: str, charges: bool, permanent: bool) -> None:
    verdict = classify(outcome(phase, answer))

    assert (verdict.charges_attempt, verdict.permanent) == (charges, permanent)


@pytest.mark.parametrize(
    ("phase", "answer", "throttled"),
    [
        (P.MAIL, "451 4.7.1 slow down", True),
        (P.MAIL, "451 4.3.0 later", False),
        (P.RCPT, "451 4.7.1 greylisted", False),
    ],
)
def test_throttling_is_said_to_mail(phase: Phase, answer: str, throttled: bool) -> None:
    assert classify(outcome(phase, answer)).throttled is throttled
