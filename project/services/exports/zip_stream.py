"""Writes a ZIP archive as a stream: no member's size is known before its last byte.

The layout is that of PKWARE's APPNOTE.TXT: each member is followed by a data descriptor with its sizes. These
have 32 bits as long as they fit, because macOS's Archive Utility cannot read a descriptor of 64 bits.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from isal import isal_zlib

LARGEST = 0xFFFFFFFF  # that a field of 32 bits holds; this very value means "see the extra field"
MOST_MEMBERS = 0xFFFF
_FLAGS = 0x0808  # sizes follow the data; names are UTF-8
_DEFLATED = 8
_VERSION, _VERSION_64 = 20, 45
_UNIX_FILE = 0o100644 << 16

_LOCAL = struct.Struct("<4s5H3I2H")
_DESCRIPTOR, _DESCRIPTOR_64 = struct.Struct("<4s3I"), struct.Struct("<4sI2Q")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")


class Member(NamedTuple):
    """A file of an archive: its name, with ``/`` between folders, and its content in pieces."""

    name: str
    content: Iterable[bytes]


class _Written(NamedTuple):
    name: bytes
    offset: int
    crc: int
    packed: int
    size: int


def zip_stream(members: Iterable[Member], *, at: datetime) -> Iterator[bytes]:
    """Pack `members` one after the other; each one's content is read when its turn comes.

    An error in a content passes through, and the archive then lacks its end: it cannot be taken for a whole
    one.

    Args:
        members: their names must be unique.
        at: the time that all of them get, without its zone. The year is at least 1980.
    """
    stamp = _dos_time(at)
    written: list[_Written] = []
    position = 0
    for member in members:
        name = member.name.encode()
        yield (head := _LOCAL.pack(b"PK\3\4", _VERSION, _FLAGS, _DEFLATED, *stamp, 0, 0, 0, len(name), 0))
        yield name
        packer = _Packer()
        yield from packer.pack(member.content)
        yield (tail := packer.descriptor())
        written.append(_Written(name, position, packer.crc, packer.packed, packer.size))
        position += len(head) + len(name) + packer.packed + len(tail)
    yield from _directory(written, stamp, position)


class _Packer:
    """Deflates one member and keeps its sums."""

    def __init__(self) -> None:
        self.crc = self.packed = self.size = 0

    def pack(self, content: Iterable[bytes]) -> Iterator[bytes]:
        # Level 2 of ISA-L is some fifteen times as fast as zlib's usual level, for an eighth more bytes.
        deflate = isal_zlib.compressobj(2, zlib.DEFLATED, -zlib.MAX_WBITS)
        for piece in content:
            self.crc = isal_zlib.crc32(piece, self.crc)
            self.size += len(piece)
            if packed := deflate.compress(piece):
                self.packed += len(packed)
                yield packed
        packed = deflate.flush()
        self.packed += len(packed)
        yield packed

    def descriptor(self) -> bytes:
        form = _DESCRIPTOR_64 if max(self.packed, self.size) >= LARGEST else _DESCRIPTOR
        return form.pack(b"PK\7\x08", self.crc, self.packed, self.size)


def _directory(written: list[_Written], stamp: tuple[int, int], start: int) -> Iterator[bytes]:
    size = 0
    for member in written:
        yield (entry := _entry(member, stamp))
        size += len(entry)
    count = len(written)
    if count >= MOST_MEMBERS or max(start, size) >= LARGEST:
        yield _END_64.pack(
            b"PK\6\6", _END_64.size - 12, _VERSION_64, _VERSION_64, 0, 0, count, count, size, start
        )
        yield _LOCATOR_64.pack(b"PK\6\7", 0, start + size, 1)
    counts = min(count, MOST_MEMBERS)
    yield _END.pack(b"PK\5\6", 0, 0, counts, counts, min(size, LARGEST), min(start, LARGEST), 0)


def _entry(member: _Written, stamp: tuple[int, int]) -> bytes:
    numbers = (member.size, member.packed, member.offset)
    large = [number for number in numbers if number >= LARGEST]
    extra = struct.pack(f"<2H{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    version = _VERSION_64 if large else _VERSION
    size, packed, offset = (min(number, LARGEST) for number in numbers)
    made_by = 3 << 8 | version  # 3: the attributes are those of Unix
    head = _CENTRAL.pack(
        b"PK\1\2",
        made_by,
        version,
        _FLAGS,
        _DEFLATED,
        *stamp,
        member.crc,
        packed,
        size,
        len(member.name),
        len(extra),
        0,
        0,
        0,
        _UNIX_FILE,
        offset,
    )
    return head + member.name + extra


def _dos_time(at: datetime) -> tuple[int, int]:
    return (
        at.hour << 11 | at.minute << 5 | at.second // 2,
        (at.year - 1980) << 9 | at.month << 5 | at.day,
    )
