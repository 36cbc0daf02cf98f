"""``python3 make_secrets.py [EMAIL_URL]``: writes new random secrets into ``secrets/``, and never over old ones.

EMAIL_URL is the mail server's, such as ``smtp+starttls://user:password@smtp.example.org``. Without it mail is
stopped, and is sent as soon as ``secrets/email_url`` names a server that works.
"""

import json
import secrets
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "secrets"


def main(email_url: str) -> None:
    """Write what is missing."""
    FOLDER.mkdir(exist_ok=True)
    # The containers' users read the files, so only the folder is closed to other users of this machine.
    FOLDER.chmod(0o700)
    database, redis, key, secret = (secrets.token_hex(24) for _ in range(4))
    identity = {
        "name": "singlepost",
        "credentials": [{"accessKey": key, "secretKey": secret}],
        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
    }
    belonging_together = [
        {"secret_key": secrets.token_urlsafe(64)},
        {"metrics_token": secrets.token_urlsafe(32)},
        {"email_url": email_url},
        {
            "postgres_password": database,
            "database_url": f"postgresql://singlepost:{database}@postgres:5432/singlepost",
        },
        {"redis_password": redis, "redis_url": f"redis://:{redis}@redis:6379/0"},
        {
            "s3_identities": json.dumps({"identities": [identity]}),
            "s3_url": f"s3+http://{key}:{secret}@storage:9000/singlepost",
        },
    ]
    for files in belonging_together:
        if any((FOLDER / name).exists() for name in files):
            sys.stdout.write(f"kept: {', '.join(files)}\n")
            continue
        for name, content in files.items():
            (FOLDER / name).write_text(content)
            (FOLDER / name).chmod(0o644)
        sys.stdout.write(f"written: {', '.join(files)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:2] or ["smtp://localhost:25"])
