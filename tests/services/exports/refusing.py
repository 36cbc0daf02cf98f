from collections.abc import Callable

from botocore.exceptions import ClientError
from django.conf import settings

from project.services.exports.storage import Found, Storage


class Refusing(Storage):
    """A store whose policy keeps some archives from being removed."""

    def __init__(self, refused: Callable[[str], bool]) -> None:
        super().__init__(settings.OBJECT_STORE, "")
        self._refused = refused

    def remove(self, found: Found) -> None:
        if self._refused(found.key):
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "DeleteObject")
        super().remove(found)
