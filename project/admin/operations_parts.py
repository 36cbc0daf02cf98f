"""What the operations page tells, each part read by itself: one that cannot be had hides no other."""

import logging
from datetime import datetime, timedelta
from typing import Any, cast

import dramatiq
import redis
from django.conf import settings
from django.db import Error as DatabaseError

from project.actors.dead_letters import office
from project.actors.digests import OUTBOX
from project.admin.operations_charts import charts
from project.queue.broker import HardenedRedisBroker
from project.queue.depths import depths
from project.queue.processes import SCHEDULER, WORKER, silences
from project.services.operations.backlog import attention, backlogs, late
from project.services.operations.bounded import bounded
from project.services.operations.history import history
from project.services.operations.outcomes import outcomes

logger = logging.getLogger(__name__)

Part = dict[str, Any]


def read(now: datetime, hours: int) -> Part:
    """Read all parts, those of the charts over the last `hours`; ``missing`` names those that cannot be had."""
    told: Part = {"missing": []}
    for part in (_mail, _backlog, _outcomes, _queues, _processes, _charts):
        try:
            told |= part(now, hours)
        except (DatabaseError, redis.RedisError) as error:
            name = part.__name__.strip("_")
            logger.warning("the operations page lacks %s: %s", name, error)
            told["missing"].append(name)
    return told


def _mail(_: datetime, __: int) -> Part:
    with bounded(settings.LIMITS):
        return {"mail": OUTBOX.breaker.state()}


def _backlog(now: datetime, _: int) -> Part:
    with bounded(settings.LIMITS):
        found, stuck = backlogs(now=now), attention()
    kind, oldest = max(found.items(), key=lambda item: item[1].oldest_due)
    return {
        "backlog": found.items(),
        "attention": stuck,
        "undecided": stuck.held_digests + stuck.failed_events,
        "oldest": oldest.oldest_due,
        "oldest_since": now - timedelta(seconds=oldest.oldest_due),
        "oldest_kind": kind if oldest.due else "",
        "late": late(found, settings.LIMITS),
    }


def _outcomes(now: datetime, _: int) -> Part:
    with bounded(settings.LIMITS):
        return {"outcomes": outcomes(now=now)}


def _queues(_: datetime, __: int) -> Part:
    broker = _broker()
    found = depths(broker.client, broker.namespace, sorted(broker.get_declared_queues()))
    return {"queues": found.items(), "dead": sum(depth.dead for depth in found.values())}


def _processes(_: datetime, __: int) -> Part:
    patience = {WORKER: settings.LIMITS.recovery_budget, SCHEDULER: settings.LIMITS.overdue}
    known = [
        (process, silence, silence <= patience[process.role].total_seconds())
        for process, silence in sorted(silences(_broker().client).items())
    ]
    alive = [process.role for process, _, is_alive in known if is_alive]
    return {"processes": known, "workers": alive.count(WORKER), "schedulers": alive.count(SCHEDULER)}


def _charts(now: datetime, hours: int) -> Part:
    with bounded(settings.LIMITS):
        return {"charts": charts(history(until=now, length=timedelta(hours=hours)), hours)}


def _broker() -> HardenedRedisBroker:
    office()  # declares all queues
    return cast(HardenedRedisBroker, dramatiq.get_broker())
