"""Pictures of people without pictures: initials on a colour. Nothing is fetched, so nobody is tracked."""

from dataclasses import dataclass
from zlib import crc32

#: Dark enough for white letters: contrast of 4.5 and more.
COLOURS = ("#3b5bdb", "#0b7285", "#2b6e3f", "#7a4d05", "#a61e4d", "#862e9c", "#5f3dc4", "#495057")


@dataclass(frozen=True)
class Avatar:
    """One or two letters and the colour behind them, the same for the same name in every mail."""

    initials: str
    colour: str


def avatar_of(name: str) -> Avatar:
    """Draw a person."""
    words = name.split() or ["?"]
    ends = words[:1] + words[1:][-1:]
    return Avatar("".join(word[0].upper() for word in ends), COLOURS[crc32(name.encode()) % len(COLOURS)])
