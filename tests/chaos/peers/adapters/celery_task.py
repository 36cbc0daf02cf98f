import os
import sys

from celery import Celery

from tests.chaos.peers.adapters.letter import post

app = Celery("tests.chaos.peers.adapters.celery_task", broker=os.environ["REDIS_URL"])
# What the documentation recommends for tasks that must not be lost, and for those that must come back soon.
app.conf.task_acks_late = app.conf.task_reject_on_worker_lost = "ACKS_LATE" in os.environ
if seconds := os.environ.get("VISIBILITY_TIMEOUT"):
    app.conf.broker_transport_options = {"visibility_timeout": int(seconds)}


@app.task(name="mail")
def mail(number: int) -> None:
    post(number)


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        mail.delay(number)
