"""Attachments of an issue: list, add, remove. The files themselves do not pass through here."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import ATTACHMENT, FileAsset, Role
from project.services.notifications.attachments import attach, detach
from project.views.api.attachment_data import AttachmentBody, AttachmentRow
from project.views.api.pagination import Pages
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class AttachmentList(IssueView):
    """``…/issues/<issue_id>/issue-attachments/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of attachments, the newest first."""
        pages = Pages()
        assets = FileAsset.objects.filter(issue=self.issue, entity_type=ATTACHMENT)
        page = pages.paginate_queryset(assets.order_by("-created_at", "-id"), request, self)
        return pages.get_paginated_response(AttachmentRow(page, many=True).data)

    def post(self, request: Request, **_: Any) -> Response:
        """Note that a file is attached; the answer's ``asset`` is the key of its object."""
        self.refuse_guests()
        file = AttachmentBody(data=request.data).file()
        asset, wakes = attach(self.issue.id, file, actor=self.actor, now=timezone.now())
        send(wakes)
        return Response(AttachmentRow(asset).data, status.HTTP_201_CREATED)


class AttachmentOne(IssueView):
    """``…/issue-attachments/<asset_id>/``."""

    asset: FileAsset

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the attachment before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.asset = FileAsset.objects.get(issue=self.issue, id=kwargs["asset_id"], entity_type=ATTACHMENT)

    def get(self, request: Request, **_: Any) -> Response:
        """Return the attachment."""
        return Response(AttachmentRow(self.asset).data)

    def delete(self, request: Request, **_: Any) -> Response:
        """Remove the attachment: for who attached it and the project's admins."""
        if self.asset.created_by_id != self.actor.id and self.role < Role.ADMIN:
            raise PermissionDenied("Only who attached a file and the project's admins may remove it.")
        send(detach(self.issue.id, self.asset.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)
