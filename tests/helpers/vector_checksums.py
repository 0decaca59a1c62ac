"""Correct the checksums of files of vectors that a test has changed."""

import re
import zlib


def resealed(data: bytes) -> bytes:
    """Return a file of vectors with correct checksums, so that tests reach other checks.

    A file without checksums stays unchanged.
    """
    start = 8 + int.from_bytes(data[:8], "little")
    noted = re.search(rb'"crc32": ?"([0-9a-f]{8}(?: [0-9a-f]{8})*)"', data[:start])
    if not noted:
        return data
    layers, body = len(noted[1].split()) - 1, data[start:]
    step = len(body) // max(layers, 1)
    sums = [zlib.crc32(body[i * step : (i + 1) * step]) for i in range(layers)]

    def header(own: int) -> bytes:
        line = " ".join(f"{checksum:08x}" for checksum in (*sums, own)).encode()
        return data[: noted.start(1)] + line + data[noted.end(1) : start]

    return header(zlib.crc32(header(0))) + body
