"""Mails per second of the product, beside a bare loop: ``python -m benchmarks.digest_mails [--lines 2000]``.

``benchmarks/README.md`` says what the figures mean.
"""

import argparse
import os
import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import django

from project.demo import servers


def main() -> None:
    """Start the servers, measure, stop them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lines", type=int, default=2000, help="log rows to mail (four make a mail)")
    parser.add_argument("--groups", type=int, default=10_000, help="due groups for the claim alone")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="benchmark-") as folder, servers.running(Path(folder), {}) as running:
        os.environ.update(_environ(running))
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415 (needs the settings)

        from benchmarks.measure import measure  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        measure(Path(folder), lines=arguments.lines, groups=arguments.groups)


def _environ(running: servers.Running) -> dict[str, str]:
    return {
        **running.environ,
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "SITE_URL": "http://127.0.0.1:8000",
        "NOTIFY_FROM": "Tracker <tracker@bench.example>",
        "LOG_LEVEL": "WARNING",
        "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
    }


if __name__ == "__main__":
    main()
