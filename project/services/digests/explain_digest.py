"""What became of one digest: the mail, its attempts, the answer, the outcome."""

from collections.abc import Iterator

from project.limits import Limits
from project.models import MOMENT, DigestKind, DigestStatus, EmailDigest, Step
from project.models.digest import WAITS
from project.services.digests.explain_reasons import why_left_out
from project.services.digests.explain_scene import Scene
from project.services.digests.explain_story import stopped_words

_S = DigestStatus


def digest_steps(digest: EmailDigest, scene: Scene, limits: Limits) -> list[Step]:
    """Tell what became of it so far, and what comes next."""
    return [*_past(digest, scene), _present(digest, scene, limits)]


def outcome_words(digest: EmailDigest) -> str:
    """Tell in a few words how it stands."""
    ended = f" since {digest.ended_at:{MOMENT}}" if digest.ended_at else ""
    reason = f" ({digest.reason})" if digest.reason else ""
    return f"{digest.get_status_display().lower()}{ended}{reason}"


def _past(digest: EmailDigest, scene: Scene) -> Iterator[Step]:
    at_once = "at once, since " if scene.wish.schedule.mentions_at_once else ""
    mention = f"{at_once}it has a mention" if digest.urgent else ""
    what = "lines about many issues" if digest.kind == DigestKind.ROLLUP else "lines"
    yield Step("digest", digest.created_at, f"{what} were gathered into digest {digest.id}", mention)
    for audit in scene.orders:
        if outcome := audit.rows.get(str(digest.id)):
            yield Step("order", audit.at, outcome, f"ordered by {audit.by}: {audit.why}")
    if digest.sealed_at:
        what = f"“{digest.subject}” to {digest.to_address}, generation {digest.generation}"
        yield Step("mail", digest.sealed_at, what)
    if digest.started_at:
        failed = f"failed so far: {digest.failures}" if digest.failures else ""
        yield Step("attempt", digest.started_at, f"attempt {digest.attempt} began", failed)
    if digest.dot_at:
        yield Step("final dot", digest.dot_at, "the mail server had the whole mail")


def _present(digest: EmailDigest, scene: Scene, limits: Limits) -> Step:
    match digest.status:
        case _S.WAITING:
            return _waiting(digest, scene)
        case _S.SENDING:
            return _sending(digest)
        case _S.FENCED:
            settled = digest.dot_at and digest.dot_at + limits.fence_patience
            return Step("answer", settled, "the answer is awaited until then, and nothing is sent again")
        case _S.SUPPRESSED:
            why = why_left_out(scene, digest.reason)
            return Step("suppressed", digest.ended_at, "not mailed, on purpose", why)
        case _:
            name = digest.get_status_display().lower()
            return Step(name, digest.ended_at, _end(digest), digest.reason or digest.answer)


def _end(digest: EmailDigest) -> str:
    ends: dict[str, str] = {
        _S.SENT: "the mail server took the mail",
        _S.SENT_ASSUMED: "counts as sent, though the answer is not known",
        _S.HELD: "waits for an operator: `manage.py digests assume-sent {id}`, or `requeue {id}`",
    }
    return ends.get(digest.status, "not mailed; `manage.py digests requeue {id}` tries again").format(
        id=digest.id
    )


def _sending(digest: EmailDigest) -> Step:
    lost = digest.unanswered - 1
    because = f"attempts before it that had no outcome: {lost}" if lost > 0 else ""
    return Step("sending", digest.started_at, "a worker is at it", because)


def _waiting(digest: EmailDigest, scene: Scene) -> Step:
    if digest.awaits_breaker and scene.stop:
        return Step(
            "waiting", digest.due_at, "tried again by then, or once mail flows", stopped_words(scene.stop)
        )
    if digest.answer.startswith(WAITS):
        return Step("waiting", digest.due_at, "is sent then", digest.answer)
    answer = f"last answer: {digest.answer}" if digest.answer else ""
    queued = digest.enqueued_at is not None and digest.enqueued_at >= digest.due_at
    planned = "is tried again then" if digest.attempt else "is sent with the next tick at the latest"
    what = f"on the queue since {digest.enqueued_at:{MOMENT}}" if queued else planned
    return Step("waiting", digest.due_at, what, answer)
