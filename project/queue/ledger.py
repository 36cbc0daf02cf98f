"""What is known about each message id: nothing, running, free again, or done for days.

    ABSENT or FREE --claim--> RUN(token) --complete--> DONE
                              RUN(token) --release---> FREE(token), which is ABSENT with a memory
                              RUN(token) --lease over> ABSENT

The state is one string, a letter and the token of the claim that wrote it. FREE exists so that a renewal
which was under way while its claim ended cannot bring the claim back. Every decision is one Lua call, on the
clock of Redis, and every key expires.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import cast

import redis

from project.limits import Limits
from project.queue.units import milliseconds

# KEYS state deliveries  ARGV token lease memory
# → {verdict, deliveries or remaining lease, time since a claim that ended without an outcome}
_CLAIM = """
local state = redis.call('GET', KEYS[1])
local letter = state and string.sub(state, 1, 1)
if letter == 'D' then return {2, 0, 0} end
-- The same claim again, whose answer was lost.
if state == 'R' .. ARGV[1] then return {1, tonumber(redis.call('GET', KEYS[2]) or 1), 0} end
if letter == 'R' then return {3, redis.call('PTTL', KEYS[1]), 0} end
redis.call('SET', KEYS[1], 'R' .. ARGV[1], 'PX', ARGV[2])
local deliveries = redis.call('INCR', KEYS[2])
local since = deliveries > 1 and ARGV[3] - redis.call('PTTL', KEYS[2]) or 0
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {1, deliveries, since}
"""

# KEYS state  ARGV token lease → 1 still ours, or ended by us; 0 somebody else's
_RENEW = """
local state = redis.call('GET', KEYS[1])
if not state or state == 'R' .. ARGV[1] then
    redis.call('SET', KEYS[1], 'R' .. ARGV[1], 'PX', ARGV[2])
    return 1
end
return string.sub(state, 2) == ARGV[1] and 1 or 0
"""

# KEYS state deliveries  ARGV token memory → 1 done; 0 refused, for it would be over somebody else's claim. Who
# lost the lease may have ended without an effect, refused by the fence; were the id done, a dead heir's work
# would never be taken up again.
_COMPLETE = """
local state = redis.call('GET', KEYS[1])
if state and string.sub(state, 2) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'D' .. ARGV[1], 'PX', ARGV[2])
redis.call('DEL', KEYS[2])
return 1
"""

# KEYS state deliveries  ARGV token lease: by the owner only → 1 free, or was so before; 0 somebody else's
_RELEASE = """
local state = redis.call('GET', KEYS[1])
if state == 'R' .. ARGV[1] then
    redis.call('SET', KEYS[1], 'F' .. ARGV[1], 'PX', ARGV[2])
    redis.call('DEL', KEYS[2])
end
return (not state or string.sub(state, 2) == ARGV[1]) and 1 or 0
"""


class Verdict(IntEnum):
    """What a delivery may do."""

    CLAIMED = 1
    DONE = 2
    BUSY = 3


@dataclass(frozen=True)
class Answer:
    """``number`` is, when CLAIMED, the count of deliveries without an end, this one included; when BUSY, the
    rest of the lease in milliseconds. ``since`` is how many milliseconds ago the delivery before this one was
    claimed, if that never ended.
    """

    verdict: Verdict
    number: int
    since: int = field(default=0, compare=False)


class Ledger:
    """The states of message ids in a Redis logical database of their own. All methods raise
    ``redis.RedisError`` when Redis cannot answer in time.
    """

    def __init__(self, client: redis.Redis, limits: Limits) -> None:
        self._client = client
        self._lease = milliseconds(limits.lease)
        self._memory = milliseconds(limits.done_ttl)
        self._claim = client.register_script(_CLAIM)
        self._renew = client.register_script(_RENEW)
        self._complete = client.register_script(_COMPLETE)
        self._release = client.register_script(_RELEASE)

    def claim(self, message_id: str, token: str) -> Answer:
        """Try to become the one who runs this message."""
        verdict, number, since = self._claim(keys=_keys(message_id), args=[token, self._lease, self._memory])
        return Answer(Verdict(verdict), number, since)

    def renew(self, claims: list[tuple[str, str]]) -> list[bool]:
        """Extend the leases of ``(message id, token)`` pairs; False where somebody else has taken over.

        A claim that Redis has forgotten is made again.
        """
        with self._client.pipeline(transaction=False) as pipe:
            for message_id, token in claims:
                self._renew(keys=_keys(message_id)[:1], args=[token, self._lease], client=pipe)
            return [bool(ours) for ours in pipe.execute()]

    def complete(self, message_id: str, token: str) -> bool:
        """The work is done: drop every copy from now on.

        False if it was refused: somebody took over meanwhile, and says themselves how it ends.
        """
        return bool(self._complete(keys=_keys(message_id), args=[token, self._memory]))

    def release(self, message_id: str, token: str) -> bool:
        """This delivery has ended without doing the work; the next one may claim. False if one already has."""
        return bool(self._release(keys=_keys(message_id), args=[token, self._lease]))

    def done(self, message_ids: Iterable[str]) -> set[str]:
        """Those of the ids whose work is done."""
        ids = list(message_ids)
        states = cast(list[bytes | None], self._client.mget([_keys(i)[0] for i in ids])) if ids else []
        return {i for i, state in zip(ids, states, strict=True) if state and state.startswith(b"D")}


def _keys(message_id: str) -> list[str]:
    return [f"dd:{message_id}", f"dd:{message_id}:deliveries"]
