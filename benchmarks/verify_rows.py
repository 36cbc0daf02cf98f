"""Seconds that ``verify`` takes on many rows: ``python -m benchmarks.verify_rows [--rows 1000000]``."""

import argparse
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import django

from project.demo import servers

# Lines of 100 receivers about 1 000 issues; each ten lines a sent digest; a notification for each line.
_FILL = """
INSERT INTO users (id, username, email, display_name, first_name, last_name, avatar, is_active, is_bot, is_staff,
    is_superuser, is_email_verified, is_email_valid, user_timezone, created_at, updated_at, date_joined, password)
SELECT md5('user' || n)::uuid, n, n || '@b.example', n, '', '', '', true, false, false, false, true, true, 'UTC',
    now(), now(), now(), '' FROM generate_series(0, 99) AS n;
INSERT INTO workspaces (id, name, slug, timezone, owner_id, created_at, updated_at)
VALUES (md5('w')::uuid, 'b', 'b', 'UTC', md5('user0')::uuid, now(), now());
INSERT INTO email_notification_logs (id, receiver_id, triggered_by_id, entity_identifier, entity_name, data,
    entity, created_at, updated_at, processed_at, sent_at)
SELECT md5('log' || n)::uuid, md5('user' || n / 10 %% 100)::uuid, md5('user0')::uuid,
    md5('issue' || n / 10 %% 1000)::uuid, 'issue',
    jsonb_build_object('issue_activity', jsonb_build_object('id', md5('activity' || n)::uuid, 'field', 'state'),
        'issue', jsonb_build_object('name', repeat('x', 100))),
    '', now(), now(), now(), now() FROM generate_series(0, %(rows)s - 1) AS n;
INSERT INTO email_digests (id, receiver_id, status, reason, urgent, due_at, dispatch, attempt, unanswered, failures,
    answer, generation, to_address, subject, message_id, content_sha256, created_at, ended_at, dot_at, sealed_at,
    content)
SELECT md5('digest' || n)::uuid, md5('user' || n %% 100)::uuid, 'sent', '', false, now(), 1, 1, 0, 0, '', 1, '', '',
    '', '', now(), now(), now(), now(), 'mail' FROM generate_series(0, %(rows)s / 10 - 1) AS n;
INSERT INTO email_digest_lines (log_id, digest_id, suppressed)
SELECT md5('log' || n)::uuid, md5('digest' || n / 10)::uuid, '' FROM generate_series(0, %(rows)s - 1) AS n;
INSERT INTO notifications (id, workspace_id, receiver_id, entity_identifier, entity_name, title, message_html,
    sender, data, created_at, updated_at)
SELECT id, md5('w')::uuid, receiver_id, entity_identifier, 'issue', '', '', '', data, now(), now()
FROM email_notification_logs;
"""


def main() -> None:
    """Fill the tables, run each check, print its time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="log rows, and as many notifications")
    rows = parser.parse_args().rows
    with TemporaryDirectory(prefix="benchmark-") as folder, servers.running(Path(folder), {}) as running:
        os.environ.update({**running.environ, "DJANGO_SETTINGS_MODULE": "project.settings", "DEBUG": "1"})
        django.setup()
        _measure(rows)


def _measure(rows: int) -> None:
    from django.conf import settings  # noqa: PLC0415 (all imports here need the settings)
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from project.services.maintenance.verify import BROKEN, LATE, verify  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(_FILL, {"rows": rows})
        cursor.execute("ANALYZE")
    began = time.perf_counter()
    findings = verify(now=timezone.now(), limits=settings.LIMITS)
    took = time.perf_counter() - began
    print(f"{rows} log rows: {len(BROKEN + LATE)} checks, {len(findings)} findings, {took:.1f} s")


if __name__ == "__main__":
    main()
