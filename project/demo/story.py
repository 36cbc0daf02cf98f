"""The story: a team at work, a worker that dies in the middle, and what became of every mail."""

from dataclasses import dataclass
from datetime import datetime
from io import StringIO

from django.core.management import call_command

from project.demo.audit import Audit, audit
from project.demo.crash import Killed, kill_at_work
from project.demo.crew import Crew
from project.demo.effects import EffectLog
from project.demo.narrator import Narrator
from project.demo.patience import wait_for
from project.demo.progress import Unfinished, mailed
from project.demo.script import Script
from project.models import DigestStatus, EmailDigest

SETTLE = 150  # seconds that everything may take to come to its end


@dataclass(frozen=True)
class Ending:
    """How the story ended.

    Attributes:
        audit: The tables against the mail server.
        killed: The worker that died, and what it was at.
        recovered: Seconds from its death until the last of its mails was sent; None if it had none to send.
        sound: Whether ``manage.py verify`` found nothing.
        verdict: What that printed.
    """

    audit: Audit
    killed: Killed
    recovered: float | None
    sound: bool
    verdict: str

    @property
    def happy(self) -> bool:
        """Nothing twice, nothing lost, nothing given up, and no contradiction in the tables."""
        return self.audit.exact and self.audit.unfailing and self.sound


def play(script: Script, crew: Crew, effects: EffectLog, narrator: Narrator) -> Ending:
    """Play all acts, wait until everything has settled, and look.

    Raises:
        RefusedError: if the API does not accept a request.
        StartError: if a process ended by itself.
        TookTooLongError: if the worker was never caught at work, or something is unfinished after `SETTLE`.
    """
    narrator.follow(script.morning())
    narrator.follow(script.rush())
    killed = kill_at_work(crew.workers, effects)
    narrator.say(f"SIGKILL for {killed.worker.name}, all of it; mails it had begun: {len(killed.before_dot)}")
    narrator.follow(script.afternoon())
    killed.worker.start()
    narrator.say(f"{killed.worker.name} is started again, as a supervisor would")
    wait_for("everything settled", lambda: _settled(crew, effects), seconds=SETTLE)
    narrator.say("everything has settled")
    sound, verdict = _verify()
    return Ending(audit(effects.read()), killed, _recovered(killed, effects), sound, verdict)


def _settled(crew: Crew, effects: EffectLog) -> bool:
    crew.check()
    left = Unfinished.now()
    fenced = left.digests_in(DigestStatus.FENCED)
    if left.events or left.lines or left.digests.keys() - fenced:
        return False
    return mailed(fenced, {effect.message_id for effect in effects.read()})


def _recovered(killed: Killed, effects: EffectLog) -> float | None:
    digests = EmailDigest.objects.filter(id__in=killed.to_be_sent)
    message_ids = set(digests.values_list("message_id", flat=True))
    times = [
        datetime.fromisoformat(effect.time) for effect in effects.read() if effect.message_id in message_ids
    ]
    return (max(times) - killed.at).total_seconds() if times else None


def _verify() -> tuple[bool, str]:
    output = StringIO()
    try:
        call_command("verify", stdout=output)
    except SystemExit:
        return False, output.getvalue()
    return True, output.getvalue()
