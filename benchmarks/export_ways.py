"""What the benchmark of exports compares: the product's ways, and the least that each of them can cost."""

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain, islice, repeat
from typing import Any
from uuid import uuid4

import psycopg
from django.conf import settings
from django.utils import timezone

from project.models import Exporter, ExportFormat, ExportRun, Issue, Project
from project.services.exports import query
from project.services.exports.columns import COLUMNS, Kind, Row
from project.services.exports.plan import Part, plan
from project.services.exports.request import request_export
from project.services.exports.run import Depot, run
from project.services.exports.snapshot import BATCH, Snapshot, opened
from project.services.exports.storage import Storage
from project.services.exports.wish import Wish
from project.services.exports.xlsx_file import xlsx_file

SAMPLE = 2000  # rows that writers alone get again and again
LISTS = {Kind.NAMES, Kind.DAYS, Kind.LINKS, Kind.RELATIONS, Kind.COMMENTS}


def requested(project: Project, provider: str) -> Exporter:
    """An export of the whole project."""
    wish = Wish(provider=ExportFormat(provider), projects=frozenset({project.id}))
    limits = settings.LIMITS
    return request_export(
        project.workspace.owner, project.workspace, wish, now=timezone.now(), limits=limits
    )[0]


def product(provider: str) -> Callable[[Project, int], None]:
    """The whole export, into the store."""

    def export(project: Project, rows: int) -> None:
        wanted = requested(project, provider)
        storage = Storage(settings.OBJECT_STORE, settings.PUBLIC_ENDPOINT)
        depot = Depot(storage, settings.SITE_URL, settings.LIMITS)
        run(wanted.id, 1, owner=uuid4(), depot=depot, clock=timezone.now)
        done = ExportRun.objects.get(export=wanted)
        assert (done.status, done.rows_done) == ("completed", rows), done.reason

    return export


def read(project: Project, rows: int) -> None:
    """The product's reader alone."""
    with opened("UTC", settings.LIMITS.export_time) as snapshot:
        assert sum(len(batch) for batch in part_of(project, snapshot).batches(snapshot)) == rows


def copy(shape: Callable[[str], str], options: str = "") -> Callable[[Project, int], None]:
    """PostgreSQL's own COPY of the same query, to nowhere."""

    def copy_out(project: Project, rows: int) -> None:
        with opened("UTC", settings.LIMITS.export_time) as snapshot:
            part = part_of(project, snapshot)
            statement = f"COPY ({shape(query.rows(part.condition))}) TO STDOUT {options}"
            with psycopg.Cursor(snapshot._database).copy(statement, part.parameters) as blocks:
                for _ in blocks:
                    pass

    return copy_out


def as_they_are(rows: str) -> str:
    return rows


def as_csv(rows: str) -> str:
    """The same columns in the shape that our CSV has, guard included."""
    return f"SELECT {', '.join(map(_in_csv, COLUMNS))} FROM ({rows}) AS t({_keys()})"


def as_json(rows: str) -> str:
    return f"SELECT row_to_json(t) FROM ({rows}) AS t({_keys()})"


def _keys() -> str:
    return ", ".join(column.key for column in COLUMNS)


def _in_csv(column: Any) -> str:
    key = column.key
    if column.kind in {Kind.NUMBER, Kind.DATE, Kind.FLAG}:
        return str(key)
    if column.kind is Kind.TIME:
        return f"to_char({key}, 'YYYY-MM-DD\"T\"HH24:MI:SSTZH:TZM')"
    text = f"array_to_string({key}, '; ')" if column.kind in LISTS else key
    return f"CASE WHEN {text} ~ '^[=+@\\t\\r-]' THEN '''' || {text} ELSE {text} END"


def shape_of_orm(*lists: str) -> Callable[[Project, int], None]:
    """What an ORM's sub-select for each issue and list costs the server."""

    def query_as_an_orm(project: Project, rows: int) -> None:
        listed = "".join(f", ARRAY({lists_})" for lists_ in lists)
        _on_server(f"SELECT i.name, i.description_stripped{listed} FROM issues AS i", project)

    return query_as_an_orm


def _linked(name: str, table: str, link: str, key: str) -> str:
    """The sub-select of the names that an issue is linked to."""
    return (
        f"SELECT x.{name} FROM {link} AS l JOIN {table} AS x ON x.id = l.{key}"
        f" WHERE l.issue_id = i.id AND l.deleted_at IS NULL ORDER BY x.{name}"
    )


def _own(value: str, table: str, key: str = "issue_id") -> str:
    """The sub-select of what belongs to an issue alone."""
    return f"SELECT {value} FROM {table} AS l WHERE l.{key} = i.id AND l.deleted_at IS NULL"


TWO_LISTS = (
    _linked("first_name", "users", "issue_assignees", "assignee_id"),
    _linked("name", "labels", "issue_labels", "label_id"),
)
NINE_LISTS = (
    *TWO_LISTS,
    _linked("first_name", "users", "issue_subscribers", "subscriber_id"),
    _linked("name", "cycles", "cycle_issues", "cycle_id"),
    _linked("name", "modules", "module_issues", "module_id"),
    _own("url", "issue_links"),
    _own("comment_stripped", "issue_comments"),
    _own("relation_type", "issue_relations"),
    _own("id", "issues", "parent_id"),
)


