"""Events in the forms of the providers' documentation, with our values."""

import copy
import hmac
from typing import Any

from django.utils import timezone

KEY = "key-0123456789abcdef"
LOGIN = "postmark:0123456789abcdef"
MESSAGE_ID = f"<{'a2' * 13}.d@tracker.example>"

MAILGUN: dict[str, Any] = {
    "signature": {"token": "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0"},
    "event-data": {
        "event": "failed",
        "id": "G9Bn5sl1TC6nu79C8C0bwg",
        "timestamp": 1521233195.375624,
        "severity": "permanent",
        "reason": "bounce",
        "log-level": "error",
        "delivery-status": {
            "attempt-no": 1,
            "code": 550,
            "description": "",
            "enhanced-code": "5.1.1",
            "message": "5.1.1 The email account that you tried to reach does not exist.",
            "mx-host": "mx.acme.example",
            "session-seconds": 0.4331989288330078,
        },
        "envelope": {"sender": "notify@tracker.example", "transport": "smtp", "targets": "bob@acme.example"},
        "message": {
            "attachments": [],
            "headers": {
                "from": "Tracker <notify@tracker.example>",
                "message-id": MESSAGE_ID.strip("<>"),
                "subject": "[ACME-1] Fix the door \x00",
                "to": "bob@acme.example",
            },
            "size": 111,
        },
        "recipient": "bob@acme.example",
        "recipient-domain": "acme.example",
        "tags": [],
        "user-variables": {},
    },
}
POSTMARK: dict[str, Any] = {
    "RecordType": "Bounce",
    "ID": 4323372036854775807,
    "Type": "HardBounce",
    "TypeCode": 1,
    "Name": "Hard bounce",
    "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483",
    "Description": "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
    "Details": "smtp;550 5.1.1 <bob@acme.example>: Recipient address rejected: User unknown",
    "Email": "bob@acme.example",
    "From": "notify@tracker.example",
    "BouncedAt": "2026-03-10T12:33:54.9070259Z",
    "DumpAvailable": True,
    "Inactive": True,
    "CanActivate": True,
    "Subject": "[ACME-1] Fix the door",
    "ServerID": 23,
    "MessageStream": "outbound",
    "Content": f"Return-Path: <>\r\nMessage-ID: {MESSAGE_ID}\r\n",
}
SES = {
    "notificationType": "Bounce",
    "bounce": {
        "bounceType": "Permanent",
        "bounceSubType": "General",
        "bouncedRecipients": [
            {"emailAddress": "bob@acme.example", "diagnosticCode": "smtp; 550 5.1.1 user unknown"},
            {"emailAddress": "carl@acme.example", "diagnosticCode": "smtp; 552 5.2.2 mailbox full"},
        ],
        "timestamp": "2026-03-10T12:00:38.000Z",
    },
    "mail": {
        "messageId": "00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000",
        "destination": ["bob@acme.example", "carl@acme.example"],
        "headers": [{"name": "Message-ID", "value": MESSAGE_ID}],
    },
}


def signed(event: dict[str, Any], /, **changes: Any) -> dict[str, Any]:
    event = copy.deepcopy(event)
    event["event-data"] |= changes
    signature = event["signature"]
    signature.setdefault("timestamp", str(int(timezone.now().timestamp())))
    text = f"{signature['timestamp']}{signature['token']}"
    signature["signature"] = hmac.new(KEY.encode(), text.encode(), "sha256").hexdigest()
    return event
