"""What a notification about an export says below its title."""

from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime

from project.models import Notification


def told(row: Notification) -> str:
    """Tell how many issues there are and until when, or why there are none. "" if the notification has it not."""
    try:
        export: Any = (row.data or {})["export"]
        if export["offered_until"] is None:
            return str(export["reason"])
        until = date_format(localtime(datetime.fromisoformat(export["offered_until"])), "j M, H:i")
        rows = export["rows"]
        return f"{rows} issue{'' if rows == 1 else 's'}, to be fetched until {until}"
    except (KeyError, TypeError, ValueError):
        return ""
