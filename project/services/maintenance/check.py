"""A sentence about the tables that SQL can check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One sentence that must hold, and the query for the ids of the rows that break it.

    Attributes:
        sql: It may compare with the moments that `verify` passes: what should have moved is older than these.
        awaits_mail: Whether it cannot hold while all mail is stopped.
    """

    name: str
    sentence: str
    sql: str
    awaits_mail: bool = False
