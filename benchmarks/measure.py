"""The measurements of ``digest_mails.py``; needs Django to be set up."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from benchmarks import bare, fast_sink, product
from benchmarks.backlog import RECEIVERS, fill
from benchmarks.workers import seconds_through_workers
from project.services.digests.deliver import Outbox

T = TypeVar("T")

CHANGES = 4  # log rows in a digest


def measure(folder: Path, *, lines: int, groups: int) -> None:
    """Print every figure as soon as it is there."""
    issues = max(1, lines // (CHANGES * RECEIVERS))
    with fast_sink.running(folder / "fast_sink.log") as sink:
        _one_process(issues, sink.url)
        for processes in (1, os.cpu_count() or 1):
            _workers(issues, sink.url, folder, processes)
    _claim(max(1, groups // RECEIVERS))


def _one_process(issues: int, url: str) -> None:
    outbox = product.outbox_for(url)
    _warm_up(outbox)
    waiting = fill(issues, CHANGES)
    claiming, wakes = _timed(product.claim_all)
    delivering, _ = _timed(lambda: product.deliver_all(wakes, outbox))
    letters = [bare.read(wake.row_id) for wake in wakes]
    before = fast_sink.taken(url)
    bare_loop, _ = _timed(lambda: bare.send_all(letters, url))
    assert fast_sink.taken(url) - before == len(wakes)
    print(f"{waiting} log rows, {len(wakes)} mails, one process, one thread:")
    _rate("product: claim, check, seal, send, record", len(wakes), claiming + delivering)
    _rate("bare loop: render, send", len(wakes), bare_loop)
    print(f"  the product costs {(claiming + delivering) / bare_loop:.1f} times the bare loop", flush=True)


def _warm_up(outbox: Outbox) -> None:
    fill(1, CHANGES)
    wakes, queries = product.queries_of_a_claim()
    print(f"statements of one claim ({len(wakes)} digests): {queries}")
    product.deliver_all(wakes[1:], outbox)
    print(f"statements of one digest: {product.queries_of_a_digest(wakes[0], outbox)}", flush=True)


def _workers(issues: int, url: str, folder: Path, processes: int) -> None:
    fill(issues, CHANGES)
    wakes = product.claim_all()
    seconds = seconds_through_workers(wakes, url, folder, processes=processes)
    _rate(f"through the queue, {processes} worker process(es) of 8 threads", len(wakes) - 1, seconds)


def _claim(issues: int) -> None:
    for name, limits in (("a mail for each issue", product.APART), ("roll-ups", settings.LIMITS)):
        groups = fill(issues, 1)
        seconds, _ = _timed(lambda limits=limits: product.claim_all(limits))
        _rate(f"claim alone, {name}", groups, seconds, what="due groups")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def _rate(name: str, count: int, seconds: float, what: str = "mails") -> None:
    print(f"  {name:<56}{count / seconds:>8.0f} {what}/s", flush=True)
