"""Events of Mailgun, whose signature is over a time and a random token, and not over the event itself.

So a signature that got about would do for any event. Here it is only worth something for some hours; that it is
for one event only is seen to where events are kept.
"""

from datetime import timedelta

from anymail.exceptions import AnymailWebhookValidationFailure
from anymail.webhooks.mailgun import MailgunTrackingWebhookView
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone


class MailgunEvents(MailgunTrackingWebhookView):  # type: ignore[misc]
    """Takes events that were signed just now, in the form that Mailgun has had since 2018."""

    def validate_request(self, request: HttpRequest) -> None:
        """Check the signature, and its age in both directions: digits of the token could be moved to the time.

        Raises:
            AnymailWebhookValidationFailure: if the event is not genuine, or too old.
            ValueError, LookupError, TypeError, RecursionError: if it is not like an event at all.
        """
        if request.content_type != "application/json":
            raise AnymailWebhookValidationFailure("Mailgun posts JSON")
        super().validate_request(request)
        (event,) = self.parse_events(request)
        signed_at = int(event.esp_event["signature"]["timestamp"])
        if abs(timezone.now().timestamp() - signed_at) > settings.LIMITS.provider_signature / timedelta(
            seconds=1
        ):
            raise AnymailWebhookValidationFailure("Mailgun signed this too long ago")
