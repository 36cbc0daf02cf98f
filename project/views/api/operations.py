"""What each operation of the API takes and gives: the one table from which its OpenAPI description is made."""

from typing import Any, NamedTuple

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from project.views.api import answers
from project.views.api.answers import enveloped, numbered
from project.views.api.archiving import Archive
from project.views.api.attachment_data import AttachmentBody, AttachmentRow
from project.views.api.attachments import AttachmentList, AttachmentOne
from project.views.api.bulk import BulkArchive, BulkBody, BulkDelete, BulkUpdate, SomeIssues
from project.views.api.comment_data import CommentBody, CommentRow
from project.views.api.comments import CommentList, CommentOne
from project.views.api.exports import ExportCancel, ExportList, ExportOne
from project.views.api.exports_body import ExportBody
from project.views.api.groupings import GroupIssue, GroupIssues, IssueModules, IssuesBody, ModulesBody
from project.views.api.inbox import (
    ArchiveMark,
    MarkAllRead,
    NotificationList,
    NotificationOne,
    ReadMark,
    UnreadCount,
)
from project.views.api.inbox_data import NotificationRow, SnoozeBody
from project.views.api.inbox_filters import Filters, FiltersBody
from project.views.api.issue_data import IssueBody, IssueDetail, IssueRow
from project.views.api.issue_link_data import LinkBody, LinkRow
from project.views.api.issue_links import LinkList, LinkOne
from project.views.api.issues import IssueList, IssueOne
from project.views.api.mail_schedule import MySchedule, ScheduleBody, ScheduleRow
from project.views.api.mute import Mute
from project.views.api.preferences import (
    FlagsBody,
    MyPreferences,
    ProjectPreferences,
    WorkspacePreferences,
)
from project.views.api.relations import RelationBody, RelationList, RelationRemoved, RemovedRelationBody
from project.views.api.sub_issues import SubIssues, SubIssuesBody
from project.views.api.subscription import Subscription

Shape = Serializer[Any] | type[Serializer[Any]] | None


class Operation(NamedTuple):
    """What is sent (None: no body), what comes back (None: nothing) and with which status."""

    body: Shape = None
    answer: Shape = None
    status: int = 200
    parameters: tuple[Any, ...] = ()


def _asked(name: str, kind: type, what: str) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=what)


BY_NUMBER = (
    _asked("page", int, "Which page, from 1."),
    _asked("per_page", int, "Rows of a page: 50 unless asked otherwise, 100 at most."),
)
BY_CURSOR = (
    _asked("cursor", str, "The `next_cursor` or `prev_cursor` of a page."),
    _asked("per_page", int, "Rows of the first page: 50 unless asked otherwise, 300 at most."),
)
GONE = Operation(status=204)

