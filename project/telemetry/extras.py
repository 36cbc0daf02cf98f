"""What is not installed with the package itself."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured


@contextmanager
def extra(name: str, variable: str) -> Iterator[None]:
    """Import what belongs to an extra of the package, which `variable` makes necessary.

    Raises:
        ImproperlyConfigured: if the extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise ImproperlyConfigured(
            f"{variable} is set, and {error.name} is not installed: pip install 'singlepost[{name}]'"
        ) from None
