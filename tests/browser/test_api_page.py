"""The page that shows the API."""

from tests.browser.visitor import Visitor


def test_it_shows_all_operations_and_loads_nothing_from_elsewhere(visitor: Visitor) -> None:
    visitor.open("/api/docs/")
    visitor.until(lambda: len(visitor.all(".opblock")) > 30)
    assert visitor.complaints() == []
