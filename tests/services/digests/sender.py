"""Program of the nursery: forks a sender for each line it reads.

It answers with the sender's pid and, when that is gone, with its exit code (negative for a signal).
"""

import os
import random
import sys

import django


def main() -> None:
    django.setup()
    from tests.services.digests.office import work_off  # noqa: PLC0415 (needs the settings)

    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work_off(random.Random())
            os._exit(0)
        say(pid)
        say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
