"""Reads metrics as Prometheus does."""

from collections.abc import Mapping

from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

TOKEN = "prometheus-reads-with-this"

Key = tuple[str, frozenset[tuple[str, str]]]


class Scrape:
    """The samples of one answer of ``/metrics``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.families = {family.name: family for family in text_string_to_metric_families(text)}
        self.samples: Mapping[Key, float] = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in self.families.values()
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float:
        return self.samples[f"singlepost_{name}", frozenset(labels.items())]

    def labels(self, name: str) -> list[dict[str, str]]:
        return [dict(labels) for sample, labels in self.samples if sample == f"singlepost_{name}"]

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.samples}


def scrape() -> Scrape:
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.content
    return Scrape(answer.content.decode())
