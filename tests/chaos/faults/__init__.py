"""What is done to the processes. A fault is a generator: it yields the seconds until it goes on."""

from collections.abc import Callable, Iterator
from random import Random

from tests.chaos.scene import Scene

#: Takes its chances from the dice only. Run to its end, it has put right what it broke.
Fault = Callable[[Scene, Random], Iterator[float]]
