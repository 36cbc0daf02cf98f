"""Reads what clients send: JSON of any shape ends as values of the declared types or as a 400."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.fields import BooleanField, CharField, ChoiceField, Field, empty
from rest_framework.parsers import JSONParser
from rest_framework.serializers import Serializer


class BoundedJSONParser(JSONParser):
    """JSON, refused in words if it is nested deeper than the interpreter can follow."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the parsed body."""
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None


class KnownFields(Serializer[Any]):
    """Refuses a body that names what is not there: a misspelt field must not count as left out."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the values."""
        if isinstance(data, Mapping) and (unknown := [name for name in data if name not in self.fields]):
            # A name may hold half a surrogate pair, which no answer could.
            names = [name.encode("utf-8", "backslashreplace").decode() for name in unknown]
            raise ValidationError({name: ["There is no such field."] for name in names})
        return super().to_internal_value(data)


class Flag(BooleanField):
    """True or false as JSON has them, where DRF would also take "off", 1 and the like."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the value."""
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class _OnlyStrings(Field[Any, Any, Any, Any]):
    """Refuses everything that is no JSON string, where DRF would make text of numbers, or of whole lists."""

    def run_validation(self, data: Any = empty) -> Any:
        if data is not empty and data is not None and not isinstance(data, str):
            self.fail("invalid")
        return super().run_validation(data)


class Text(_OnlyStrings, CharField):
    """A string without NUL characters and lone surrogates, which PostgreSQL cannot store."""


class Choice(_OnlyStrings, ChoiceField):
    """One of a few strings; the answer lists them, and does not repeat what was sent."""

    def __init__(self, choices: list[str], *, required: bool = False) -> None:
        wrong = f"Must be one of: {', '.join(choices)}."
        super().__init__(
            choices, required=required, error_messages={"invalid": wrong, "invalid_choice": wrong}
        )
