"""What there is to be taken away."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guard:
    """One guard.

    Attributes:
        name: What it is.
        file: Where it is.
        text: Of the code; it stands there once.
        without: What the code is without it.
        tests: What pytest is to run.
    """

    name: str
    file: str
    text: str
    without: str
    tests: list[str]

    def removed_from(self, code: str) -> str:
        """Return `code` without the guard.

        Raises:
            ValueError: if it is not there exactly once; then this table has to follow the code.
        """
        if (times := code.count(self.text)) != 1:
            raise ValueError(f"{self.name}: {self.file} has the guard's text {times} times, not once")
        return code.replace(self.text, self.without)
