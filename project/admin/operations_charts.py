"""The charts of the operations page."""

from collections.abc import Sequence
from datetime import datetime

from project.admin.charts import Chart, drawn, stacked
from project.models import DigestStatus
from project.services.operations.history import Slot

_S = DigestStatus
_SERIES: tuple[tuple[str, frozenset[str]], ...] = (
    ("Sent", frozenset({_S.SENT, _S.SENT_ASSUMED})),
    ("Suppressed", frozenset({_S.SUPPRESSED})),
    ("Failed, expired or held", frozenset({_S.FAILED, _S.EXPIRED, _S.HELD})),
)


def charts(slots: Sequence[Slot], hours: int) -> list[Chart]:
    """Throughput and delay over the last `hours`."""
    return [_throughput(slots, hours), _delay(slots, hours)]


def _throughput(slots: Sequence[Slot], hours: int) -> Chart:
    names = [name for name, _ in _SERIES]
    rows = [
        (
            slot.begins,
            [float(sum(slot.ends.get(status, 0) for status in statuses)) for _, statuses in _SERIES],
        )
        for slot in slots
    ]
    totals = [f"{sum(values[place] for _, values in rows):.0f}" for place in range(len(names))]
    told = ", ".join(f"{total} {name.lower()}" for name, total in zip(names, totals, strict=True))
    return stacked("Digests that ended", f"In the last {_period(hours)}: {told}.", names, rows)


def _delay(slots: Sequence[Slot], hours: int) -> Chart:
    rows: list[tuple[datetime, Sequence[float | None]]] = [
        (slot.begins, [slot.median, slot.slow]) for slot in slots
    ]
    measured = [slot for slot in slots if slot.median is not None]
    if measured:
        newest = measured[-1]
        told = f"Lately, half within {newest.median:.0f} s and 95 in 100 within {newest.slow:.0f} s."
    else:
        told = f"No mail was sent in the last {_period(hours)}."
    return drawn("From the change to the mail", told, "s", ["Half within", "95 in 100 within"], rows)


def _period(hours: int) -> str:
    return "hour" if hours == 1 else f"{hours} hours"
