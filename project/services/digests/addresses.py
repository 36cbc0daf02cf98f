"""Which addresses we can send to, told before a connection is made."""

import re
from enum import StrEnum

_LOCAL_PART = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?", re.ASCII)


class AddressFault(StrEnum):
    """What is wrong with an address."""

    EMPTY = "empty"
    CONTROL = "control_character"
    SEVERAL = "several_addresses"
    NO_DOMAIN = "no_domain"
    BAD_DOMAIN = "bad_domain"
    BAD_LOCAL_PART = "bad_local_part"
    TOO_LONG = "too_long"
    EAI_UNSUPPORTED = "eai_unsupported"


class AddressError(ValueError):
    """An address we cannot send to; its message is the fault, and never the address."""

    def __init__(self, fault: AddressFault) -> None:
        super().__init__(fault)
        self.fault = fault


def check_address(address: str) -> str:
    """Return the address as it goes over the wire: pure ASCII, an international domain in punycode.

    Raises:
        AddressError: if it is not one address ``local@domain`` within the lengths of RFC 5321 §4.5.3.1, or if
            its local part needs SMTPUTF8 (RFC 6531), which would reach another mailbox or none without it.
    """
    if not address.strip():
        raise AddressError(AddressFault.EMPTY)
    if not address.isprintable():
        raise AddressError(AddressFault.CONTROL)
    if address.count("@") > 1 or re.search(r"[,;]", address):
        raise AddressError(AddressFault.SEVERAL)
    local, _, domain = address.rpartition("@")
    if not local or not domain:
        raise AddressError(AddressFault.NO_DOMAIN)
    wired = f"{_local_part(local)}@{_ascii_domain(domain)}"
    if len(local) > 64 or len(wired) > 254:
        raise AddressError(AddressFault.TOO_LONG)
    return wired


def _local_part(local: str) -> str:
    if not local.isascii():
        raise AddressError(AddressFault.EAI_UNSUPPORTED)
    if not _LOCAL_PART.fullmatch(local):
        raise AddressError(AddressFault.BAD_LOCAL_PART)
    return local


def _ascii_domain(domain: str) -> str:
    try:
        name = domain.encode("idna").decode("ascii")
    except UnicodeError:
        raise AddressError(AddressFault.BAD_DOMAIN) from None
    if not all(map(_LABEL.fullmatch, name.split("."))):
        raise AddressError(AddressFault.BAD_DOMAIN)
    return name
