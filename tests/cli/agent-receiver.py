#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""agent-receiver.py DIRECTORY: an engine that agents send to, for tests.

It decodes requests by the public schemas, by itself: OTLP profiles (v1development, 1.10), Pyroscope's
push and Parca's WriteRaw.  DIRECTORY gets the port, and a line of JSON for each request in "log".
"mode" there says how it answers: STATUS [SECONDS [RETRY-AFTER]]; "token" is what it asks for."""
import base64
import gzip
import http.server
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import fields  # noqa: E402


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


def message(data):
    """{number: [values]}"""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number, default=0):
    return found.get(number, [default])[-1]


def ints(found, number):
    return [value for part in found.get(number, []) for value in
            (packed(part) if isinstance(part, bytes) else [part])]


def any_value(data):
    found = message(data)
    return one(found, 1).decode() if 1 in found else one(found, 3)


def decode_otlp(body):
    request = message(body)
    tables = message(b"".join(request[2]))
    texts = [text.decode() for text in tables[5]]
    functions = [message(part) for part in tables[3]]
    locations = [message(part) for part in tables[2]]
    mappings = [message(part) for part in tables[1]]
    stacks = [ints(message(part), 1) for part in tables[7]]
    entries = [message(part) for part in tables[6]]
    spans = ["%s %s" % (one(link, 1, b"").hex(), one(link, 2, b"").hex())
             for link in map(message, tables[4])]
    assert all(len(span) == 49 for span in spans[1:]) and len(set(spans)) == len(spans)
    assert texts[0] == "" and stacks[0] == []
    for first in functions[0], locations[0], mappings[0], entries[0], message(tables[4][0]):
        # Others write fields that have their default, too.
        assert not any(value for values in first.values() for value in values), first

    def named(location):
        lines = [message(part) for part in locations[location].get(3, [])]
        mapping = mappings[one(locations[location], 1)]
        address = one(locations[location], 2)
        assert not address or one(mapping, 1) <= address < one(mapping, 2), "address and mapping"
        return [texts[one(functions[one(line, 1)], 1)] for line in lines]

    def attributes(indices):
        return {texts[one(entries[i], 1)]: any_value(one(entries[i], 2)) for i in indices}

    profiles = []
    for resource in map(message, request.get(1, [])):
        labels = {one(pair, 1).decode(): any_value(one(pair, 2)) for pair in
                  (message(part) for part in message(one(resource, 1, b"")).get(1, []))}
        for scope in map(message, resource.get(2, [])):
            for profile in map(message, scope.get(2, [])):
                kind, period = message(one(profile, 1)), message(one(profile, 5, b""))
                sums, tids, links, said = {}, set(), {}, {}
                for sample in map(message, profile.get(2, [])):
                    names = [name for location in stacks[one(sample, 1)] for name in named(location)]
                    about = attributes(ints(sample, 2))
                    key = ";".join([about["process.executable.name"]] + names[::-1])
                    sums[key] = sums.get(key, 0) + sum(ints(sample, 4))
                    of = links.setdefault(spans[one(sample, 3)].strip(), {})
                    of[key] = of.get(key, 0) + sum(ints(sample, 4))
                    tids.add(about.get("thread.id"))
                    # What is not of the sample itself.
                    text = " ".join(f"{k}={v}" for k, v in sorted(about.items())
                                    if k.split(".")[0] not in ("process", "thread", "cpu"))
                    of = said.setdefault(text, {})
                    of[key] = of.get(key, 0) + sum(ints(sample, 4))
                profiles.append({
                    "labels": labels, "type": texts[one(kind, 1)], "unit": texts[one(kind, 2)],
                    "period_type": texts[one(period, 1)], "period": one(profile, 6),
                    "time": one(profile, 3), "duration": one(profile, 4),
                    "id": one(profile, 7, b"").hex(), "stacks": sums, "threads": len(tids),
                    "links": links, "said": said,
                    "build_ids": sum(1 for m in mappings if m.get(5)),
                    "total": sum(sums.values())})
    return profiles


def decode_pprof(data):
    profile = message(gzip.decompress(data))
    texts = [text.decode() for text in profile[6]]
    types = [texts[one(message(part), 1)] for part in profile[1]]
    functions = {one(f, 1): texts[one(f, 2)] for f in map(message, profile[5])}
    locations = {one(place, 1): [functions[one(message(line), 1)] for line in place.get(4, [])]
                 for place in map(message, profile[4])}
    sums, links = {}, set()
    for sample in map(message, profile.get(2, [])):
        names = [name for place in ints(sample, 1) for name in locations[place]]
        about = {texts[one(label, 1)]: texts[one(label, 2)] for label in
                 map(message, sample.get(3, []))}
        key = ";".join([about["process"]] * ("process" in about) + names[::-1])
        sums[key] = sums.get(key, 0) + ints(sample, 2)[0]
        if "trace_id" in about:
            links.add(about["trace_id"] + " " + about["span_id"])
    return {"types": types, "time": one(profile, 9), "duration": one(profile, 10),
            "period": one(profile, 12), "stacks": sums, "links": sorted(links),
            "total": sum(sums.values())}


def decode_pyroscope(body):
    profiles = []
    for series in map(message, message(body).get(1, [])):
        labels = {one(label, 1).decode(): one(label, 2, b"").decode()
                  for label in map(message, series[1])}
        for sample in map(message, series[2]):
            profiles.append(dict(decode_pprof(one(sample, 1)), labels=labels,
                                 id=one(sample, 2).decode()))
    return profiles


def decode_parca(body):
    profiles = []
    for series in json.loads(body)["series"]:
        labels = {label["name"]: label["value"] for label in series["labels"]["labels"]}
        assert "__name__" in labels
        for sample in series["samples"]:
            profiles.append(dict(decode_pprof(base64.b64decode(sample["rawProfile"])),
                                 labels=labels))
    return profiles


DECODERS = {
    "/v1development/profiles": ("application/x-protobuf", decode_otlp),
    "/push.v1.PusherService/Push": ("application/proto", decode_pyroscope),
    "/api/profiles/writeraw": ("application/json", decode_parca),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def read_file(self, name):
        try:
            with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def answer(self, status, retry_after=None):
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mode = (self.read_file("mode") or "200").split()
        status, token = int(mode[0]), self.read_file("token")
        if len(mode) > 1:
            time.sleep(float(mode[1]))
        if token and self.headers.get("Authorization") != "Bearer " + token:
            status = 401
        entry = {"path": self.path, "status": status, "bytes": len(body), "at": time.time(),
                 "header": self.headers.get("X-Scope-OrgID")}
        try:
            kind, decode = DECODERS[self.path]
            assert self.headers["Content-Type"] == kind, self.headers["Content-Type"]
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            entry["profiles"] = decode(body)
        except Exception as problem:  # a test says what is wrong
            entry["problem"] = repr(problem)
        with open(os.path.join(sys.argv[1], "log"), "a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")
        self.answer(status, mode[2] if len(mode) > 2 else None)


def main():
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    http.server.ThreadingHTTPServer.allow_reuse_address = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    with open(os.path.join(sys.argv[1], "port.new"), "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(os.path.join(sys.argv[1], "port.new"), os.path.join(sys.argv[1], "port"))
    server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--decode"]:
        with open(sys.argv[2], "rb") as request:
            print(json.dumps(decode_otlp(request.read())))
    else:
        main()
