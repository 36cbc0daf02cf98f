from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pendulum
import pytest

from project.queue import actor
from project.queue.names import message_id, tick_id

ROW = str(uuid4())


@pytest.fixture
def send_digest(broker):
    @actor(queue_name="mail", broker=broker)
    def send_digest(row_id: str, dispatch: int) -> None:
        raise AssertionError("never run here")

    return send_digest


def test_a_message_is_named_after_the_row_and_its_dispatch(send_digest):
    assert send_digest.message(ROW, 1).message_id == message_id("send_digest", ROW, 1)
    assert send_digest.send(ROW, 1).message_id == send_digest.message(ROW, 1).message_id
    assert send_digest.send_with_options(args=(ROW, 2), delay=5).message_id == message_id(
        "send_digest", ROW, 2
    )


def test_a_tick_is_named_after_its_minute(send_digest):
    """periodiq passes ``str(pendulum.now())``; two instances differ in the seconds, and hosts in the zone."""
    at = pendulum.datetime(2026, 10, 25, 2, 30, 7, tz="Europe/Paris")
    again = at.add(seconds=40).in_timezone("UTC")
    sent = send_digest.send_with_options(scheduled_at=str(at))
    assert sent.message_id == send_digest.message_with_options(scheduled_at=str(again)).message_id
    moment = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # the second 02:30 of that night
    assert sent.message_id == tick_id("send_digest", moment, timedelta(minutes=1))


def test_a_manual_run_of_a_periodic_actor_is_wanted_each_time(send_digest):
    assert send_digest.message().message_id != send_digest.message().message_id


@pytest.mark.parametrize("content", ["a@b.example", "", ROW.upper(), 1.5, None, True, {"id": ROW}, [ROW]])
def test_a_message_carries_ids_only(send_digest, content):
    with pytest.raises(TypeError, match="only UUID strings and integers"):
        send_digest.send(content, 1)


def test_a_message_carries_no_names_and_no_options(send_digest):
    with pytest.raises(TypeError, match="by position"):
        send_digest.send(row_id=ROW, dispatch=1)
    with pytest.raises(TypeError, match="on_success"):
        send_digest.send_with_options(args=(ROW, 1), on_success="other")


def test_callbacks_cannot_be_declared(broker):
    """They would carry a whole message as their argument."""
    with pytest.raises(ValueError, match="on_success"):
        actor(queue_name="mail", broker=broker, on_success="other")(lambda: None)
