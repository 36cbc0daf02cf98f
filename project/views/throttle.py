"""A brake for what anybody may ask without signing in."""

from types import SimpleNamespace

from rest_framework.throttling import SimpleRateThrottle


class _Rate(SimpleRateThrottle):
    def __init__(self, scope: str, rate: str, who: str) -> None:
        self.scope, self.rate, self.who = scope, rate, who
        super().__init__()

    def get_cache_key(self, request: object, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.who}


class Throttle:
    """So many times in so long for each of whom it is asked about, such as "30/min".

    Counted in the memory of each web process, so the real bound is that times the processes.
    """

    def __init__(self, name: str, rate: str) -> None:
        self._name, self._rate = name, rate

    def allows(self, who: str) -> bool:
        """Count once for `who`, and tell whether that is within bounds."""
        nothing = SimpleNamespace()
        return _Rate(self._name, self._rate, who).allow_request(nothing, nothing)  # type: ignore[arg-type]
