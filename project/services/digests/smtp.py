"""Hands one mail to a server, with a fence before the point of no return.

The body is sent without its terminator; then the fence decides whether the final dot is written. Everything
before the dot is a certain "not sent".
"""

import smtplib
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from time import monotonic

from project.limits import Limits
from project.mail_server import MailServer, Security
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Outcome, Phase, Progress


class Session(smtplib.SMTP):
    """A connection that notes each phase and answer in a `Progress`, and has a timeout of its own per phase.

    Attributes:
        mails: How many transactions it has begun.
        used_at: When the last one ended, by the monotonic clock.
    """

    def __init__(self, server: MailServer, limits: Limits) -> None:
        super().__init__(local_hostname=_own_name(), timeout=limits.smtp_connect.total_seconds())
        self._host = server.host  # the name that STARTTLS checks; smtplib sets it only if it connects at once
        self._server = server
        self._limits = limits
        self._progress = Progress()
        self.mails = 0
        self.used_at = monotonic()

    def transmit(self, mail: Mail, fence: Callable[[], bool], progress: Progress) -> Outcome:
        """Send one mail, connecting first where needed. Faults of the server and the network do not raise.

        `fence` is asked when all but the final dot has been sent. If it says no, or raises, the connection is
        closed without the dot. After any exception `progress` says how far the mail had come.
        """
        self._progress = progress
        try:
            return self._transmit(mail, fence)
        except BaseException:
            self.close()  # else the next mail would take the answers to this one for its own
            raise
        finally:
            self.used_at = monotonic()

    def try_out(self, sender: str, progress: Progress) -> Outcome:
        """Go as far as being accepted as a sender, and take that back: nothing is sent.

        Faults of the server and the network do not raise; `progress` has the phases that were reached.
        """
        self._progress = progress
        try:
            self._open()
            self._enter(Phase.MAIL)
            _expect(2, self.docmd("MAIL", f"FROM:<{sender}>"))
        except (OSError, ValueError) as error:
            return self._failed(error)
        outcome = progress.end()
        self._reset()
        return outcome

    def leave(self) -> None:
        """Say goodbye and close. The answer changes nothing."""
        self._progress = Progress()
        self._wait_at_most(self._limits.smtp_quit.total_seconds())
        try:
            with suppress(OSError):
                self.docmd("QUIT")
        finally:
            self.close()

    def getreply(self) -> tuple[int, bytes]:
        """Read an answer and note it. A line that is too long is unreadable: -1, not smtplib's 500."""
        try:
            code, text = super().getreply()
        except smtplib.SMTPResponseException:
            code, text = -1, b"too long"
        self._progress.answered(code, text)
        return code, text

    def _transmit(self, mail: Mail, fence: Callable[[], bool]) -> Outcome:
        try:
            if self.sock is None:
                self._open()
            self._offer(mail)
        except (OSError, ValueError) as error:  # ValueError: undecodable text
            return self._failed(error)
        if not fence():
            self.close()
            return self._progress.end(Fault.FENCE)
        try:
            self._finish()
        except OSError as error:
            return self._failed(error)
        return self._progress.end()

    def _open(self) -> None:
        self._enter(Phase.CONNECT)
        _expect(2, self.connect(self._server.host, self._server.port))
        self._greet()
        if self._server.security is Security.STARTTLS:
            self._enter(Phase.TLS)
            self.starttls(context=tls_context())
            self._greet()
        if self._server.username:
            self._enter(Phase.AUTH)
            self.login(self._server.username, self._server.password)

    def _greet(self) -> None:
        self._enter(Phase.EHLO)
        self.ehlo_or_helo_if_needed()

    def _offer(self, mail: Mail) -> None:
        self.mails += 1
        size = f" SIZE={len(mail.content)}" if self.has_extn("size") else ""
        self._enter(Phase.MAIL)
        _expect(2, self.docmd("MAIL", f"FROM:<{mail.sender}>{size}"))
        self._enter(Phase.RCPT)
        _expect(2, self.docmd("RCPT", f"TO:<{mail.recipient}>"))
        self._enter(Phase.DATA)
        _expect(3, self.docmd("DATA"))
        self._enter(Phase.BODY)
        self.send(mail.dot_stuffed())

    def _finish(self) -> None:
        self._enter(Phase.DOT)
        self.send(b".\r\n")
        code, text = self.getreply()
        if code // 100 in {2, 4, 5}:
            self._progress.phase = Phase.REPLIED
        _expect(2, (code, text))

    def _failed(self, error: Exception) -> Outcome:
        fault = _fault(error)
        outcome = self._progress.end(fault, str(error) if fault else "")
        if outcome.refused:
            self._reset()
        else:
            self.close()
        return outcome

    def _reset(self) -> None:
        """Make the session fit for the next mail; what was answered to this one stands."""
        self._progress = Progress()
        try:
            _expect(2, self.rset())
        except OSError:
            self.close()

    def _enter(self, phase: Phase) -> None:
        self._progress.enter(phase)
        self._wait_at_most(self._patience(phase))

    def _patience(self, phase: Phase) -> float:
        if phase is Phase.CONNECT:
            return self._limits.smtp_connect.total_seconds()
        if phase in {Phase.DATA, Phase.BODY}:
            return self._limits.smtp_data.total_seconds()
        if phase is Phase.DOT:
            return self._limits.smtp_dot.total_seconds()
        return self._limits.smtp_command.total_seconds()

    def _wait_at_most(self, seconds: float) -> None:
        if self.sock is not None:
            self.sock.settimeout(seconds)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        """Make the connection that smtplib's ``connect`` asks for.

        Without TCP_NODELAY the final dot would wait for the acknowledgement of the body: 40 ms per mail.
        """
        plain = socket.create_connection((host, port), timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._server.security is not Security.TLS:
            return plain
        self._progress.enter(Phase.TLS)
        protected = tls_context().wrap_socket(plain, server_hostname=host)
        self._progress.enter(Phase.CONNECT)
        return protected


@cache
def tls_context() -> ssl.SSLContext:
    """Return the process's one context: to load the CA bundle takes 35 ms, more than a whole mail."""
    return ssl.create_default_context()


@cache
def _own_name() -> str:
    """Return smtplib's idea of this host's name; to look it up can take seconds, so once per process."""
    return smtplib.SMTP().local_hostname


def _expect(hundreds: int, answer: tuple[int, bytes]) -> None:
    code, text = answer
    if code // 100 != hundreds:
        raise smtplib.SMTPResponseException(code, text)


def _fault(error: Exception) -> Fault | None:
    if isinstance(error, smtplib.SMTPResponseException):
        return Fault.UNREADABLE if error.smtp_code < 0 else None
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
        return Fault.TIMEOUT
    if isinstance(error, smtplib.SMTPServerDisconnected) or not isinstance(error, smtplib.SMTPException):
        return Fault.LOST
    return Fault.UNSUPPORTED
