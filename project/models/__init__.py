"""The tables. Those that Plane also has keep its names and columns; the rest are ours alone."""

from project.models.activity import AUTOMATICALLY, MACHINE_FIELDS, IssueActivity
from project.models.asset import ATTACHMENT, FileAsset
from project.models.breaker import MailBreaker, MailFailure
from project.models.comment import IssueComment
from project.models.cycle import Cycle, CycleIssue
from project.models.digest import DigestKind, DigestStatus, EmailDigest, EmailDigestLine
from project.models.email import EmailNotificationLog
from project.models.estimate import Estimate, EstimatePoint
from project.models.event import EventStatus, IssueEvent
from project.models.export import Exporter, ExportFormat, ExportRun, ExportStatus
from project.models.issue import Issue, IssueAssignee, IssueMention, IssueSubscriber, Priority
from project.models.label import IssueLabel, Label
from project.models.link import IssueLink
from project.models.mail_schedule import LONGEST_DAY, MailMode, MailSchedule
from project.models.module import Module, ModuleIssue, ModuleStatus
from project.models.mute import IssueMute
from project.models.notification import Entity, Notification, UserNotificationPreference
from project.models.project import Project, ProjectMember
from project.models.provider_event import MailProviderEvent
from project.models.relation import MIRRORED, IssueRelation, RelationType
from project.models.requeue import MOMENT, Order, Prospect, Report, RequeueAudit, Verb
from project.models.schedule import RunStatus, ScheduleRun
from project.models.state import State, StateGroup
from project.models.story import NotFoundError, Step, Story
from project.models.suppression import SuppressedAddress
from project.models.time_zones import known_zones
from project.models.transition import advance
from project.models.unsubscribe import MailStop, Scope, UnsubscribeToken
from project.models.user import User
from project.models.wake import Wake, mark_sent, rename
from project.models.workspace import Role, Workspace, WorkspaceMember

__all__ = [
    "ATTACHMENT",
    "AUTOMATICALLY",
    "LONGEST_DAY",
    "MACHINE_FIELDS",
    "MIRRORED",
    "MOMENT",
    "Cycle",
    "CycleIssue",
    "DigestKind",
    "DigestStatus",
    "EmailDigest",
    "EmailDigestLine",
    "EmailNotificationLog",
    "Entity",
    "Estimate",
    "EstimatePoint",
    "EventStatus",
    "ExportFormat",
    "ExportRun",
    "ExportStatus",
    "Exporter",
    "FileAsset",
    "Issue",
    "IssueActivity",
    "IssueAssignee",
    "IssueComment",
    "IssueEvent",
    "IssueLabel",
    "IssueLink",
    "IssueMention",
    "IssueMute",
    "IssueRelation",
    "IssueSubscriber",
    "Label",
    "MailBreaker",
    "MailFailure",
    "MailMode",
    "MailProviderEvent",
    "MailSchedule",
    "MailStop",
    "Module",
    "ModuleIssue",
    "ModuleStatus",
    "NotFoundError",
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
    "Scope",
    "State",
    "StateGroup",
    "Step",
    "Story",
    "SuppressedAddress",
    "UnsubscribeToken",
    "User",
    "UserNotificationPreference",
    "Verb",
    "Wake",
    "Workspace",
    "WorkspaceMember",
    "advance",
    "known_zones",
    "mark_sent",
    "rename",
]
