#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""declared-labels.py CLI SERVER QUOTED: the labels of events of a declared kind in exports of two
files of gen-declared.  Prints what is wrong."""
import collections
import gzip
import json
import subprocess
import sys

from wire import fields

cli, server, quoted = sys.argv[1:]
# As gen-declared puts them, each a line.
PATHS = {"/": 100, "/index.html": 100, "/a b=c": 100}
NAME, KEY = 'a "b"; {c}\\', 'to "be"'
TEXTS = {'"\\;:,{}': 1, "<b>&amp; ": 1, "=1+1": 1}


def export(path, form, metric):
    return subprocess.run([cli, "export", path, "--metric", metric, "-f", form, "-o", "-"],
                          check=True, stdout=subprocess.PIPE).stdout


def part(message, number):
    return [value for key, value in fields(message) if key == number]


def of_pprof(data, key):
    """Values by the label."""
    profile = gzip.decompress(data)
    texts = [text.decode() for text in part(profile, 6)]
    sums = collections.Counter()
    for sample in part(profile, 2):
        value = part(sample, 2)[-1]
        weight = next(iter_varints(value)) if isinstance(value, bytes) else value
        for label in part(sample, 3):
            named = dict(fields(label))
            if texts[named[1]] == key:
                sums[texts[named[2]]] += weight
    return sums


def iter_varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def of_otlp(data, key):
    dictionary = part(data, 2)[0]
    texts = [text.decode() for text in part(dictionary, 5)]
    entries = [dict(fields(entry)) for entry in part(dictionary, 6)]
    sums = collections.Counter()
    for resource in part(data, 1):
        for scope in part(resource, 2):
            for profile in part(scope, 2):
                for sample in part(profile, 2):
                    values = dict(fields(sample))
                    for at in iter_varints(values.get(2, b"")):
                        if texts[entries[at].get(1, 0)] == key:
                            text = dict(fields(entries[at][2]))[1].decode()
                            sums[text] += sum(iter_varints(values[4]))
    return sums


def of_lines(data, key):
    sums = collections.Counter()
    for line in data.splitlines():
        row = json.loads(line)
        sums[row["labels"][key]] += row["events"]
    return sums


def check(what, found, expected):
    if dict(found) != expected:
        print(f"{what}: {dict(found)}, not {expected}")


for form, read in ("pprof", of_pprof), ("otlp", of_otlp), ("jsonl", of_lines):
    check(form, read(export(server, form, "request"), "path"), PATHS)
    check(f"{form} of quotes", read(export(quoted, form, NAME), KEY), TEXTS)
for form in "chrome", "firefox", "speedscope":
    json.loads(export(quoted, form, NAME))
