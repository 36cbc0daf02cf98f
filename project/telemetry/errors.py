"""Errors, for Sentry."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from project.logs import without_values
from project.telemetry.extras import extra


def report_errors(dsn: str) -> None:
    """Send errors to Sentry. To be called before the apps load, since it changes the broker that they make.

    Nothing that may name people goes along: no local variables, no addresses, bodies or headers of requests, no
    rows that broke a constraint, no arguments of commands or of log lines.

    Raises:
        ImproperlyConfigured: if the extra is not installed, or there can be no such DSN.
    """
    with extra("sentry", "SENTRY_DSN"):
        import sentry_sdk  # noqa: PLC0415
        from sentry_sdk.integrations.argv import ArgvIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.django import DjangoIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.dramatiq import DramatiqIntegration  # noqa: PLC0415
        from sentry_sdk.utils import BadDsn  # noqa: PLC0415
    try:
        sentry_sdk.init(
            dsn,
            integrations=[DjangoIntegration(), DramatiqIntegration()],
            disabled_integrations=[ArgvIntegration()],
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            before_send=_without_people,
        )
    except BadDsn:
        raise ImproperlyConfigured(
            "SENTRY_DSN is wrong: it must be the URL of a project, such as https://key@sentry.example.org/1"
        ) from None


def _without_people(event: Any, _: Any) -> Any:
    """Cut from an event what the options above do not."""
    event.pop("extra", None)
    if request := event.get("request"):
        event["request"] = {"method": request.get("method")}
    if line := event.get("logentry"):
        event["logentry"] = {"formatted": without_values(line.get("formatted") or line.get("message") or "")}
    for exception in event.get("exception", {}).get("values", []):
        exception["value"] = without_values(exception.get("value") or "")
    return event
