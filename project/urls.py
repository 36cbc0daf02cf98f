"""Addresses."""

from django.contrib import admin
from django.urls import include, path, re_path

from project.views.health import healthz, readyz
from project.views.metrics import show_metrics
from project.views.pages.explain import explain
from project.views.pages.unsubscribe import Unsubscribe
from project.views.provider_events import provider_events

handler404 = "project.views.missing.missing"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", show_metrics, name="metrics"),
    path("admin/explain/", admin.site.admin_view(explain), name="explain"),
    path("admin/", include("project.admin.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("project.views.api.urls")),
    path("webhooks/mail/<str:provider>/", provider_events, name="provider-events"),
    re_path(r"^unsubscribe/(?P<token>[A-Za-z0-9_-]{16})/?$", Unsubscribe.as_view(), name="unsubscribe"),
    path("", include("project.views.pages.urls")),  # last: its addresses begin with the name of a workspace
]
