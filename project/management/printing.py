"""How the operators' commands print."""

import json
from collections.abc import Sequence
from typing import Any


def table(rows: Sequence[Sequence[object]]) -> str:
    """Align columns; the last one takes what it needs."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )


def as_json(value: Any) -> str:
    """Write a value as JSON; moments and ids become strings."""
    return json.dumps(value, indent=2, default=str)
