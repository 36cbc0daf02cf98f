"""The columns of an export: one line each says its name, what kind of value it is, and where it is read.

The first 25 are Plane's, in Plane's order and with its names. The SQL belongs to the query in ``query.py``.
"""

from enum import Enum, auto
from typing import Any, NamedTuple

Row = tuple[Any, ...]


class Kind(Enum):
    """What a value is, and how it comes from the database.

    TEXT (str), NUMBER (int), DATE (date, never shifted by a zone), TIME (datetime in the zone of the export),
    FLAG (bool), NAMES and DAYS (lists of str; a day may be missing), LINKS (lists of title and address),
    RELATIONS (of kind and issue) and COMMENTS (of text, author and time). All may be None.
    """

    TEXT = auto()
    NUMBER = auto()
    DATE = auto()
    TIME = auto()
    FLAG = auto()
    NAMES = auto()
    DAYS = auto()
    LINKS = auto()
    RELATIONS = auto()
    COMMENTS = auto()


class Column(NamedTuple):
    """A column: its name in JSON, its kind and the SQL of its value."""

    key: str
    kind: Kind
    sql: str

    @property
    def title(self) -> str:
        """Its name at the head of a table, made as Plane makes it."""
        return self.key.replace("_", " ").title()


def person(user_id: str) -> str:
    """SQL of a person's name. Looked up for each use: joining would read everybody's, for every project."""
    name = "coalesce(nullif(btrim(first_name || ' ' || last_name), ''), display_name)"
    return f"(SELECT {name} FROM users WHERE users.id = {user_id})"  # noqa: S608 (a name of a column)


def _seconds(column: str) -> str:
    """Whole seconds; what Python's calendar cannot hold, such as "infinity", is left empty."""
    return f"CASE WHEN {column} BETWEEN '0001-01-02' AND '9999-12-30' THEN date_trunc('second', {column}) END"


def _day(column: str) -> str:
    return f"CASE WHEN {column} BETWEEN '0001-01-01' AND '9999-12-31' THEN {column} END"


COLUMNS = (
    Column("project_name", Kind.TEXT, "%(project_name)s::text"),
    Column("project_identifier", Kind.TEXT, "%(identifier)s::text"),
    Column("parent", Kind.TEXT, "%(identifier)s::text || '-' || parent.sequence_id"),
    Column("identifier", Kind.TEXT, "%(identifier)s::text || '-' || issue.sequence_id"),
    Column("sequence_id", Kind.NUMBER, "issue.sequence_id"),
    Column("name", Kind.TEXT, "issue.name"),
    Column("state_name", Kind.TEXT, "state.name"),
    Column("priority", Kind.TEXT, "issue.priority"),
    Column("assignees", Kind.NAMES, "assignees.names"),
    Column("subscribers", Kind.NAMES, "subscribers.names"),
    Column("created_by_name", Kind.TEXT, person("issue.created_by_id")),
    Column("start_date", Kind.DATE, _day("issue.start_date")),
    Column("target_date", Kind.DATE, _day("issue.target_date")),
    Column("completed_at", Kind.TIME, _seconds("issue.completed_at")),
    Column("created_at", Kind.TIME, _seconds("issue.created_at")),
    Column("updated_at", Kind.TIME, _seconds("issue.updated_at")),
    Column("archived_at", Kind.DATE, _day("issue.archived_at")),
    Column("estimate", Kind.TEXT, "estimate.value"),
    Column("labels", Kind.NAMES, "labels.names"),
    Column("cycles", Kind.NAMES, "cycles.names"),
    Column("modules", Kind.NAMES, "modules.names"),
    Column("links", Kind.LINKS, "links.pairs"),
    Column("relations", Kind.RELATIONS, "relations.pairs"),
    Column("comments", Kind.COMMENTS, "comments.notes"),
    Column("is_draft", Kind.FLAG, "issue.is_draft"),
    Column("description", Kind.TEXT, "issue.description_stripped"),
    Column("url", Kind.TEXT, "%(address)s::text || issue.id"),
    Column("sub_issues_count", Kind.NUMBER, "coalesce(children.count, 0)"),
    Column("link_count", Kind.NUMBER, "coalesce(cardinality(links.pairs) / 2, 0)"),
    Column("cycle_start_date", Kind.DAYS, "cycles.first_days"),
    Column("cycle_end_date", Kind.DAYS, "cycles.last_days"),
    Column("module_start_date", Kind.DAYS, "modules.first_days"),
    Column("module_target_date", Kind.DAYS, "modules.last_days"),
)
