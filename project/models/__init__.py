"""The tables. Those that Plane also has keep its names and columns; the rest are ours alone."""

from project.models.activity import IssueActivity
from project.models.comment import IssueComment
from project.models.digest import DigestStatus, EmailDigest, EmailDigestLine
from project.models.email import EmailNotificationLog
from project.models.event import EventStatus, IssueEvent
from project.models.issue import Issue, IssueAssignee, IssueMention, IssueSubscriber, Priority
from project.models.label import IssueLabel, Label
from project.models.notification import Notification, UserNotificationPreference
from project.models.project import Project, ProjectMember
from project.models.requeue import MOMENT, Order, Prospect, Report, RequeueAudit, Verb
from project.models.schedule import RunStatus, ScheduleRun
from project.models.state import State, StateGroup
from project.models.transition import advance
from project.models.user import User
from project.models.wake import Wake
from project.models.workspace import Role, Workspace, WorkspaceMember

__all__ = [
    "MOMENT",
    "DigestStatus",
    "EmailDigest",
    "EmailDigestLine",
    "EmailNotificationLog",
    "EventStatus",
    "Issue",
    "IssueActivity",
    "IssueAssignee",
    "IssueComment",
    "IssueEvent",
    "IssueLabel",
    "IssueMention",
    "IssueSubscriber",
    "Label",
    "Notification",
    "Order",
    "Priority",
    "Project",
    "ProjectMember",
    "Prospect",
    "Report",
    "RequeueAudit",
    "Role",
    "RunStatus",
    "ScheduleRun",
    "State",
    "StateGroup",
    "User",
    "UserNotificationPreference",
    "Verb",
    "Wake",
    "Workspace",
    "WorkspaceMember",
    "advance",
]
