"""Relations of an issue to others: show, add, remove."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from project.services.notifications.relations import OPPOSITE, relate, relations_of, unrelate
from project.views.api.issue_ids import IssueIds
from project.views.api.parsing import Choice, KnownFields
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class RelationBody(KnownFields):
    """What the issue is to be to others."""

    relation_type = Choice(sorted(OPPOSITE), required=True)
    issues = IssueIds()


class RemovedRelationBody(KnownFields):
    """The other issue. Plane's clients name the type as well, which two issues have one of."""

    related_issue = serializers.UUIDField()
    relation_type = Choice(sorted(OPPOSITE))


class RelationList(IssueView):
    """``…/issues/<issue_id>/issue-relation/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return, for each type, the issues that this one is so related to and that the caller may see."""
        return Response(self._shown())

    def post(self, request: Request, **_: Any) -> Response:
        """Relate the issue to others."""
        self.refuse_guests()
        body = RelationBody(data=request.data)
        body.is_valid(raise_exception=True)
        kind, others = body.validated_data["relation_type"], body.validated_data["issues"]
        send(relate(self.issue.id, kind, others, actor=self.actor, now=timezone.now()))
        return Response(self._shown(), status.HTTP_201_CREATED)

    def _shown(self) -> dict[str, list[UUID]]:
        related = relations_of(self.issue)
        visible = set(self.issues().filter(id__in=related).values_list("id", flat=True))
        return {
            kind: [id_ for id_, own in related.items() if own == kind and id_ in visible] for kind in OPPOSITE
        }


class RelationRemoved(IssueView):
    """``…/issues/<issue_id>/remove-relation/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """End the relation to another issue."""
        self.refuse_guests()
        body = RemovedRelationBody(data=request.data)
        body.is_valid(raise_exception=True)
        other = body.validated_data["related_issue"]
        send(unrelate(self.issue.id, other, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)
