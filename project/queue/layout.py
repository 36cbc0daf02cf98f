"""How dramatiq's Redis broker lays a queue out in Redis."""

from dataclasses import dataclass

from dramatiq.common import xq_name


@dataclass(frozen=True)
class Layout:
    """The keys of one queue. ``queue`` may be the name of its delay queue (``….DQ``)."""

    namespace: str
    queue: str

    @property
    def ids(self) -> str:
        """LIST of the entries' ids, oldest first."""
        return f"{self.namespace}:{self.queue}"

    @property
    def bodies(self) -> str:
        """HASH entry id → message, of waiting entries and fetched ones."""
        return f"{self.ids}.msgs"

    def acks(self, broker_id: str) -> str:
        """SET of the entries that the process ``broker_id`` has fetched and not yet acknowledged."""
        return f"{self.namespace}:__acks__.{broker_id}.{self.queue}"

    @property
    def dead_ids(self) -> str:
        """ZSET entry id → time of death in milliseconds; delayed entries die on the queue itself."""
        return f"{self.namespace}:{xq_name(self.queue)}"

    @property
    def dead_bodies(self) -> str:
        """HASH entry id → message, of dead letters."""
        return f"{self.dead_ids}.msgs"
