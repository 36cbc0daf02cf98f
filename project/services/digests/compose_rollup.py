"""Composes the mail about many issues: what was done to many at once first, then issue by issue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from django.template.loader import render_to_string

from project.services.digests.blocks import Block, ChangeBlock, NoteBlock, block_of, notes_of, runs_of
from project.services.digests.compose import MAX_HTML, MAX_ITEMS, MAX_PREHEADER, Content
from project.services.digests.fold_words import fold_words
from project.services.digests.header_text import clean_header_text
from project.services.digests.rollup import Fold, IssueView, RollupView, folded
from project.services.digests.textpart import WIDTH, blocks_text, foot, wrapped
from project.services.digests.wording import counted, zone_named

MAX_ISSUES = 20  # that are told one by one; and so many acts on many issues
MAX_KEYS = 5  # issues that such an act names


@dataclass(frozen=True)
class Section:
    """An issue, ready to be set."""

    issue: IssueView
    blocks: Sequence[Block]

    @property
    def notes(self) -> list[NoteBlock]:
        """Its comments and mentions."""
        return notes_of(self.blocks)

    @property
    def runs(self) -> list[list[ChangeBlock]]:
        """Its changes."""
        return runs_of(self.blocks)

    @property
    def rest(self) -> int:
        """How many items are only counted."""
        return len(self.issue.items) - len(self.blocks)


@dataclass(frozen=True)
class FoldLine:
    """An act on many issues, ready to be set: what was done, some of the issues, and how many there are besides."""

    words: str
    issues: Sequence[IssueView]
    rest: int


def compose_rollup(rollup: RollupView) -> Content:
    """Write the mail. Of issues that are too many, what is not an act on many of them is only counted."""
    view = rollup.cleaned()
    folds, issues = folded(view.issues, MAX_ISSUES)
    zone = zone_named(view.timezone)
    lines = [_line(fold, view) for fold in folds]
    sections = [_section(issue, view, zone) for issue in issues[:MAX_ISSUES]]
    preheader = _preheader(lines, sections)
    html = _html(view, preheader, lines, sections, len(issues) - len(sections))
    while sections and len(html.encode()) > MAX_HTML:
        sections.pop()
        html = _html(view, preheader, lines, sections, len(issues) - len(sections))
    text = _text(view, lines, sections, len(issues) - len(sections))
    return Content(subject(view), preheader, text, html, view.reason, view.unsubscribe_url)


def subject(view: RollupView) -> str:
    """Name the mail after the workspace and the day: those of one day are one thread."""
    return f"[{view.workspace}] Updates, {view.day}"


def _line(fold: Fold, view: RollupView) -> FoldLine:
    return FoldLine(
        fold_words(fold, view.people), fold.issues[:MAX_KEYS], max(0, len(fold.issues) - MAX_KEYS)
    )


def _section(issue: IssueView, view: RollupView, zone: tzinfo) -> Section:
    return Section(issue, [block_of(item, view.people, zone) for item in issue.items[:MAX_ITEMS]])


def _preheader(lines: Sequence[FoldLine], sections: Sequence[Section]) -> str:
    told = [line.words for line in lines]
    told += [f"{section.issue.key} {section.blocks[0].summary}" for section in sections]
    return clean_header_text("; ".join(told), MAX_PREHEADER)


def _html(
    view: RollupView, preheader: str, lines: Sequence[FoldLine], sections: Sequence[Section], rest: int
) -> str:
    context = {"digest": view, "preheader": preheader, "folds": lines, "sections": sections, "rest": rest}
    return render_to_string("mail/rollup.html", context)


def _text(view: RollupView, lines: Sequence[FoldLine], sections: Sequence[Section], rest: int) -> str:
    parts = [f"{wrapped(f'{view.workspace}: updates, {view.day}')}\n{view.inbox_url}"]
    parts += [_line_text(line) for line in lines]
    parts += [_section_text(section) for section in sections]
    if rest:
        parts.append(f"And {counted(rest, 'more issue')}: {view.inbox_url}")
    return "\n\n".join([*parts, foot(view)]) + "\n"


def _line_text(line: FoldLine) -> str:
    keys = ", ".join(issue.key for issue in line.issues)
    more = f" and {line.rest} more" if line.rest else ""
    return wrapped(f"* {line.words}\n  {keys}{more}")


def _section_text(section: Section) -> str:
    issue = section.issue
    head = f"{wrapped(f'{issue.key}: {issue.title}')}\n{issue.url}\n{wrapped(f'{issue.project} / {issue.state}')}"
    rest = [f"And {counted(section.rest, 'more update')}: {issue.url}"] if section.rest else []
    return "\n\n".join([f"{WIDTH * '='}\n{head}", *blocks_text(section.blocks), *rest])
