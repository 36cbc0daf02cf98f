"""Keeps one connection per thread, and knows when not to trust it."""

import threading
from collections.abc import Callable
from time import monotonic

from project.limits import Limits
from project.mail_server import MailServer
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Outcome, Progress
from project.services.digests.smtp import Session


class Connections(threading.local):
    """One object for a process; each thread sees a connection of its own in it.

    A connection is reused for `smtp_reuse_mails` mails or until it has been idle for `smtp_reuse_idle`.
    Servers close idle connections unasked, so a session that breaks before the fence is tried once more at
    once, on a new connection.
    """

    def __init__(self, server: MailServer, limits: Limits) -> None:
        self._server = server
        self._limits = limits
        self._session = Session(server, limits)

    def transmit(self, mail: Mail, fence: Callable[[], bool], progress: Progress) -> Outcome:
        """Send one mail as `Session.transmit` does; the fence is asked at most once."""
        session = self._usable()
        reused = session.mails > 0
        outcome = session.transmit(mail, fence, progress)
        # A server that was silent on a new connection will be silent on the next one, too.
        if outcome.session_lost and (reused or outcome.fault is not Fault.TIMEOUT):
            outcome = self._usable().transmit(mail, fence, progress)
        return outcome

    def close(self) -> None:
        """Leave this thread's server."""
        self._session.leave()

    def _usable(self) -> Session:
        worn = self._session.mails >= self._limits.smtp_reuse_mails
        idle = monotonic() - self._session.used_at > self._limits.smtp_reuse_idle.total_seconds()
        if worn or idle:
            self._session.leave()
        if self._session.sock is None:
            self._session = Session(self._server, self._limits)
        return self._session
