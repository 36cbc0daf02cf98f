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
        ({"claim_batch": 0}, "CLAIM_BATCH=0: must be greater than zero"),
        ({"mail_backoff": (timedelta(0),)}, "MAIL_BACKOFF"),
        ({"mail_backoff": (timedelta(days=2),)}, "longest MAIL_BACKOFF is 172800s and must be less than"),
        ({"mail_expiry": timedelta(minutes=5)}, "BREAKER_PROBE_MAX=600s must be at most MAIL_EXPIRY=300s"),
        ({"breaker_probe": timedelta(minutes=11)}, "BREAKER_PROBE=660s must be at most BREAKER_PROBE_MAX"),
    ],
)
def test_limits_that_contradict_each_other_are_refused_by_name(given, says):
    with pytest.raises(IncoherentLimitsError, match=says):
        Limits(**given)


def test_a_policy_is_one_of_three_words():
    assert Environment({"AMBIGUOUS_URGENT": "hold"}).limits().ambiguous_urgent is Doubt.HOLD
    with pytest.raises(
        ImproperlyConfigured, match="AMBIGUOUS_NORMAL='maybe' is wrong: it must be assume_sent"
    ):
        Environment({"AMBIGUOUS_NORMAL": "maybe"}).limits()
