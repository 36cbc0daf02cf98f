"""Addresses we can, and cannot, send to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.services.digests.addresses import AddressError, AddressFault, check_address
from project.services.digests.mail import Mail


@pytest.mark.parametrize(
    ("address", "wired"),
    [
        ("ann@example.com", "ann@example.com"),
        ("Ann.O'Neil+tracker@mail.example.com", "Ann.O'Neil+tracker@mail.example.com"),
        ("bob@intranet", "bob@intranet"),
        ("bob@müller.example", "bob@xn--mller-kva.example"),
        ("x" * 64 + "@example.com", "x" * 64 + "@example.com"),
    ],
)
def test_an_address_goes_over_the_wire_in_ascii(address: str, wired: str) -> None:
    assert check_address(address) == wired


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("", AddressFault.EMPTY),
        ("  ", AddressFault.EMPTY),
        ("ann@example.com\nBcc: x@example.com", AddressFault.CONTROL),
        ("ann@exam\x00ple.com", AddressFault.CONTROL),
        ("ann@example.com,bob@example.com", AddressFault.SEVERAL),
        ("ann@example.com bob@example.com", AddressFault.SEVERAL),
        ("Doe, Ann <ann@example.com>", AddressFault.SEVERAL),
        ("ann", AddressFault.NO_DOMAIN),
        ("ann@", AddressFault.NO_DOMAIN),
        ("@example.com", AddressFault.NO_DOMAIN),
        ("jörg@example.com", AddressFault.EAI_UNSUPPORTED),
        ("x" * 65 + "@example.com", AddressFault.TOO_LONG),
        ("ann@" + ".".join(5 * ["x" * 60]), AddressFault.TOO_LONG),
        ("ann lee@example.com", AddressFault.BAD_LOCAL_PART),
        ("Ann <ann@example.com>", AddressFault.BAD_LOCAL_PART),
        ("ann..lee@example.com", AddressFault.BAD_LOCAL_PART),
        ("ann@-example.com", AddressFault.BAD_DOMAIN),
        ("ann@example..com", AddressFault.BAD_DOMAIN),
        ("ann@[192.0.2.1]", AddressFault.BAD_DOMAIN),
        ("ann@" + "x" * 64 + ".com", AddressFault.BAD_DOMAIN),
    ],
)
def test_an_address_that_cannot_be_sent_to(address: str, fault: AddressFault) -> None:
    with pytest.raises(AddressError) as error:
        check_address(address)

    assert error.value.fault is fault
    assert str(error.value) == fault


@given(st.text(st.characters(codec=None), max_size=40) | st.emails() | st.from_regex(r"\A\S+@\S+\.\S+\Z"))
def test_what_passes_is_fit_for_the_envelope(text: str) -> None:
    try:
        wired = check_address(text)
    except AddressError:
        return
    assert Mail("notify@example.org", wired, b"x\r\n").recipient == wired
