"""The alerts and the dashboard ask for what there is, in words that Prometheus understands."""

import json
import re
from collections.abc import Iterator
from typing import Any

import promql_parser
import pytest
import yaml

from tests.architecture import ROOT
from tests.monitoring.figures import scrape

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

SUFFIXES = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"], "gauge": [""]}
RULES = yaml.safe_load((ROOT / "deploy/prometheus/singlepost-alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((ROOT / "deploy/grafana/singlepost.json").read_text())
DOCUMENT = (ROOT / "docs/monitoring.md").read_text()


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in RULES)
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"].replace("$__rate_interval", "5m") for target in panel["targets"])


def selectors(tree: Any) -> Iterator[tuple[str, set[str]]]:
    """The metrics that an expression asks for, and the labels that it asks them by."""
    if isinstance(tree, promql_parser.VectorSelector):
        yield tree.name, {matcher.name for matcher in tree.matchers.matchers}
    for part in ("expr", "lhs", "rhs", "vector_selector", "args"):
        inner = getattr(tree, part, None)
        for one in inner if isinstance(inner, list) else [inner] if inner is not None else []:
            yield from selectors(one)


def test_every_metric_that_is_asked_for_exists():
    families = scrape().families.values()
    names = {family.name + suffix for family in families for suffix in SUFFIXES[family.type]}
    asked = {name for text in expressions() for name, _ in selectors(promql_parser.parse(text))}
    assert len(asked) > 25
    assert asked - names == set()


def test_the_document_names_every_metric_and_no_other():
    families = scrape().families.values()
    shown = {family.name + {"counter": "_total"}.get(family.type, "") for family in families}
    told = set(re.findall(r"`(singlepost_\w+)`", DOCUMENT))
    assert shown - told == set()
    assert told - shown == set()


def test_each_alert_says_what_happened_and_what_to_do():
    for rule in RULES:
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"].keys() == {"summary", "description"}
        assert rule["alert"] in DOCUMENT


def test_panels_do_not_overlap():
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken
        taken |= cells
