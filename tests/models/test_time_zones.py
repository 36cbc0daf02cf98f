import pytest
from django.db import connection

from project.models import known_zones


@pytest.mark.django_db
def test_the_database_knows_every_known_zone() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_timezone_names")
        assert known_zones() <= {name for (name,) in cursor}
    assert {"UTC", "Europe/Berlin", "Asia/Kolkata"} < known_zones()
    assert "localtime" not in known_zones()
