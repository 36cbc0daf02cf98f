"""What workers measure of mails and exports; the numbers travel through Redis."""

from project.queue.measures import BRIEF, Durations, Tally

MAIL_ATTEMPTS = Tally(
    "mail_attempts",
    "Mails that a server was asked to take, by verdict",
    ("verdict",),
)
MAIL_PHASES = Durations("mail_phase_seconds", "Phases of a mail transaction", "phase", BRIEF)
URGENT, NOT_URGENT = "yes", "no"
MAIL_DELAY = Durations(
    "mail_delay_seconds",
    "From the writing of the oldest line in a mail to the moment at which a server took it",
    "urgent",
    (10.0, 30.0, 60.0, 90.0, 120.0, 180.0, 240.0, 300.0, 360.0, 420.0, 600.0, 900.0, 1800.0, 3600.0, 21600.0),
)
EXPORT_ROWS = Tally("export_rows", "Rows of archives that were completed")
EXPORT_BYTES = Tally("export_bytes", "Bytes of archives that were completed")
EXPORT_SECONDS = Durations(
    "export_seconds",
    "What the successful attempt at an export took",
    "",
    (0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0),
)
