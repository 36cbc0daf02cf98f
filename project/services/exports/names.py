"""Names: of an archive in the store, of the file that somebody saves, of what is in it."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple, Self
from uuid import UUID

#: All archives are below it. It belongs to this project alone: what has no row here is removed.
FOLDER = "exports/"
LONGEST_FILE = 100
LONGEST_SHEET = 31  # in units of UTF-16

_KEY = re.compile(rf"{FOLDER}([0-9a-f-]{{36}})/([0-9a-f-]{{36}})/(\d{{1,9}})\.zip", re.ASCII)
_NOT_IN_FILES = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\\x00-\x1f\ufffe\uffff]")
# Names that Windows keeps to itself, whatever follows a dot.
_DEVICES = re.compile(r"(CON|PRN|AUX|NUL|COM\d|LPT\d)(\..*)?", re.IGNORECASE)


class Key(NamedTuple):
    """Where an attempt puts its archive. Of letters, digits, dashes and slashes only, so no link can go wrong."""

    workspace_id: UUID
    export_id: UUID
    attempt: int

    def __str__(self) -> str:
        return f"{self.folder}{self.attempt}.zip"

    @property
    def folder(self) -> str:
        """What the keys of all attempts at this export begin with."""
        return f"{FOLDER}{self.workspace_id}/{self.export_id}/"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read what ``str`` writes; None if it is something else."""
        found = _KEY.fullmatch(text)
        try:
            return cls(UUID(found[1]), UUID(found[2]), int(found[3])) if found else None
        except ValueError:
            return None


def archive_name(slug: str, at: datetime) -> str:
    """Name the archive as people see it, with the time of its snapshot (UTC)."""
    return f"{file_name(slug)}-issues-{at:%Y-%m-%d-%H%M}.zip"


def file_name(text: str) -> str:
    """Return `text` as a file may be called on any system."""
    name = _NOT_IN_FILES.sub("_", unicodedata.normalize("NFC", text))[:LONGEST_FILE].strip(" .")
    return f"_{name}" if not name or _DEVICES.fullmatch(name) else name


def unique(names: Iterable[str]) -> list[str]:
    """Number names that are taken: there are systems to which Ü and ü are the same."""
    taken: set[str] = set()
    return [_free(name, taken) for name in names]


def sheet_titles(title: str, count: int) -> list[str]:
    """Name `count` sheets after `title`, within Excel's rules."""
    return [_sheet_title(title, f" ({number})" if number > 1 else "") for number in range(1, count + 1)]


def _sheet_title(title: str, ending: str) -> str:
    plain = _NOT_IN_SHEETS.sub("_", title).strip("' ") or "Issues"
    if plain.casefold() == "history":  # Excel keeps it to itself
        plain += "_"
    room = LONGEST_SHEET - len(ending)
    return plain.encode("utf-16-le")[: 2 * room].decode("utf-16-le", "ignore").strip("' ") + ending


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free.casefold() in taken:
        number += 1
        free = f"{name} ({number})"
    taken.add(free.casefold())
    return free
