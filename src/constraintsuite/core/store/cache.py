"""A cache of arrays by key, in one append-only file that survives crashes."""

from __future__ import annotations

import fcntl
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

CachedArray = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_HEAD = struct.Struct("<32s c B I Q")  # key, type of number, dimensions, checksum and bytes of the body
_KINDS: dict[bytes, np.dtype[np.float32] | np.dtype[np.float64]] = {b"f": np.dtype("<f4"), b"d": np.dtype("<f8")}


class ArrayCache:
    """Arrays by key, a SHA-256 in hexadecimal. Several processes may write; a record that a crash cut short is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[bytes, tuple[int, int]] = {}  # key: the start and the length of its record
        self._end = 0  # the end of the last complete record that was read
        if path.is_file():
            with path.open("rb") as file:
                self._read_new(file)

    def get(self, key: str) -> CachedArray | None:
        """The array of a key; None if there is none, or if its bytes are damaged."""
        place = self._places.get(bytes.fromhex(key))
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place[0])
            record = file.read(place[1])
        _, kind, dimensions, checksum, _ = _HEAD.unpack_from(record)
        body = record[_HEAD.size :]
        if zlib.crc32(body) != checksum:
            return None
        shape = struct.unpack_from(f"<{dimensions}Q", body)
        return np.frombuffer(body, dtype=_KINDS[kind], offset=8 * dimensions).reshape(shape)

    def put(self, key: str, array: CachedArray) -> None:
        """Store an array. It survives a crash of this process, but perhaps not a power cut. The last array of a key counts."""
        kind = array.dtype.char.encode()
        body = struct.pack(f"<{array.ndim}Q", *array.shape) + array.astype(_KINDS[kind], copy=False).tobytes()
        record = _HEAD.pack(bytes.fromhex(key), kind, array.ndim, zlib.crc32(body), len(body)) + body
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._read_new(file)  # records that other processes added
            file.truncate(self._end)  # anything after this was left by a crashed writer, since we hold the lock
            file.write(record)
            file.flush()
            self._places[bytes.fromhex(key)] = (self._end, len(record))
            self._end += len(record)

    def _read_new(self, file: BinaryIO) -> None:
        size = file.seek(0, 2)
        while self._end + _HEAD.size <= size:
            file.seek(self._end)
            key, kind, _, _, length = _HEAD.unpack(file.read(_HEAD.size))
            size_of_record = _HEAD.size + length
            if kind not in _KINDS or self._end + size_of_record > size:
                return
            self._places[key] = (self._end, size_of_record)
            self._end += size_of_record
