"""Who signs in to the admin."""

from django.contrib.auth.models import Permission
from django.test import Client

from project.models import User
from tests.factories import make_user


def browser(*codenames: str, name: str = "olga", **options: bool) -> Client:
    """A signed-in browser of a staff member who has these permissions, such as ``operate``."""
    staff = make_user(name, is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return signed_in(staff, **options)


def operator() -> Client:
    """A staff member who may look at all tables of ours, and give orders."""
    views = Permission.objects.filter(content_type__app_label="project", codename__startswith="view_")
    return browser("operate", *views.values_list("codename", flat=True))


def signed_in(user: User, **options: bool) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client
