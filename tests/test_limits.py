from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.environment import Environment
from project.limits import Doubt, IncoherentLimitsError, Limits


def test_the_defaults_keep_the_recovery_budget():
    assert Limits().recovery_budget == timedelta(seconds=30)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lease": timedelta(seconds=16)}, "LEASE=16s must be at most HEARTBEAT_TIMEOUT=15s"),
        ({"lease_renewal": timedelta(seconds=15)}, "LEASE_RENEWAL=15s must be less than LEASE=15s"),
        ({"maintenance_every": timedelta(seconds=12)}, "must be less than RECOVERY_BUDGET=30s"),
        ({"smtp_dot": timedelta(seconds=1000)}, "SMTP_DOT=1000s must be less than TIME_LIMIT=1000s"),
        ({"time_limit": timedelta(seconds=450)}, "all SMTP phases together is 912s"),
        ({"retry_max_backoff": timedelta(seconds=170)}, "must be less than OVERDUE=180s"),
        ({"window_idle": timedelta(seconds=301)}, "WINDOW_IDLE=301s must be at most WINDOW_CAP=300s"),
        ({"claim_batch": 2001}, "CLAIM_BATCH=2001: must be at most 2000"),
        ({"line_ttl": timedelta(hours=24)}, "is 86400s and must be less than LINE_TTL"),
        ({"claim_batch": 0}, "CLAIM_BATCH=0 is wrong: it must be a whole number above 0"),
        ({"tick": timedelta(seconds=-5)}, "TICK=-5 is wrong: it must be a number of seconds"),
        (
            {"mail_backoff": (timedelta(minutes=1), timedelta(0))},
            "MAIL_BACKOFF=60,0 is wrong: it must be numbers",
        ),
        ({"mail_backoff": (timedelta(days=2),)}, "longest MAIL_BACKOFF is 172800s and must be less than"),
        ({"mail_expiry": timedelta(minutes=5)}, "BREAKER_PROBE_MAX=600s must be at most MAIL_EXPIRY=300s"),
        ({"breaker_probe": timedelta(minutes=11)}, "BREAKER_PROBE=660s must be at most BREAKER_PROBE_MAX"),
    ],
)
def test_limits_that_contradict_each_other_are_refused_by_name(given, says):
    with pytest.raises(IncoherentLimitsError, match=says):
        Limits(**given)


def test_an_answer_that_waits_for_the_database_delays_neither_the_sweep_nor_a_shutdown():
    assert Limits().answer_patience == Limits().fence_patience - Limits().smtp_dot == timedelta(seconds=60)
    hasty = Limits(shutdown_timeout=timedelta(seconds=310))
    assert hasty.smtp_dot + hasty.answer_patience == hasty.shutdown_timeout


def test_a_policy_is_one_of_three_words():
    assert Environment({"AMBIGUOUS_URGENT": "hold"}).limits().ambiguous_urgent is Doubt.HOLD
    with pytest.raises(
        ImproperlyConfigured, match="AMBIGUOUS_NORMAL='maybe' is wrong: it must be assume_sent"
    ):
        Environment({"AMBIGUOUS_NORMAL": "maybe"}).limits()
