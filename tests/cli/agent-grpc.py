#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""agent-grpc.py DIRECTORY: an engine that takes profiles over gRPC, by the HTTP/2 of python3-h2.

Like agent-receiver.py it decodes by the public schema, and logs each call in DIRECTORY/log.  The
status of calls is the number in DIRECTORY/mode (0), whose second word, if there is one, goes behind
the answer as details."""
import gzip
import importlib.util
import json
import os
import socket
import struct
import sys
import threading

import h2.config
import h2.connection
import h2.events

spec = importlib.util.spec_from_file_location("receiver", os.path.join(os.path.dirname(__file__), "agent-receiver.py"))
receiver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(receiver)
directory = sys.argv[1]
PATH = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"


def read_mode():
    try:
        with open(os.path.join(directory, "mode"), encoding="utf-8") as file:
            return file.read().split()
    except FileNotFoundError:
        return ["0"]


def decode(headers, body):
    assert headers[":path"] == PATH and headers[":method"] == "POST", headers
    assert headers["content-type"] == "application/grpc" and headers["te"] == "trailers", headers
    packed, length = struct.unpack(">BI", body[:5])
    assert length == len(body) - 5, (length, len(body))
    assert packed == 1 and headers["grpc-encoding"] == "gzip", headers
    return receiver.decode_otlp(gzip.decompress(body[5:]))


def take_call(connection, stream, headers, body):
    mode = read_mode()
    entry = {"path": headers[":path"], "status": 200 if mode[0] == "0" else int(mode[0]),
             "bytes": len(body)}
    try:
        entry["profiles"] = decode(headers, body)
    except Exception as problem:  # a test says what is wrong
        entry["problem"] = repr(problem)
    with open(os.path.join(directory, "log"), "a", encoding="utf-8") as log:
        log.write(json.dumps(entry) + "\n")
    trailers = [("grpc-status", mode[0]), ("grpc-message", "as the test says")]
    if len(mode) > 1:
        trailers.append(("grpc-status-details-bin", mode[1]))
    begin = [(":status", "200"), ("content-type", "application/grpc")]
    if mode[0] != "0":
        connection.send_headers(stream, begin + trailers, end_stream=True)
        return
    connection.send_headers(stream, begin)
    connection.send_data(stream, struct.pack(">BI", 0, 0))
    connection.send_headers(stream, trailers, end_stream=True)


def serve(peer):
    connection = h2.connection.H2Connection(
        config=h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    connection.initiate_connection()
    peer.sendall(connection.data_to_send())
    calls = {}
    while True:
        data = peer.recv(65536)
        if not data:
            return
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                calls[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, h2.events.DataReceived):
                calls[event.stream_id][1].extend(event.data)
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                take_call(connection, event.stream_id, *calls.pop(event.stream_id))
        peer.sendall(connection.data_to_send())


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    with open(os.path.join(directory, "port.new"), "w", encoding="utf-8") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer,), daemon=True).start()


main()