OPERATIONS: dict[type[APIView], dict[str, Operation]] = {
    IssueList: {
        "get": Operation(answer=numbered(IssueRow), parameters=BY_NUMBER),
        "post": Operation(IssueBody, IssueDetail, 201),
    },
    IssueOne: {
        "get": Operation(answer=IssueDetail),
        "patch": Operation(IssueBody, IssueDetail),
        "delete": GONE,
    },
    CommentList: {
        "get": Operation(answer=numbered(CommentRow), parameters=BY_NUMBER),
        "post": Operation(CommentBody, CommentRow, 201),
    },
    CommentOne: {"patch": Operation(CommentBody, CommentRow), "delete": GONE},
    Subscription: {
        "get": Operation(answer=answers.Subscribed),
        "post": Operation(answer=answers.Subscribed, status=201),
        "delete": GONE,
    },
    Mute: {
        "get": Operation(answer=answers.Muted),
        "post": Operation(answer=answers.Muted, status=201),
        "delete": GONE,
    },
    Archive: {"post": Operation(answer=answers.Archived), "delete": GONE},
    LinkList: {
        "get": Operation(answer=numbered(LinkRow), parameters=BY_NUMBER),
        "post": Operation(LinkBody, LinkRow, 201),
    },
    LinkOne: {"get": Operation(answer=LinkRow), "patch": Operation(LinkBody, LinkRow), "delete": GONE},
    AttachmentList: {
        "get": Operation(answer=numbered(AttachmentRow), parameters=BY_NUMBER),
        "post": Operation(AttachmentBody, AttachmentRow, 201),
    },
    AttachmentOne: {"get": Operation(answer=AttachmentRow), "delete": GONE},
    RelationList: {
        "get": Operation(answer=answers.related()),
        "post": Operation(RelationBody, answers.related(), 201),
    },
    RelationRemoved: {"post": Operation(RemovedRelationBody, status=204)},
    SubIssues: {
        "get": Operation(answer=numbered(IssueRow), parameters=BY_NUMBER),
        "post": Operation(SubIssuesBody, numbered(IssueRow)),
    },
    IssueModules: {"post": Operation(ModulesBody, answers.Message, 201)},
    GroupIssues: {"post": Operation(IssuesBody, answers.Changed, 201)},
    GroupIssue: {"delete": GONE},
    BulkUpdate: {"post": Operation(BulkBody, answers.Changed)},
    BulkArchive: {"post": Operation(SomeIssues, answers.Changed)},
    BulkDelete: {"delete": Operation(SomeIssues, answers.Changed)},
    NotificationList: {
        "get": Operation(answer=enveloped(NotificationRow), parameters=(*BY_CURSOR, Filters)),
    },
    UnreadCount: {"get": Operation(answer=answers.Unread)},
    MarkAllRead: {"post": Operation(FiltersBody, answers.Message)},
    NotificationOne: {
        "get": Operation(answer=NotificationRow),
        "patch": Operation(SnoozeBody, NotificationRow),
        "delete": GONE,
    },
    ReadMark: {"post": Operation(answer=NotificationRow), "delete": Operation(answer=NotificationRow)},
    ArchiveMark: {"post": Operation(answer=NotificationRow), "delete": Operation(answer=NotificationRow)},
    ExportList: {
        "get": Operation(answer=enveloped(answers.ExportRow), parameters=BY_CURSOR),
        "post": Operation(ExportBody, answers.Opened),
    },
    ExportOne: {"get": Operation(answer=answers.ExportWithLink), "delete": GONE},
    ExportCancel: {"post": Operation(answer=answers.ExportWithLink)},
    MyPreferences: {"get": Operation(answer=FlagsBody), "patch": Operation(FlagsBody, FlagsBody)},
    MySchedule: {"get": Operation(answer=ScheduleRow), "patch": Operation(ScheduleBody, ScheduleRow)},
    WorkspacePreferences: {
        "get": Operation(answer=answers.Decided),
        "put": Operation(FlagsBody, answers.Decided),
        "delete": GONE,
    },
    ProjectPreferences: {
        "get": Operation(answer=answers.Decided),
        "put": Operation(FlagsBody, answers.Decided),
        "delete": GONE,
    },
}

_REFUSALS = {
    400: OpenApiResponse({"type": "object"}, "What was sent is wrong: each wrong field, with why."),
    **{
        status: OpenApiResponse(answers.Refusal, why)
        for status, why in {
            401: "Nobody has signed in, or the token is wrong.",
            403: "The caller may not do this.",
            404: "It is not there, or the caller may not know of it.",
            429: "Too often: wait.",
        }.items()
    },
}


def describe() -> None:
    """Write the table's words on the views, where the maker of the description looks for them."""
    for view, operations in OPERATIONS.items():
        extend_schema_view(
            **{method: _described(operation, view) for method, operation in operations.items()}
        )(view)


def _described(operation: Operation, view: type[APIView]) -> Any:
    # A list and one of its rows would get the same name otherwise.
    name = f"list_{view.__name__}" if operation.parameters else None
    return extend_schema(
        operation_id=name,
        request=operation.body,
        parameters=list(operation.parameters),
        responses={operation.status: operation.answer, **_REFUSALS},
    )
