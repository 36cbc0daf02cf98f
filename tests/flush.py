"""Pytest plugin: empties the tables between tests in a few milliseconds.

Django truncates every table and then fills in its own permissions again: half a second. Here the product's
tables and the sessions are emptied by DELETE, and Django's fixed rows stay.
"""

import pytest

KEPT = {"django_migrations", "django_content_type", "auth_permission"}


def empty_tables(_: object) -> None:
    """Stands in for ``TransactionTestCase._fixture_teardown``."""
    from django.db import connection  # noqa: PLC0415 (needs settings, as all imports here)

    tables = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT)
    deletes = "; ".join(f'DELETE FROM "{table}"' for table in tables)
    with connection.cursor() as cursor:
        # A superuser's "replica" does not ask foreign keys, which matters not where all rows go.
        cursor.execute(
            f"SET session_replication_role = replica; {deletes}; SET session_replication_role = DEFAULT"
        )


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> None:
    from django.test import TransactionTestCase  # noqa: PLC0415

    TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[method-assign,assignment]
