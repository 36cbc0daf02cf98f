"""What is refused at the start, and in which words."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.environment import Environment, http_url, rate

ENCODE = "percent-encode special characters"


def refusal(name: str, value: str) -> str:
    environment = Environment({name: value})
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.database(name) if name == "DATABASE_URL" else environment.limits()
    return str(refused.value)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://bob:hush@db:abc/name", f"its port must be a number from 1 to 65535; {ENCODE}"),
        ("postgresql://bob:hush@db:0/name", "its port must be"),
        ("postgresql://bob:hush@db:70000/name", "its port must be"),
        ("postgresql://bob:hush@db:5432,other:x/name", "its port must be"),
        ("postgresql://bob:hush/y@db:5432/name", "its port must be"),  # the password ends at the slash
        (
            "postgresql://bob:hush@db/name?sslmode=requird",
            "its sslmode is 'requird'; it must be one of disable, allow, prefer, require, verify-ca, verify-full",
        ),
        ("postgresql://bob:hush@db/", "it names no database"),
        ("mysql://bob:hush@db/name", "it must be a URI such as postgresql://"),
        ("postgresql://bob:hush@db/name?sslmod=require", "it must be a URI such as"),
    ],
)
def test_a_database_that_cannot_be_is_refused_without_its_password(url, says):
    text = refusal("DATABASE_URL", url)
    assert text.startswith(f"DATABASE_URL is wrong: {says}")
    assert "hush" not in text


@pytest.mark.parametrize(
    ("url", "port", "options"),
    [
        ("postgresql://bob:hush@db:5433/name?sslmode=verify-full", "5433", {"sslmode": "verify-full"}),
        ("postgresql://bob@db:5432,other:5433/name", "5432,5433", {}),
        ("postgresql:///name?host=/run/postgresql", "", {}),
        ("host=db dbname=name connect_timeout=3", "", {"connect_timeout": "3"}),
    ],
)
def test_whatever_libpq_takes_is_taken(url, port, options):
    database = Environment({"DATABASE_URL": url}).database("DATABASE_URL")
    assert (database["NAME"], database["PORT"]) == ("name", port)
    assert database["OPTIONS"] == {"connect_timeout": "10", **options}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("TICK", "-5", "TICK=-5 is wrong: it must be a number of seconds above 0"),
        ("TICK", "soon", "TICK='soon' is wrong: it must be a number of seconds."),
        ("TICK", "nan", "TICK='nan' is wrong: it must be a number of seconds."),
        ("TICK", "1e99", "TICK='1e99' is wrong: it must be a number of seconds."),
        ("MAIL_BACKOFF", "60,-0.5", "MAIL_BACKOFF=60,-0.5 is wrong: it must be numbers of seconds above 0"),
        ("MAIL_BACKOFF", "6;5", "MAIL_BACKOFF='6;5' is wrong: it must be numbers of seconds, separated by commas."),
        ("CLAIM_BATCH", "2.5", "CLAIM_BATCH='2.5' is wrong: it must be a whole number."),
        ("CLAIM_BATCH", "-1", "CLAIM_BATCH=-1 is wrong: it must be a whole number above 0"),
    ],
)  # fmt: skip
def test_a_limit_that_cannot_be_is_refused_with_its_value_and_what_is_allowed(name, value, says):
    assert refusal(name, value) == says


def test_a_secret_may_stand_in_a_file(tmp_path):
    file = tmp_path / "key"
    file.write_text("s3cret\n")
    assert Environment({"SECRET_KEY_FILE": str(file)}).text("SECRET_KEY") == "s3cret"
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY and SECRET_KEY_FILE are both set"):
        Environment({"SECRET_KEY_FILE": str(file), "SECRET_KEY": "x"}).text("SECRET_KEY")
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY_FILE='.*/none' cannot be read"):
        Environment({"SECRET_KEY_FILE": str(tmp_path / "none")}).text("SECRET_KEY")


@pytest.mark.parametrize("text", ["http://bob:hush@gateway:9091", "https://hush@gateway"])
def test_an_address_to_send_to_holds_no_password(text):
    with pytest.raises(ValueError, match="must not hold a user or a password") as refused:
        http_url(text)
    assert "hush" not in str(refused.value)
    assert http_url("http://gateway:9091/") == "http://gateway:9091"


@pytest.mark.parametrize("text", ["", "0/min", "1200", "1200/minute", "-1/sec", "many/day"])
def test_a_rate_that_cannot_be_is_refused(text):
    with pytest.raises(ValueError, match="such as 1200/min"):
        rate(text)
    assert rate("3/hour") == "3/hour"
