"""``python3 tools/install.py VENV REQUIREMENTS``: makes a virtual environment hold what a file lists.

It does nothing if that is so already, which takes a fraction of a second. Two runs at once take turns; what
an interrupted one left is made good by the next. Old Pythons must be able to parse this file, to be told so.
"""

import fcntl
import importlib.util
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
LOCK = Path("var/install.lock")


def main(folder: Path, requirements: Path) -> None:
    """Bring the environment in `folder` to the state of the file `requirements`."""
    refuse_unusable_python()
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel gives it back, whatever becomes of this process
        install(folder, requirements)


def refuse_unusable_python() -> None:
    """Exit with advice if this Python is too old, or cannot make virtual environments."""
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python {version(OLDEST)} or newer is needed; {sys.executable} is {version(sys.version_info)}. "
            "If there is a newer one, name it: make PYTHON=python3.12 ..."
        )
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        sys.exit(
            f"{sys.executable} cannot make virtual environments. "
            "On Debian and Ubuntu that is mended by: apt install python3-venv"
        )


def version(numbers: "tuple[int, ...]") -> str:
    """Write the first two numbers of a version as people do."""
    return ".".join(map(str, numbers[:2]))


def install(folder: Path, requirements: Path) -> None:
    """Install, unless the stamp says that the same was installed in the same place before."""
    # An environment's scripts hold its path, and its packages belong to one version of Python: a change of
    # either one calls for a new environment.
    place = f"{folder.resolve()} {version(sys.version_info)}\n"
    wanted = place + requirements.read_text(encoding="utf-8")
    stamp, python = folder / "installed", folder / "bin" / "python"
    known = stamp.read_text(encoding="utf-8") if stamp.exists() and python.exists() else ""
    if known == wanted:
        return
    print(f"Installing {requirements} into {folder} ...", flush=True)
    if not known.startswith(place):
        run(sys.executable, "-m", "venv", "--clear", folder)
    stamp.write_text(place, encoding="utf-8")  # says "unfinished" until the packages are there
    run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "-r", requirements)
    stamp.write_text(wanted, encoding="utf-8")


def run(*command: "str | Path") -> None:
    """Run a command that says itself what is wrong; exit as it does if it fails."""
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
