"""Deletes the record of mails that ended long ago: each digest together with its lines and log rows.

A log row without its digest, or a digest without its log rows, would be a mail that got lost (`verify`).
"""

from project.models import DigestStatus, EmailDigest, EmailDigestLine, EmailNotificationLog
from project.models.digest import ENDED
from project.services.maintenance.purge import Doomed, Keys, Purge


def remove_old_mail(purge: Purge) -> None:
    """Delete what ended `mail_kept` ago or earlier; held digests wait for their operator, however long."""
    long_ago = purge.now - purge.limits.mail_kept
    ended = EmailDigest.objects.filter(status__in=ENDED - {DigestStatus.HELD}, ended_at__lte=long_ago)
    for keys in purge.batches(ended):
        purge.remove(ended, keys, along=_lines)
    # Deleted before it was claimed: nobody will mail it.
    purge.clear(EmailNotificationLog.all_objects.filter(processed_at__isnull=True, deleted_at__lte=long_ago))


def _lines(digests: Keys) -> Doomed:
    logs = list(EmailDigestLine.objects.filter(digest__in=digests).values_list("log_id", flat=True))
    return [(EmailDigestLine, logs), (EmailNotificationLog, logs)]
