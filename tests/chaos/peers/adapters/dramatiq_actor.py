import os
import sys

import dramatiq
from dramatiq.brokers.redis import RedisBroker

from tests.chaos.peers.adapters.letter import post

dramatiq.set_broker(RedisBroker(url=os.environ["REDIS_URL"]))


@dramatiq.actor
def mail(number: int) -> None:
    post(number)


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        mail.send(number)
