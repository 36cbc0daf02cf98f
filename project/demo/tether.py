"""Starts commands that end when their parent does, also as another user.

This file is run as a program: ``python tether.py PARENT SIGNAL UID GID COMMAND…`` becomes COMMAND, and the
kernel sends it SIGNAL once the thread that started it is gone, however that came about, SIGKILL included
(prctl(2), PR_SET_PDEATHSIG). Systems other than Linux lack this; there the command is merely started.

It is a program of its own because the other place between fork and exec, Popen's ``preexec_fn``, is not safe
in a process with threads.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

PR_SET_PDEATHSIG = 1


class User(NamedTuple):
    """Numeric ids of the user and the group that a process runs as."""

    uid: int
    gid: int

    @classmethod
    def current(cls) -> Self:
        """Return what this process runs as."""
        return cls(os.geteuid(), os.getegid())


def tethered(command: Sequence[str | Path], user: User, end: signal.Signals) -> list[str]:
    """Return what to run so that `command` runs as `user` and gets signal `end` when this process is gone.

    `command` begins with the absolute path of a program. Another user than the present one takes root.
    """
    # -I -S: it needs the standard library only, which makes it quick, and deaf to the environment.
    become = [sys.executable, "-I", "-S", __file__]
    return [*become, *map(str, (os.getpid(), end.value, *user)), *map(str, command)]


def main(arguments: list[str]) -> None:
    """Become the command, as the module says; exit with status 1 if the parent is gone already."""
    parent, end, uid, gid = map(int, arguments[:4])
    command = arguments[4:]
    if uid != os.geteuid():
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # After the change of user, which clears it. An exec does not.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, end)
    if os.getppid() != parent:  # it died before the kernel was told to watch it
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - to start a program is what this is for


if __name__ == "__main__":
    main(sys.argv[1:])
