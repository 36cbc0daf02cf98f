"""What the mail server comes up with."""

from collections.abc import Iterator
from random import Random

from tests.chaos.scene import Scene
from tests.smtp_script import BEHAVE, DROP, RESET, Action, Script, reply, script

GONE = "gone@"  # what the addresses have in common that do not exist
PATIENCE = 3  # seconds that the crew waits for an answer to the dot
MAILS = 3  # at most so many in a row are treated badly

#: Stage and answer. All but the last four are a clear no.
TROUBLES: tuple[tuple[str, Action], ...] = (
    ("banner", reply("421 4.3.2 shutting down")),
    ("mail", reply("421 4.7.0 too many connections")),
    ("mail", reply("451 4.3.0 later")),
    ("rcpt", reply("450 4.2.0 greylisted")),
    ("rcpt", reply("452 4.2.2 mailbox full")),
    ("data", reply("451 4.3.0 later")),
    ("dot", reply("452 4.3.1 no space")),
    ("dot", reply("552 5.3.4 too big")),
    ("dot", reply("554 5.7.1 looks like spam")),
    ("body", DROP),
    ("dot", DROP),
    ("dot", RESET),
    ("dot", reply("250 2.0.0 taken, but late", after=PATIENCE + 1)),
    ("dot", reply("250 2.0.0 taken, slowly", after=1)),
)


def trouble(scene: Scene, dice: Random) -> Iterator[float]:
    """Treat a few mails badly, all in the same way."""
    stage, action = dice.choice(TROUBLES)
    scene.smtp.behave = with_gone(script(**{stage: [action] * dice.randint(1, MAILS)}))
    yield 3
    scene.smtp.behave = with_gone(BEHAVE)


def with_gone(behave: Script) -> Script:
    """Refuse the mailboxes that do not exist, always; otherwise as given."""

    def refusing(stage: str, recipient: str) -> Action | None:
        if stage == "rcpt" and GONE in recipient:
            return reply("550 5.1.1 no such mailbox")
        return behave(stage, recipient)

    return refusing
