"""Workspaces, projects and issues."""

from django.contrib import admin

from project.admin.reading import Readable
from project.admin.table import Table, moment
from project.models import Issue, Project, Workspace
from project.services.digests.explain_lookup import issue_key


@admin.register(Workspace)
class WorkspaceAdmin(Table):
    """Companies or teams."""

    list_display = ("slug", "name", "owner", moment("created_at"))
    list_select_related = ("owner",)
    search_fields = ("slug__startswith",)
    search_help_text = "The beginning of a slug"
    ordering = ("slug",)
    autocomplete_fields = ("owner",)


@admin.register(Project)
class ProjectAdmin(Table):
    """Projects."""

    list_display = ("identifier", "name", "workspace", "guest_view_all_features", moment("created_at"))
    list_select_related = ("workspace",)
    search_fields = ("identifier__istartswith", "name__istartswith")
    search_help_text = "The beginning of an identifier or a name"
    ordering = ("workspace_id", "identifier")
    autocomplete_fields = ("workspace", "default_assignee", "project_lead")
    raw_id_fields = ("default_state",)


@admin.register(Issue)
class IssueAdmin(Readable):
    """Issues. They are changed through the API, which writes the events that people are told of."""

    list_display = ("key", "name", "project", "state", "priority", "created_by", moment("created_at"))
    list_select_related = ("project", "state", "created_by")
    ordering = ("-project_id", "-sequence_id")
    search_help_text = "An id or a key such as ACME-12"
    issue = "pk"

    @admin.display(description="Key")
    def key(self, issue: Issue) -> str:
        """What people call the issue."""
        return issue_key(issue)
