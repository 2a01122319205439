# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of protocol buffers as tests read them: by the wire format, without schemas of ours."""
import struct


def fields(data):
    """(number, value) of a message: int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif key & 7 == 2:
            size = varint()
            assert at + size <= len(data), "a field is longer than its message"
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {key & 7}")
