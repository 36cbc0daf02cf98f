"""Addresses of the operators' own pages in the admin."""

from django.contrib import admin
from django.urls import path

from project.admin import dead_letters
from project.admin.operations import operations, resume_mail
from project.admin.schedule import schedule

app_name = "operate"

urlpatterns = [
    path("dead-letters/", dead_letters.dead_letters, name="dead_letters"),
    path("dead-letters/order/", dead_letters.order, name="dead_letter_order"),
    path("dead-letters/<str:queue>/<str:entry_id>/", dead_letters.dead_letter, name="dead_letter"),
    path("operations/", admin.site.admin_view(operations), name="operations"),
    path("operations/resume/", admin.site.admin_view(resume_mail), name="resume"),
    path("schedule/", admin.site.admin_view(schedule), name="schedule"),
]
