"""Addresses."""

from django.contrib import admin
from django.urls import include, path

from project.views.pages.explain import explain

urlpatterns = [
    path("admin/explain/", admin.site.admin_view(explain), name="explain"),
    path("admin/", include("project.admin.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("project.views.api.urls")),
    path("", include("project.views.pages.urls")),  # last: its addresses begin with the name of a workspace
]
