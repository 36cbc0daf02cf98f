"""Our numbers in the words of Prometheus' client."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from project.queue.measures import Durations, Tally

PREFIX = "singlepost_"

Key = TypeVar("Key", bound=tuple[str, ...])


def gauge(name: str, about: str, labels: Iterable[str], values: Mapping[Key, float]) -> GaugeMetricFamily:
    """A number that goes up and down, once for each combination of labels."""
    family = GaugeMetricFamily(PREFIX + name, about, labels=list(labels))
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def counter(tally: Tally, stored: Mapping[str, int]) -> CounterMetricFamily:
    """A number that only grows, until Redis is emptied. Without labels it is there from the beginning."""
    family = CounterMetricFamily(PREFIX + tally.name, tally.help, labels=list(tally.labels))
    nothing: dict[tuple[str, ...], int] = {} if tally.labels else {(): 0}
    for key, value in (nothing | tally.read(stored)).items():
        family.add_metric(key, value)
    return family


def histogram(durations: Durations, stored: Mapping[str, int]) -> HistogramMetricFamily:
    """A distribution, as counts up to each bound."""
    labels = [durations.label] if durations.label else []
    family = HistogramMetricFamily(PREFIX + durations.name, durations.help, labels=labels)
    for value, found in durations.read(stored).items():
        family.add_metric([value] if labels else [], found.buckets, found.total)
    return family
