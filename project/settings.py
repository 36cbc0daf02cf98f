"""The settings, and the only place that reads the environment (see docs/settings.md for the list)."""

import os
from datetime import timedelta
from pathlib import Path

from dramatiq.middleware import CurrentMessage, ShutdownNotifications, TimeLimit

from project.environment import Environment, next_database, redis_url
from project.mail_server import MailServer, from_address
from project.object_store import ObjectStore, public_endpoint

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
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
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
DRAMATIQ_BROKER = {
    "BROKER": "project.queue.broker.HardenedRedisBroker",
    "OPTIONS": {},
    # Before-hooks run in this order, after-hooks backward. Left out on purpose: callbacks and pipelines carry
    # whole messages as arguments, results would be overwritten by a dropped copy.
    "MIDDLEWARE": [
        # Around everything that touches the database, so that it is the last to close connections.
        "django_dramatiq.middleware.DbConnectionsMiddleware",
        # Makes the process a worker at boot: heartbeat, maintenance, orphans, counters.
        "project.queue.keeper.Keeper",
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

# --- Mail ---------------------------------------------------------------------------------------------------

MAIL_SERVER = _env.parsed("EMAIL_URL", MailServer.from_url, _in_debug("smtp://127.0.0.1:1025"))
NOTIFY_FROM = _env.parsed("NOTIFY_FROM", from_address, _in_debug("Singlepost <notify@localhost.localdomain>"))

# --- Archives -----------------------------------------------------------------------------------------------

OBJECT_STORE = _env.parsed("S3_URL", ObjectStore.from_url, _in_debug("s3+http://127.0.0.1:9000/singlepost"))
# Links are signed for the address that browsers use; uploads go to the other one.
PUBLIC_ENDPOINT = _env.parsed("S3_PUBLIC_URL", public_endpoint, "") or OBJECT_STORE.endpoint

# --- Web ----------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True  # the files come with the packages: nothing to collect before a start
LOGIN_URL = "sign-in"
_https = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = _https
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _env.flag("BEHIND_PROXY", False) else None
CSRF_TRUSTED_ORIGINS = [SITE_URL]
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "project.views.api.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["project.views.api.parsing.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "project.views.api.errors.answer",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": _env.text("LOG_LEVEL", "INFO").upper()},
}
