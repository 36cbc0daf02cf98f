"""What a line about an export that ended tells, and how that export stands now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from project.models import (
    EmailNotificationLog,
    Entity,
    Exporter,
    MailStop,
    Notification,
    Role,
    Scope,
    WorkspaceMember,
)


@dataclass(frozen=True, kw_only=True)
class ExportNote:
    """The end of an export, as its initiator is to be told of it.

    Attributes:
        told: how it ended, as the line keeps it.
        export: as it is now; None if its initiator deleted it.
        member: whether the initiator is still an active member of its workspace, and no guest.
        read: whether they have read of this end in the inbox.
        unwanted: whether they unsubscribed from such mails.
    """

    told: Mapping[str, Any]
    export: Exporter | None
    member: bool
    read: bool
    unwanted: bool

    @property
    def goes_on(self) -> bool:
        """Whether the export was started anew since: another end will be told."""
        return self.export is not None and self.export.run.dispatch != self.told["dispatch"]


def export_note(lines: Iterable[EmailNotificationLog]) -> ExportNote | None:
    """Return what `lines`, those of one digest, tell of an export; None if they are about something else.

    Raises:
        KeyError, TypeError: if the line does not hold what it should.
    """
    line = next((line for line in lines if line.entity_name == Entity.EXPORT), None)
    if line is None:
        return None
    told = (line.data or {})["export"]
    export = Exporter.objects.select_related("run").filter(id=told["id"]).first()
    seen = Notification.all_objects.filter(
        entity_name=Entity.EXPORT,
        entity_identifier=told["id"],
        receiver_id=line.receiver_id,
        read_at__isnull=False,
        data__export__dispatch=told["dispatch"],
    )
    stops = MailStop.objects.filter(
        token__receiver=line.receiver_id, scope=Scope.EXPORTS, taken_back_at__isnull=True
    )
    return ExportNote(
        told=told,
        export=export,
        member=_is_member(line.receiver_id, export),
        read=seen.exists(),
        unwanted=stops.exists(),
    )


def _is_member(user_id: UUID, export: Exporter | None) -> bool:
    memberships = WorkspaceMember.objects.filter(
        member_id=user_id, is_active=True, role__gt=Role.GUEST, workspace__deleted_at=None
    )
    return export is not None and memberships.filter(workspace_id=export.workspace_id).exists()
