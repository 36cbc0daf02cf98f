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


def counter(tally: Tally, stored: Mapping[str, int], known: Iterable[Key]) -> CounterMetricFamily:
    """A number that only grows, until Redis is emptied. Of `known` labels it is there from the beginning, since a
    first step that comes out of nowhere is none for Prometheus.
    """
    family = CounterMetricFamily(PREFIX + tally.name, tally.help, labels=list(tally.labels))
    nothing: dict[tuple[str, ...], int] = dict.fromkeys(known, 0)
    for key, value in (nothing | tally.read(stored)).items():
        family.add_metric(key, value)
    return family


def histogram(durations: Durations, stored: Mapping[str, int], known: Iterable[str]) -> HistogramMetricFamily:
    """A distribution, as counts up to each bound; there from the beginning of `known` values of the label."""
    labels = [durations.label] if durations.label else []
    family = HistogramMetricFamily(PREFIX + durations.name, durations.help, labels=labels)
    for value, found in durations.read(stored, known).items():
        family.add_metric([value] if labels else [], found.buckets, found.total)
    return family
