"""``python -m tests.chaos.peers.ours MAILS``: puts mails on our own queue, by the way they are always made."""

import sys

import django

if __name__ == "__main__":
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.utils import timezone

    from benchmarks.backlog import RECEIVERS, fill
    from project.actors.digests import send_digest
    from project.actors.wakes import send_wakes
    from project.services.digests.claim import claim

    call_command("migrate", verbosity=0)
    fill(int(sys.argv[1]) // RECEIVERS, 1)
    all_due = timezone.now() + settings.LIMITS.window_cap
    send_wakes(send_digest, claim(now=all_due, limits=settings.LIMITS))
