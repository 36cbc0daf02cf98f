"""How the periodic actors fare, by the ledger of the schedule."""

from datetime import datetime
from typing import NamedTuple

from django.db import connection

# One step down the index for each actor, and one for its newest tick, however long the ledger has grown.
_NEWEST = """
WITH RECURSIVE names AS (
    (SELECT actor FROM schedule_runs ORDER BY actor LIMIT 1)
    UNION ALL
    SELECT (SELECT run.actor FROM schedule_runs AS run WHERE run.actor > names.actor ORDER BY run.actor LIMIT 1)
    FROM names WHERE names.actor IS NOT NULL
)
SELECT newest.actor, newest.tick, newest.taken_up_at, newest.status
FROM names CROSS JOIN LATERAL (
    SELECT * FROM schedule_runs AS run WHERE run.actor = names.actor ORDER BY run.tick DESC LIMIT 1
) AS newest
ORDER BY newest.actor
"""


class Job(NamedTuple):
    """The newest tick of a periodic actor, and how its run went."""

    actor: str
    tick: datetime
    taken_up_at: datetime
    status: str

    @property
    def lag(self) -> float:
        """How many seconds after its time a worker took it up."""
        return max(0.0, (self.taken_up_at - self.tick).total_seconds())


def jobs() -> list[Job]:
    """Tell the newest run of each periodic actor that ever ran."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST)
        return [Job(*row) for row in cursor.fetchall()]
