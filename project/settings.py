"""The settings, and the only place that reads the environment (see docs/settings.md for the list)."""

import os
from datetime import timedelta
from functools import partial
from pathlib import Path

from csp.constants import NONCE, NONE, SELF
from dramatiq.middleware import CurrentMessage, ShutdownNotifications, TimeLimit

from project.environment import Environment, http_url, next_database, rate, redis_url
from project.logs import LogFormat, logging_config
from project.mail_provider import mail_provider, webhook_settings
from project.mail_server import MailServer, from_address, mailto_address
from project.object_store import ObjectStore, archive_prefix, public_endpoint
from project.telemetry.errors import report_errors

_env = Environment(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent
DEBUG = _env.flag("DEBUG", default=False)


def _in_debug(value: str) -> str | None:
    """A default that holds for development only; elsewhere the variable is required."""
    return value if DEBUG else None


SECRET_KEY = _env.text("SECRET_KEY", _in_debug("for-development-only"))
ALLOWED_HOSTS = _env.names("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
SITE_URL = _env.site_url("SITE_URL", _in_debug("http://127.0.0.1:8000"))
LIMITS = _env.limits()

INSTALLED_APPS = [
    # Builds the broker when the apps load, so it comes before everything that declares actors.
    "django_dramatiq",
    "project",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    # First: what the others log belongs to the request, too.
    "project.views.request_log.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "project.urls"
WSGI_APPLICATION = "project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "project" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- Database -----------------------------------------------------------------------------------------------

DATABASES = {
    "default": {
        **_env.database("DATABASE_URL", _in_debug("postgresql://127.0.0.1/singlepost")),
        # Each worker and web thread keeps its connection, and asks before use whether it still lives: that is
        # how a restart of PostgreSQL is survived.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "project.User"

# UTC for every process: periodiq matches cron entries in the process zone, and local time loses or doubles
# ticks when clocks change.
TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en"

# --- Queue --------------------------------------------------------------------------------------------------

REDIS_URL = _env.parsed("REDIS_URL", redis_url, _in_debug("redis://127.0.0.1:6379/0"))
# A logical database of its own: the broker's maintenance walks over all keys of its database.
DEDUP_REDIS_URL = _env.parsed("DEDUP_REDIS_URL", redis_url, next_database(REDIS_URL))
TRACES_URL = _env.parsed("OTEL_EXPORTER_OTLP_ENDPOINT", http_url, "")
DRAMATIQ_BROKER = {
    "BROKER": "project.queue.broker.HardenedRedisBroker",
    "OPTIONS": {},
    # Before-hooks run in this order, after-hooks backward. Left out on purpose: callbacks and pipelines carry
    # whole messages as arguments, results would be overwritten by a dropped copy.
    "MIDDLEWARE": [
        # First, so that every log line in a job tells which one, and the job's own line comes last.
        "project.queue.job_log.JobLog",
        # What the others ask of servers belongs to the job's trace.
        *(["project.queue.job_spans.JobSpans"] if TRACES_URL else []),
        # Around everything that touches the database, so that it is the last to close connections.
        "django_dramatiq.middleware.DbConnectionsMiddleware",
        # Makes the process a worker at boot: heartbeat, maintenance, orphans, counters.
        "project.queue.keeper.Keeper",
        # Tells all others that this process is there, and what it works on.
        "project.queue.presence.Presence",
        # A dead or stuck thread ends the process, so that the supervisor starts a whole one.
        "project.queue.watchdog.Watchdog",
        # Before the retries: its after-hook then sees a retry that is already queued.
        "project.queue.dedup.Dedup",
        # Before the time limit: its wait for Redis must not be interrupted, or the message would be lost.
        "project.queue.retries.SafeRetries",
        TimeLimit(time_limit=LIMITS.time_limit // timedelta(milliseconds=1)),
        # For actors that ask to be told (notify_shutdown).
        ShutdownNotifications(),
        # For periodic actors, which ask it for their tick.
        CurrentMessage(),
    ],
}
DRAMATIQ_AUTODISCOVER_MODULES = ["actors"]
DRAMATIQ_IGNORED_MODULES = ["django_dramatiq.tasks"]  # it would declare a queue that nobody uses

# The one table of what runs when. By name: the code of this package does not know the scheduler.
SCHEDULE = "scheduler.schedule.SCHEDULE"

# --- Mail ---------------------------------------------------------------------------------------------------

MAIL_SERVER = _env.parsed("EMAIL_URL", MailServer.from_url, _in_debug("smtp://127.0.0.1:1025"))
NOTIFY_FROM = _env.parsed("NOTIFY_FROM", from_address, _in_debug("Singlepost <notify@localhost.localdomain>"))
UNSUBSCRIBE_MAILTO = _env.parsed("UNSUBSCRIBE_MAILTO", mailto_address, "")
# Who posts to us what became of mails, and how its views (of anymail) know that it is not somebody else.
MAIL_PROVIDER = _env.parsed("MAIL_PROVIDER", mail_provider, "")
ANYMAIL = _env.parsed("MAIL_WEBHOOK_SECRET", partial(webhook_settings, MAIL_PROVIDER), "")

# --- Archives -----------------------------------------------------------------------------------------------

OBJECT_STORE = _env.parsed("S3_URL", ObjectStore.from_url, _in_debug("s3+http://127.0.0.1:9000/singlepost"))
# Links are signed for the address that browsers use; uploads go to the other one.
PUBLIC_ENDPOINT = _env.parsed("S3_PUBLIC_URL", public_endpoint, "") or OBJECT_STORE.endpoint
# Rows are kept there, below this prefix, before they are deleted for good.
ARCHIVE_PREFIX = _env.parsed("ARCHIVE_PREFIX", archive_prefix, "")

# --- Web ----------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True  # the files come with the packages: nothing to collect before a start
LOGIN_URL = "sign-in"
_https = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = _https
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # probes and Prometheus come from inside, by http
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _env.flag("BEHIND_PROXY", False) else None
# Whether other host names below ours use https is not for us to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
CSRF_TRUSTED_ORIGINS = [SITE_URL]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, "'unsafe-inline'"],  # people's HTML is stripped of styles before it is shown
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "project.views.api.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["project.views.api.parsing.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "project.views.api.errors.answer",
    # Counted in the memory of each web process, so the real bound is that times the processes.
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": _env.parsed("API_RATE", rate, "1200/min")},
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Singlepost",
    "DESCRIPTION": "Issues, what happens to them, who is told, and exports. Addresses and bodies are Plane's.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/",
    "ENUM_NAME_OVERRIDES": {
        "Priority": "project.models.Priority.choices",
        "PriorityName": "project.models.Priority.values",
    },
    # From our own server: pages load nothing from elsewhere.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Watching -----------------------------------------------------------------------------------------------

LOGGING = logging_config(
    _env.parsed("LOG_FORMAT", LogFormat.named, "plain" if DEBUG else "json"), _env.text("LOG_LEVEL", "INFO")
)
METRICS_TOKEN = _env.text("METRICS_TOKEN", "")
PUSHGATEWAY_URL = _env.parsed("PUSHGATEWAY_URL", http_url, "")
SENTRY_DSN = _env.text("SENTRY_DSN", "")
if SENTRY_DSN:
    report_errors(SENTRY_DSN)
