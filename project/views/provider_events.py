"""``POST /webhooks/mail/<provider>/``: the mail provider tells what became of mails.

Anymail's views check who posts, and know the form of each provider's events. Here they are only kept: the
answer is fast, and what follows from them is a worker's business. If they cannot be kept the answer is an error,
and the provider posts them again.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from anymail.signals import AnymailTrackingEvent, tracking
from anymail.webhooks.amazon_ses import AmazonSESTrackingWebhookView
from anymail.webhooks.mailgun import MailgunTrackingWebhookView
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

logger = logging.getLogger(__name__)

_VIEWS: Mapping[MailProvider, Any] = {
    MailProvider.AMAZON_SES: AmazonSESTrackingWebhookView,
    MailProvider.MAILGUN: MailgunTrackingWebhookView,
    MailProvider.POSTMARK: PostmarkTrackingWebhookView,
}

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
    except (ValueError, LookupError, TypeError, AttributeError):
        logger.exception("%s posted an event that is not like its events", provider)
        return HttpResponseBadRequest()
    return answer


@receiver(tracking)
def _told(sender: object, event: AnymailTrackingEvent, **_: object) -> None:
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
        raw=event.esp_event,
    )
    wake = keep(told, now=timezone.now())
    try:
        send_wakes(note_provider_event, [wake])
    except BrokerConnectionError as error:
        logger.warning("provider event %s not sent, left to the sweep (%s)", wake.row_id, error)
