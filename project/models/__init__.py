"""The tables. Those that Plane also has keep its names and columns; the rest are ours alone."""

from project.models.activity import IssueActivity
from project.models.breaker import MailBreaker, MailFailure
from project.models.comment import IssueComment
from project.models.cycle import Cycle, CycleIssue
from project.models.digest import DigestStatus, EmailDigest, EmailDigestLine
from project.models.email import EmailNotificationLog
from project.models.estimate import Estimate, EstimatePoint
from project.models.event import EventStatus, IssueEvent
from project.models.export import Exporter, ExportFormat, ExportRun, ExportStatus
from project.models.issue import Issue, IssueAssignee, IssueMention, IssueSubscriber, Priority
from project.models.label import IssueLabel, Label
from project.models.link import IssueLink
from project.models.module import Module, ModuleIssue, ModuleStatus
from project.models.notification import Notification, UserNotificationPreference
from project.models.project import Project, ProjectMember
from project.models.relation import IssueRelation, RelationType
from project.models.requeue import MOMENT, Order, Prospect, Report, RequeueAudit, Verb
from project.models.schedule import RunStatus, ScheduleRun
from project.models.state import State, StateGroup
from project.models.suppression import SuppressedAddress
from project.models.transition import advance
from project.models.user import User
from project.models.wake import Wake
from project.models.workspace import Role, Workspace, WorkspaceMember

__all__ = [
    "MOMENT",
    "Cycle",
    "CycleIssue",
    "DigestStatus",
    "EmailDigest",
    "EmailDigestLine",
    "EmailNotificationLog",
    "Estimate",
    "EstimatePoint",
    "EventStatus",
    "ExportFormat",
    "ExportRun",
    "ExportStatus",
    "Exporter",
    "Issue",
    "IssueActivity",
    "IssueAssignee",
    "IssueComment",
    "IssueEvent",
    "IssueLabel",
    "IssueLink",
    "IssueMention",
    "IssueRelation",
    "IssueSubscriber",
    "Label",
    "MailBreaker",
    "MailFailure",
    "Module",
    "ModuleIssue",
    "ModuleStatus",
    "Notification",
    "Order",
    "Priority",
    "Project",
    "ProjectMember",
    "Prospect",
    "RelationType",
    "Report",
    "RequeueAudit",
    "Role",
    "RunStatus",
    "ScheduleRun",
    "State",
    "StateGroup",
    "SuppressedAddress",
    "User",
    "UserNotificationPreference",
    "Verb",
    "Wake",
    "Workspace",
    "WorkspaceMember",
    "advance",
]
