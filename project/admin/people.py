"""Users, their memberships and what they want mailed."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from project.admin.searching import Searched
from project.admin.table import Table, moment
from project.models import ProjectMember, User, UserNotificationPreference, WorkspaceMember
from project.services.digests.clearing import verified

FLAGS = ("property_change", "state_change", "comment", "mention", "issue_completed")
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class UserAdmin(Table):
    """Accounts. New ones come from the product, passwords from `manage.py changepassword`."""

    list_display = ("email", "display_name", "is_active", "is_bot", "is_staff", moment("created_at"))
    list_filter = ("is_active", "is_bot", "is_staff")
    search_fields = ("email",)
    search_help_text = "The beginning of an address"
    ordering = ("email",)
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("id", "email", "username", "display_name", "first_name", "last_name")}),
        ("State", {"fields": ("is_active", "is_bot", "is_email_verified", "is_email_valid")}),
        ("Rights", {"fields": RIGHTS}),
        ("Times", {"fields": ("created_at", "updated_at", "last_login", "user_timezone")}),
    )
    readonly_fields = ("id", "username", "created_at", "updated_at", "last_login")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody may."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """Rights are given by superusers only."""
        return self.readonly_fields if request.user.is_superuser else (*self.readonly_fields, *RIGHTS)

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        """Save it; an address that is verified now is mailed again."""
        super().save_model(request, obj, form, change)
        if isinstance(obj, User) and obj.is_email_verified and "is_email_verified" in form.changed_data:
            verified(obj, now=timezone.now())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """Look where an index does: addresses are in lower case."""
        return queryset.filter(email__startswith=search_term.strip().lower()), False


class Membership(Searched):
    """A person's place somewhere."""

    list_filter = ("role", "is_active")
    ordering = ("-created_at", "id")
    person = "member"


@admin.register(WorkspaceMember)
class WorkspaceMemberAdmin(Membership):
    """Places in workspaces."""

    list_display = ("member", "workspace", "role", "is_active", moment("created_at"))
    list_select_related = ("member", "workspace")
    autocomplete_fields = ("member", "workspace")


@admin.register(ProjectMember)
class ProjectMemberAdmin(Membership):
    """Places in projects."""

    list_display = ("member", "project", "role", "is_active", moment("created_at"))
    list_select_related = ("member", "project")
    autocomplete_fields = ("member", "project", "workspace")


@admin.register(UserNotificationPreference)
class PreferenceAdmin(Searched):
    """What people want mailed; theirs to change."""

    list_display = ("user", "workspace", "project", *FLAGS)
    list_select_related = ("user", "workspace", "project")
    ordering = ("-created_at", "id")
    autocomplete_fields = ("user", "workspace", "project")
    person = "user"