def shape_of_ours(project: Project, rows: int) -> None:
    """What our query costs the server, all lists included."""
    with opened("UTC", settings.LIMITS.export_time) as snapshot:
        part = part_of(project, snapshot)
        sql = f"SELECT max(length(t::text)) FROM ({query.rows(part.condition)}) AS t"
        snapshot.number(sql, part.parameters)


def _on_server(select: str, project: Project) -> None:
    with opened("UTC", settings.LIMITS.export_time) as snapshot:
        sql = f"SELECT max(length(t::text)) FROM ({select} WHERE i.project_id = %(id)s) AS t"
        snapshot.number(sql, {"id": project.id})


def xlsx_writer(project: Project, rows: int) -> None:
    """Our workbook alone, to nowhere."""
    options = {"title": "x", "zone": "UTC", "at": datetime.now(UTC), "note_cut": lambda _: None}
    for _ in xlsx_file(COLUMNS, _sample(project, rows), total=rows, **options):
        pass


def xlsxwriter_loop(project: Project, rows: int) -> None:
    """The least that XlsxWriter can cost: its typed calls in constant memory, nothing else."""
    import xlsxwriter  # noqa: PLC0415 (so that it does not count as the others' memory)

    given = {"constant_memory": True, "remove_timezone": True}
    with tempfile.TemporaryFile() as file, xlsxwriter.Workbook(file, given) as book:
        sheet = book.add_worksheet()
        day, time = (book.add_format({"num_format": f}) for f in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
        for number, row in enumerate(chain.from_iterable(_sample(project, rows))):
            for place, (column, value) in enumerate(zip(COLUMNS, row, strict=True)):
                if value is None:
                    continue
                if column.kind is Kind.NUMBER:
                    sheet.write_number(number, place, value)
                elif column.kind is Kind.FLAG:
                    sheet.write_boolean(number, place, value)
                elif column.kind is Kind.DATE:
                    sheet.write_datetime(number, place, value, day)
                elif column.kind is Kind.TIME:
                    sheet.write_datetime(number, place, value, time)
                else:
                    sheet.write_string(number, place, value if isinstance(value, str) else "; ".join(value))


def _sample(project: Project, rows: int) -> Iterator[list[Row]]:
    with opened("UTC", settings.LIMITS.export_time) as snapshot:
        batches = list(islice(part_of(project, snapshot).batches(snapshot), SAMPLE // BATCH))
    return islice(chain.from_iterable(repeat(batches)), rows // BATCH)


def planes_way(provider: str) -> Callable[[Project, int], None]:
    """The way that Plane does it: the ORM with prefetches, one list of all rows, one file in memory."""

    def export(project: Project, rows: int) -> None:
        issues = (
            Issue.objects.filter(project=project)
            .select_related("project", "workspace", "state", "created_by", "estimate_point")
            .prefetch_related("label_links__label", "assignee_links__assignee", "links", "comments__actor")
            .order_by("-created_at")
        )
        table = [_record(issue) for issue in issues]
        content = io.BytesIO()
        if provider == "xlsx":
            import openpyxl  # noqa: PLC0415 (so that it does not count as the others' memory)

            book = openpyxl.Workbook()
            for line in [list(table[0]), *(list(record.values()) for record in table)]:
                book.active.append(line)
            book.save(content)
        else:
            content.write(json.dumps(table, indent=2, default=str).encode())
        assert content.tell()

    return export


def _record(issue: Issue) -> dict[str, Any]:
    return {
        "project_name": issue.project.name,
        "identifier": f"{issue.project.identifier}-{issue.sequence_id}",
        "name": issue.name,
        "state_name": issue.state.name if issue.state else "",
        "priority": issue.priority,
        "assignees": ", ".join(link.assignee.full_name for link in issue.assignee_links.all()),
        "labels": ", ".join(link.label.name for link in issue.label_links.all()),
        "created_by": issue.created_by.full_name if issue.created_by else "",
        "start_date": str(issue.start_date or ""),
        "target_date": str(issue.target_date or ""),
        "created_at": issue.created_at.isoformat(),
        "completed_at": issue.completed_at.isoformat() if issue.completed_at else "",
        "links": ", ".join(link.url for link in issue.links.all()),
        "comments": "\n".join(comment.comment_stripped for comment in issue.comments.all()),
        "description": issue.description_stripped,
    }


def part_of(project: Project, snapshot: Snapshot) -> Part:
    """The plan of an export of the whole project."""
    wanted = Exporter(
        initiated_by=project.workspace.owner,
        workspace=project.workspace,
        project=[project.id],
        provider="csv",
        filters={},
    )
    wanted.run = ExportRun(time_zone="UTC")
    (part,) = plan(wanted, snapshot, site_url=settings.SITE_URL).parts
    return part


WAYS: dict[str, Callable[[Project, int], None]] = {
    "reader": read,
    "COPY of the same query": copy(as_they_are),
    "CSV export": product("csv"),
    "COPY as CSV": copy(as_csv, "(FORMAT csv)"),
    "JSON export": product("json"),
    "COPY of row_to_json": copy(as_json),
    "XLSX export": product("xlsx"),
    "XLSX writer alone": xlsx_writer,
    "bare XlsxWriter loop": xlsxwriter_loop,
    "query on the server": shape_of_ours,
    "same lists as sub-selects": shape_of_orm(*NINE_LISTS),
    "two lists as sub-selects": shape_of_orm(*TWO_LISTS),
    "Plane's way, JSON": planes_way("json"),
    "Plane's way, XLSX": planes_way("xlsx"),
}
