#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""agent-fuzz.py PORT REQUESTS TOKEN: whatever comes to an agent's door, it stays, and lets nobody in
without the token."""
import random
import socket
import sys

port, requests, token = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
chance = random.Random(50)
PATHS = [b"/", b"/metrics", b"/capture", b"/capture?x=%zz", b"/debug/pprof/", b"/debug/pprof/nothing", b"/%00", b"/../../etc/passwd",
         b"/debug/pprof/profile?seconds=-1", b"/debug/pprof/profile?seconds=99999999999999999999",
         b"/debug/pprof/locks?seconds=", b"*", b"http://x/metrics", b"/" + b"a" * 5000]
METHODS = [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"GET\0", b"", b"G" * 300]
HEADERS = [b"Host: x", b"Host: localhost", b"Authorization: Bearer wrong", b"Authorization: Bearer", b"Authorization: Basic eDp5",
           b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 99999999999", b"X: " + b"y" * 9000,
           b"Transfer-Encoding: chunked", b": ", b"\xff\xfe: \x00", b"Expect: 100-continue"]


def talk(data, timeout=0.3):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.settimeout(timeout)
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while len(answer) < 65536:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
            return answer
    except OSError:
        return b""


def request():
    head = b" ".join([chance.choice(METHODS), chance.choice(PATHS), chance.choice([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/9"])])
    lines = [head] + chance.sample(HEADERS, chance.randrange(5))
    data = b"\r\n".join(lines) + b"\r\n\r\n" + b"z" * chance.randrange(10)
    if chance.randrange(4) == 0:
        data = bytearray(data)
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


for _ in range(requests):
    answer = talk(request(), 0.05)
    assert b"sysprof_agent" not in answer and not answer.split(b"\r\n")[0].split(b" ")[1:2] in ([b"200"], [b"201"]), answer
plain = b"GET /metrics HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n"
assert b"sysprof_agent_samples_total" in talk(plain % token.encode(), 5), "the token does not open"
assert b" 401 " in talk(plain % (token.encode() + b"x"), 5), "another token"
