#!/opt/bakeoff/bin/python -IS
"""Exit with 0 when the service of this container serves: what the image's health check runs.

It speaks the little of gRPC that one call of `grpc.health.v1.Health/Check` takes. Loading a whole client computes for
half a second; every few seconds in each of a dozen containers, that alone kept a small machine busy.
"""

import os
import socket
import struct
import sys

PORT = int(os.environ.get("BAKEOFF_LISTEN", ":7600").rpartition(":")[2])
ANSWER_S = 5.0
DATA, HEADERS, SETTINGS = 0, 1, 4  # types of frames, RFC 9113
END_STREAM, END_HEADERS = 1, 4
SERVING = b"\x08\x01"  # field 1 of HealthCheckResponse is the enumeration's 1


def text(value: str) -> bytes:
    """Return a string of a header as RFC 7541 has it without compression; at most 126 bytes."""
    return bytes([len(value)]) + value.encode()


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return a frame: a length of three bytes, what it is, its stream, and what it carries."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


# Bytes with the highest bit set, and single ones before a text, are numbers in RFC 7541's table of usual headers.
REQUEST_HEADERS = b"".join(
    [
        b"\x83\x86",  # :method POST, :scheme http
        b"\x04" + text("/grpc.health.v1.Health/Check"),  # :path
        b"\x01" + text("localhost"),  # :authority
        b"\x0f\x10" + text("application/grpc"),  # content-type
        b"\x00" + text("te") + text("trailers"),
    ]
)
REQUEST = b"".join(
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        frame(SETTINGS, 0, 0, b""),
        frame(HEADERS, END_HEADERS, 1, REQUEST_HEADERS),
        frame(DATA, END_STREAM, 1, bytes(5)),  # an empty message: not compressed, no bytes
    ]
)


def main() -> int:
    """Ask once."""
    if os.environ.get("BAKEOFF_TLS_CERTIFICATE"):  # rare, and then the whole client is worth its time
        os.execv("/opt/bakeoff/bin/bakeoff", ["bakeoff", "health", f"127.0.0.1:{PORT}"])
    try:
        with socket.create_connection(("127.0.0.1", PORT), ANSWER_S) as connection, connection.makefile("rb") as stream:
            connection.sendall(REQUEST)
            while head := stream.read(9):
                kind, flags = head[3], head[4]
                payload = stream.read(int.from_bytes(head[:3], "big"))
                if kind == DATA:
                    return 0 if payload[5:] == SERVING else 1
                if kind == HEADERS and flags & END_STREAM:  # an error has no message
                    return 1
    except OSError as error:
        print(f"does not answer: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
