"""Exports beside the least that each of them can cost: ``python -m benchmarks.exports [--rows 200000]``.

Each measurement is a process of its own, so that its peak memory is its own; what is compared is run in turns.
"""

import argparse
import json
import os
import resource
import secrets
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import django

from project.demo import servers

PLANE_ROWS = 20_000
FEW_ROWS = 2_000
BEATS = 500  # progress writes that are timed
#: What is divided by what: how many times as fast the first one is.
RATIOS = (
    ("reader", "COPY of the same query", 0.9),
    ("CSV export", "COPY as CSV", 0.7),
    ("JSON export", "COPY of row_to_json", 0.85),
    ("XLSX export", "bare XlsxWriter loop", 1.0),
    ("XLSX writer alone", "bare XlsxWriter loop", 3.0),
    ("query on the server", "same lists as sub-selects", 3.0),
    ("query on the server", "two lists as sub-selects", 3.0),
    ("deflate, ISA-L level 2", "deflate, zlib level 6", 5.0),
)
AGAINST_PLANE = (("JSON export", "Plane's way, JSON"), ("XLSX export", "Plane's way, XLSX"))


def main() -> None:
    """Start the servers, measure in child processes, stop them; or be one of the children."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="issues of the project")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each way; the median counts")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.way:
        _measure(arguments.way, arguments.rows)
        return
    with TemporaryDirectory(prefix="benchmark-") as folder, servers.running(Path(folder), {}) as running:
        os.environ.update(_environ(running))
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415 (needs the settings)

        from benchmarks.export_data import fill  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        for rows in {arguments.rows, PLANE_ROWS, FEW_ROWS}:
            fill(rows)
        _compare(RATIOS, arguments.rows, arguments.repeat)
        _small_costs()
        _compare([(*pair, 8.0) for pair in AGAINST_PLANE], PLANE_ROWS, arguments.repeat)


def _environ(running: servers.Running) -> dict[str, str]:
    return {
        **running.environ,
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "SITE_URL": "http://127.0.0.1:8000",
        "NOTIFY_FROM": "Tracker <tracker@bench.example>",
        "LOG_LEVEL": "WARNING",
        "PATH": os.environ.get("PATH", os.defpath),
    }


def _compare(ratios: tuple[tuple[str, str, float], ...] | list, rows: int, repeat: int) -> None:
    names = list(dict.fromkeys(name for first, second, _ in ratios for name in (first, second)))
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(repeat):
        for name in names:
            runs[name].append(_child(name, rows))
    print(f"{rows:,} issues, median of {repeat}:")
    medians = {name: statistics.median(run["wall"] for run in runs[name]) for name in names}
    for name in names:
        peak = max(run["peak"] for run in runs[name])
        cpu = statistics.median(run["cpu"] for run in runs[name])
        rate = rows / medians[name]
        print(f"  {name:<28}{medians[name]:>8.2f} s {cpu:>8.2f} s CPU {rate:>10,.0f} rows/s {peak:>6.0f} MB")
    for first, second, target in ratios:
        factor = medians[second] / medians[first]
        more = runs[first][0]["size"] / runs[second][0]["size"] if "size" in runs[first][0] else 0
        bytes_ = f", with {more:.2f} times as many bytes" if more else ""
        print(f"  {first} is {factor:.2f} times as fast as {second}{bytes_} (target {target})")
    print(flush=True)


def _small_costs() -> None:
    few = min(_child("query on the server", FEW_ROWS)["wall"] for _ in range(3))
    print(f"The query of {FEW_ROWS:,} issues among all takes {few * 1000:.0f} ms (target 200).")
    share = min(_child("progress", FEW_ROWS)["cpu"] for _ in range(3)) / BEATS
    print(f"A progress write a second takes {share:.2%} of a processor (target 2 %).\n", flush=True)


def _child(name: str, rows: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.exports", "--way", name, "--rows", str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _measure(name: str, rows: int) -> None:
    django.setup()
    from benchmarks.export_costs import COSTS  # noqa: PLC0415
    from benchmarks.export_ways import WAYS  # noqa: PLC0415
    from project.models import Project  # noqa: PLC0415

    project = Project.objects.select_related("workspace__owner").get(workspace__slug=f"bench-{rows}")
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    own = (WAYS | COSTS)[name](project, rows) or {}
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": _peak()} | own))


def _peak() -> float:
    """The peak of this process's memory in MB. What getrusage says would include the parent's, from before exec."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
