"""Reads typed values out of an environment, loudly: a wrong value stops the start with its name, the value
and what is allowed.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from project.limits import Doubt, IncoherentLimitsError, Limits
from project.mail_server import LONGEST_SITE_URL

T = TypeVar("T")

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")  # as libpq has them
PERIODS = ("sec", "min", "hour", "day")
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class Environment:
    """A mapping of names to strings, read as types.

    Every method raises ``ImproperlyConfigured`` that names the variable, its value (never a secret's) and
    what is allowed.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str, default: str | None = None) -> str:
        """Return a non-empty string, which may stand in the file that ``<name>_FILE`` names.

        Without a `default` the variable is required.
        """
        value = self._given(name) or default
        if value is None:
            raise ImproperlyConfigured(f"{name} is not set and has no default (see docs/settings.md).")
        return value

    def _given(self, name: str) -> str:
        value, file = (self._values.get(key, "").strip() for key in (name, f"{name}_FILE"))
        if value and file:
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: remove one of them.")
        if not file:
            return value
        try:
            return Path(file).read_text().strip()
        except (OSError, UnicodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE={file!r} cannot be read: {error}") from None

    def flag(self, name: str, default: bool) -> bool:
        """Return a boolean: one of 1/true/yes/on or 0/false/no/off."""
        value = self.text(name, "1" if default else "0").lower()
        if value not in TRUE | FALSE:
            raise _wrong(name, value, "1, true, yes, on, 0, false, no or off")
        return value in TRUE

    def names(self, name: str, default: str) -> list[str]:
        """Return a comma-separated list."""
        return [part.strip() for part in self.text(name, default).split(",") if part.strip()]

    def parsed(self, name: str, parse: Callable[[str], T], default: str | None = None) -> T:
        """Return what `parse` makes of the text; its ``ValueError`` says what is allowed.

        The value itself is not shown, since such texts (URLs) may hold a password.
        """
        try:
            return parse(self.text(name, default))
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} is wrong: {error}") from None

    def database(self, name: str, default: str | None = None) -> dict[str, Any]:
        """Return Django's settings for the PostgreSQL database of a libpq URI or connection string."""
        return self.parsed(name, _database, default)

    def site_url(self, name: str, default: str | None = None) -> str:
        """Return an absolute http(s) URL without path, the base of every link."""
        url = self.text(name, default).rstrip("/")
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path or parts.query:
            raise _wrong(name, url, "an http(s) URL without a path, such as https://tracker.example.org")
        if len(url) > LONGEST_SITE_URL or not url.isascii():
            raise _wrong(name, url, f"at most {LONGEST_SITE_URL} ASCII characters: links in mails begin so")
        return url

    def limits(self) -> Limits:
        """Return the limits, each one overridable by the variable of its upper-case name.

        Durations are numbers of seconds; `MAIL_BACKOFF` is a comma-separated list of them. Policies are words.
        """
        given = {
            f.name: self._limit(f.name.upper(), f.type)
            for f in fields(Limits)
            if self._values.get(f.name.upper(), "").strip()
        }
        try:
            return Limits(**given)
        except IncoherentLimitsError as error:
            raise ImproperlyConfigured(str(error)) from None

    def _limit(self, name: str, kind: Any) -> Any:
        value = self._values[name].strip()
        try:
            if kind is int:
                return int(value)
            if kind is timedelta:
                return timedelta(seconds=float(value))
            if kind is Doubt:
                return Doubt(value)
            return tuple(timedelta(seconds=float(part)) for part in value.split(","))
        except (ValueError, OverflowError):
            allowed = {
                int: "a whole number",
                timedelta: "a number of seconds",
                Doubt: "assume_sent, resend or hold",
            }
            raise _wrong(name, value, allowed.get(kind, "numbers of seconds, separated by commas")) from None


def redis_url(text: str) -> str:
    """Check a Redis URL: ``redis://`` or ``rediss://`` with a database number as path, or ``unix://``.

    Raises:
        ValueError: saying what is allowed.
    """
    parts = urlsplit(text)
    if parts.scheme not in {"redis", "rediss", "unix"}:
        raise ValueError("it must begin with redis://, rediss:// or unix://")
    try:
        _ = parts.port
    except ValueError:
        # What stands there may be half of a password with a # or / in it: do not show it.
        raise ValueError("its port must be a number; percent-encode special characters") from None
    if parts.scheme != "unix" and not (parts.path.strip("/") or "0").isdecimal():
        raise ValueError("its path must be the number of a logical database, such as redis://host:6379/0")
    return text


def http_url(text: str) -> str:
    """Check an http(s) URL of a service to be sent to; empty means: none. The final slash is dropped.

    User and password are refused: what sends to such a service would tell them in its errors.

    Raises:
        ValueError: saying what is allowed.
    """
    parts = urlsplit(text)
    if text and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.query):
        raise ValueError("it must be an http(s) URL, such as http://gateway.example.org:9091")
    if "@" in parts.netloc:
        raise ValueError("it must not hold a user or a password, which nothing sends")
    return text.rstrip("/")


def rate(text: str) -> str:
    """Check how often something may be done, such as ``1200/min``.

    Raises:
        ValueError: saying what is allowed.
    """
    number, _, period = text.partition("/")
    if not number.isdecimal() or not int(number) or period not in PERIODS:
        raise ValueError(f"it must be a number and one of {', '.join(PERIODS)}, such as 1200/min")
    return text


def next_database(url: str) -> str:
    """Return the URL of the logical database after the one that `url` names (0 if it names none)."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        number = int(dict(parse_qsl(parts.query)).get("db", 0))
        return urlunsplit(parts._replace(query=f"db={number + 1}"))
    return urlunsplit(parts._replace(path=f"/{int(parts.path.strip('/') or 0) + 1}"))


def _wrong(name: str, value: str, allowed: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name}={value!r} is wrong: it must be {allowed}.")


def _is_port(text: str) -> bool:
    """Whether it can be one of the ports of a connection string; an empty one is the usual one."""
    return not text or (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535)


def _database(text: str) -> dict[str, Any]:
    try:
        parts = conninfo_to_dict(text)
    except ProgrammingError:
        raise ValueError("it must be a URI such as postgresql://user:password@host:5432/name") from None
    if not parts.get("dbname"):
        raise ValueError("it names no database: postgresql://user:password@host:5432/name")
    if not all(map(_is_port, str(parts.get("port") or "").split(","))):
        # What stands there may be half of a password with a / in it: do not show it.
        raise ValueError("its port must be a number from 1 to 65535; percent-encode special characters")
    if (mode := parts.get("sslmode", SSL_MODES[0])) not in SSL_MODES:
        raise ValueError(f"its sslmode is {mode!r}; it must be one of {', '.join(SSL_MODES)}")
    keys = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    known = {django: str(parts.pop(libpq, "") or "") for libpq, django in keys.items()}
    # Without a bound a host that is gone would hold a worker for minutes, beyond what a shutdown leaves it.
    options = {"connect_timeout": "10", **parts}
    return {"ENGINE": "django.db.backends.postgresql", **known, "OPTIONS": options}
