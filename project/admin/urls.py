"""Addresses of the operators' own pages in the admin."""

from django.urls import path

from project.admin import dead_letters

app_name = "operate"

urlpatterns = [
    path("dead-letters/", dead_letters.dead_letters, name="dead_letters"),
    path("dead-letters/order/", dead_letters.order, name="dead_letter_order"),
    path("dead-letters/<str:queue>/<str:entry_id>/", dead_letters.dead_letter, name="dead_letter"),
]
