"""What one act did to many issues, in one line: "Ana changed the state of 40 issues to Done"."""

from collections.abc import Mapping

from project.services.digests.fields import field_named
from project.services.digests.items import SetChange, ValueChange
from project.services.digests.phrases import phrase_of, words_of
from project.services.digests.rollup import Fold
from project.services.digests.wording import counted, names_in_words, people_in_words, value_in_words


def fold_words(fold: Fold, people: Mapping[str, str]) -> str:
    """Put a fold in words; `people` are user id → name, one clean line each."""
    who = people_in_words(fold.item.origin.actors, people)
    return f"{who} {_did(fold, counted(len(fold.issues), 'issue'))}"


def _did(fold: Fold, issues: str) -> str:
    match fold.item:
        case ValueChange(field="archived_at", new=new):
            return f"{'restored' if new is None else 'archived'} {issues}"
        case ValueChange(field=field, new=None):
            return f"removed the {_heading(field)} of {issues}"
        case ValueChange(field=field, new=str(new)):
            return f"changed the {_heading(field)} of {issues} to {value_in_words(field, new)}"
        case SetChange():
            return _put(fold.item, issues)
    return f"edited the description of {issues}"


def _put(item: SetChange, issues: str) -> str:
    if not item.removed:
        return f"added {names_in_words(item.field, item.added)} to {issues}"
    if not item.added:
        return f"removed {names_in_words(item.field, item.removed)} from {issues}"
    return f"changed the {_heading(item.field)} of {issues}: {words_of(phrase_of(item))}"


def _heading(field: str) -> str:
    return field_named(field).heading.lower()
