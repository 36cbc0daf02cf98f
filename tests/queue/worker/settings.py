"""Its settings; QUEUE_TEST_URL is the address of the test's own Redis server, without a database."""

import os

from dramatiq.middleware import ShutdownNotifications, TimeLimit

from tests.queue.limits import short

SECRET_KEY = "only for tests"
USE_TZ = True
INSTALLED_APPS = ["django_dramatiq", "tests.queue.worker"]
LIMITS = short()
REDIS_URL = f"{os.environ['QUEUE_TEST_URL']}/0"
DEDUP_REDIS_URL = f"{os.environ['QUEUE_TEST_URL']}/1"
EFFECTS_URL = f"{os.environ['QUEUE_TEST_URL']}/2"
DRAMATIQ_BROKER = {
    "BROKER": "project.queue.broker.HardenedRedisBroker",
    "OPTIONS": {},
    "MIDDLEWARE": [
        "django_dramatiq.middleware.DbConnectionsMiddleware",
        "project.queue.keeper.Keeper",
        "project.queue.watchdog.Watchdog",
        "project.queue.dedup.Dedup",
        "project.queue.retries.SafeRetries",
        TimeLimit(),
        ShutdownNotifications(),
    ],
}
DRAMATIQ_AUTODISCOVER_MODULES = ["actors"]
DRAMATIQ_IGNORED_MODULES = ["django_dramatiq.tasks"]
