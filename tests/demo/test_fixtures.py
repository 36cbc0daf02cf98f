import redis
from pytest_django import Settings

from tests.conftest import SmtpSink


def test_redis_server_is_empty(redis_server: str, settings: Settings) -> None:
    for url in (redis_server, settings.DEDUP_REDIS_URL):
        with redis.Redis.from_url(url) as client:
            assert client.dbsize() == 0
            client.set("left", "behind")


# Whichever of the two runs second would see what the first one left behind.
test_redis_server_is_empty_again = test_redis_server_is_empty


def test_smtp_sink_is_where_mail_goes(smtp_sink: SmtpSink, settings: Settings) -> None:
    assert (settings.MAIL_SERVER.host, settings.MAIL_SERVER.port) == (smtp_sink.host, smtp_sink.port)
