"""The archive of an export as a stream of bytes: read, formatted, packed, all at the pace of who takes it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from project.models import Exporter, ExportFormat
from project.services.exports.columns import COLUMNS, Row
from project.services.exports.csv_file import csv_file
from project.services.exports.json_file import json_file
from project.services.exports.names import file_name, unique
from project.services.exports.plan import Part, Plan
from project.services.exports.snapshot import Snapshot
from project.services.exports.xlsx_file import xlsx_file
from project.services.exports.zip_stream import Member, zip_stream


@dataclass
class Archive:
    """The files of an export, packed.

    Attributes:
        on_rows: Is told with each batch how many rows were read so far; what it raises ends the archive.
        rows: How many rows were read so far.
        cut: How many texts were too long for a cell and were cut, in the files that are finished.
    """

    export: Exporter
    plan: Plan
    snapshot: Snapshot
    on_rows: Callable[[int], None]
    rows: int = 0
    cut: int = 0

    def stream(self) -> Iterator[bytes]:
        """Write it, once."""
        return zip_stream(self._members(), at=self.snapshot.at)

    def _members(self) -> Iterator[Member]:
        """One file for each project, or one for all of them."""
        if not self.export.run.multiple:
            yield self._member(f"{self.export.workspace.slug}-issues", "Issues", self.plan.parts)
            return
        projects = [part.project for part in self.plan.parts]
        stems = unique(file_name(f"{project.identifier}-{project.name}") for project in projects)
        for stem, part in zip(stems, self.plan.parts, strict=True):
            yield self._member(stem, part.project.name, [part])

    def _member(self, stem: str, title: str, parts: Sequence[Part]) -> Member:
        return Member(f"{stem}.{self.export.provider}", self._content(title, parts))

    def _content(self, title: str, parts: Sequence[Part]) -> Iterator[bytes]:
        batches = self._counted(chain.from_iterable(part.batches(self.snapshot) for part in parts))
        match ExportFormat(self.export.provider):
            case ExportFormat.CSV:
                return csv_file(COLUMNS, batches)
            case ExportFormat.JSON:
                return json_file(COLUMNS, batches)
            case ExportFormat.XLSX:
                return xlsx_file(
                    COLUMNS,
                    batches,
                    total=sum(part.total for part in parts),
                    title=title,
                    zone=self.export.run.time_zone,
                    at=self.snapshot.at,
                    note_cut=self._note_cut,
                )

    def _counted(self, batches: Iterable[list[Row]]) -> Iterator[list[Row]]:
        for batch in batches:
            self.rows += len(batch)
            self.on_rows(self.rows)
            yield batch

    def _note_cut(self, count: int) -> None:
        self.cut += count
