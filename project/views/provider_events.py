"""``POST /webhooks/mail/<provider>/``: the mail provider tells what became of mails.

Anymail's views check who posts, and know the form of each provider's events. Here they are only kept: the
answer is fast, and what follows from them is a worker's business. If they cannot be kept the answer is an error,
and the provider posts them again.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from anymail.exceptions import AnymailWebhookValidationFailure
from anymail.signals import AnymailTrackingEvent, EventType, tracking
from anymail.webhooks.amazon_ses import AmazonSESTrackingWebhookView
from anymail.webhooks.postmark import PostmarkTrackingWebhookView
from django.conf import settings
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from dramatiq.errors import BrokerConnectionError

from project.actors.provider_events import note_provider_event
from project.actors.wakes import send_wakes
from project.mail_provider import MailProvider
from project.services.digests.provider_events import Told, keep
from project.views.mailgun import MailgunEvents

logger = logging.getLogger(__name__)

_VIEWS: Mapping[MailProvider, Any] = {
    MailProvider.AMAZON_SES: AmazonSESTrackingWebhookView,
    MailProvider.MAILGUN: MailgunEvents,
    MailProvider.POSTMARK: PostmarkTrackingWebhookView,
}

#: What a reader did. Nothing follows from it, and it is nobody's business.
_PRIVATE = frozenset({EventType.OPENED, EventType.CLICKED})

#: What reading a body can raise that is not like an event, such as one of brackets only or with a time of 1e20.
_UNLIKE_EVENTS = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)

#: Whether a bounce is one that the provider does not expect to change. Mailgun has another word for the others.
_PERMANENT: Mapping[MailProvider, Callable[[Mapping[str, Any]], bool]] = {
    MailProvider.AMAZON_SES: lambda raw: (raw.get("bounce") or {}).get("bounceType") == "Permanent",
    MailProvider.MAILGUN: lambda raw: True,
    MailProvider.POSTMARK: lambda raw: raw.get("Type") == "HardBounce",
}


@csrf_exempt
def provider_events(request: HttpRequest, provider: str) -> HttpResponse:
    """Take events of the provider that is in the settings; there is no other."""
    if settings.MAIL_PROVIDER is None or provider != settings.MAIL_PROVIDER:
        raise Http404
    try:
        answer: HttpResponse = _VIEWS[settings.MAIL_PROVIDER].as_view()(request)
    except (AnymailWebhookValidationFailure, *_UNLIKE_EVENTS) as error:
        # Anybody can post, so neither what the error says is logged, nor where it was.
        logger.warning("what was posted as an event of %s is none: %s", provider, type(error).__name__)
        return HttpResponseBadRequest()
    return answer


@receiver(tracking)
def _told(sender: object, event: AnymailTrackingEvent, **_: object) -> None:
    if event.event_type in _PRIVATE:
        return
    provider = MailProvider(str(settings.MAIL_PROVIDER))  # nobody else comes as far as here
    told = Told(
        provider=provider,
        event_id=event.event_id or "",
        kind=event.event_type,
        reject_reason=event.reject_reason or "",
        recipient=event.recipient or "",
        words=event.mta_response or event.description or "",
        permanent=_PERMANENT[provider](event.esp_event),
        happened_at=event.timestamp,
        raw={key: value for key, value in event.esp_event.items() if key != "signature"},
        token=event.event_id if provider is MailProvider.MAILGUN else None,
    )
    wake = keep(told, now=timezone.now())
    if wake is None:
        raise AnymailWebhookValidationFailure("the signature was another event's")
    try:
        send_wakes(note_provider_event, [wake])
    except BrokerConnectionError as error:
        logger.warning("provider event %s not sent, left to the sweep (%s)", wake.row_id, error)
