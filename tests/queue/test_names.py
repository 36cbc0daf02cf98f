from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.queue.names import message_id, tick_id, tick_of

MINUTE = timedelta(minutes=1)
PARIS_SUMMER = timezone(timedelta(hours=2))


def test_the_same_work_has_the_same_name():
    assert message_id("send_digest", "a", 1) == message_id("send_digest", "a", 1)
    assert UUID(message_id("send_digest", "a", 1)).version == 5


@pytest.mark.parametrize("other", [("send_digest", "a", 2), ("send_digest", "b", 1), ("run_export", "a", 1)])
def test_other_work_has_another_name(other):
    assert message_id("send_digest", "a", 1) != message_id(*other)


def test_two_schedulers_name_a_tick_alike():
    first = datetime(2026, 3, 29, 14, 22, 0, tzinfo=UTC)
    restarted_within_the_minute = datetime(2026, 3, 29, 16, 22, 59, tzinfo=PARIS_SUMMER)
    assert tick_id("stack", first, MINUTE) == tick_id("stack", restarted_within_the_minute, MINUTE)
    assert tick_id("stack", first, MINUTE) != tick_id("stack", first + MINUTE, MINUTE)


def test_a_tick_is_not_taken_from_a_naive_time():
    with pytest.raises(ValueError, match="aware"):
        tick_of(datetime(2026, 3, 29, 14, 22), MINUTE)  # noqa: DTZ001


@given(
    moment=st.datetimes(timezones=st.timezones()),
    grid=st.integers(1, 86400).map(lambda s: timedelta(seconds=s)),
)
def test_a_tick_is_the_last_one_on_the_grid(moment, grid):
    tick = tick_of(moment, grid)
    assert timedelta(0) <= moment.astimezone(UTC) - tick < grid
    assert tick_of(tick, grid) == tick
