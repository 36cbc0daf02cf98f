"""What to do about a mail server that does not do as it should, by the step that failed and how."""

import re
from collections.abc import Mapping

from project.services.digests.progress import Outcome, Phase

#: Per step, patterns of "code enhanced-code fault words" and what helps; the first that is found decides.
_ADVICE: Mapping[Phase, tuple[tuple[str, str], ...]] = {
    Phase.CONNECT: (
        (
            r"Name or service|not known|resolution|getaddrinfo",
            "Correct the host in EMAIL_URL, or this machine's DNS.",
        ),
        (r"refused", "Nothing listens there. Correct the host or the port in EMAIL_URL: 25, 587 or 465."),
        (
            r"timed out|unreachable|no route",
            "A firewall may be in between; many networks block port 25. Try smtp+starttls:// with port 587.",
        ),
        (
            r"^[45]\d\d",
            "The server does not talk to this machine. Does it know its address? Is that on a block list?",
        ),
        (
            r"no connection",
            "It hung up before it said anything. If it wants TLS from the first byte, write smtps:// (port 465).",
        ),
        (r"", "Is that a mail server? Correct the host or the port in EMAIL_URL."),
    ),
    Phase.TLS: (
        (
            r"certificate",
            "Write the host in EMAIL_URL as its certificate names it. For a CA of your own, set SSL_CERT_FILE.",
        ),
        (r"not supported", "It offers no STARTTLS. Try smtps:// with port 465; smtp:// sends in the clear."),
        (
            r"",
            "TLS may begin otherwise there: smtps:// (port 465) from the first byte, smtp+starttls:// (587) later.",
        ),
    ),
    Phase.EHLO: (
        (r"", "The server does not take this machine's name, or is out of order. Its log says more."),
    ),
    Phase.AUTH: (
        (
            r"not supported",
            "It offers no login that we know. Many servers offer one only after smtp+starttls://.",
        ),
        (r"^4", "It cannot check logins at the moment. Try again later."),
        (
            r"",
            "Correct the user name and the password in EMAIL_URL; special characters are percent-encoded there. "
            "Some providers want a password of its own for applications.",
        ),
    ),
    Phase.MAIL: (
        (r"^4", "It takes no mail at the moment. Try again later; if that stays so, ask your provider."),
        (r"^530", "It wants a login: put user and password into EMAIL_URL."),
        (
            r"",
            "It does not take mail from NOTIFY_FROM. Have the address, or its domain, confirmed at your provider.",
        ),
    ),
    Phase.RCPT: (
        (r"^4", "Not now: some servers put off whom they do not know. Try again in some minutes."),
        (
            r"5\.7\.|relay",
            "It does not pass on mails of ours: does it want a login? If it has one, see to SPF, DKIM and DMARC.",
        ),
        (r"", "There is no such mailbox, says the server. Correct the address after --to."),
    ),
}
_REFUSED = (
    (
        r"5\.7\.",
        "It takes the mail for forged or unwanted: see to SPF, DKIM and DMARC of the domain in NOTIFY_FROM.",
    ),
    (r"^4", "Not now. Try again in some minutes."),
    (
        r"no connection|timed out",
        "Nobody knows whether the mail was taken. Look into the mailbox, and into the server's log.",
    ),
    (r"", "It refuses this very mail. Its log says more."),
)


def advice(outcome: Outcome) -> str:
    """Return what helps after a step that failed."""
    told = f"{outcome.reply} {outcome.text}"
    rules = _ADVICE.get(outcome.phase, _REFUSED)
    return next(words for pattern, words in rules if re.search(pattern, told, re.IGNORECASE))
