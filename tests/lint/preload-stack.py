#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""preload-stack.py BYTES FILE.ci...: the most stack that a function which programs call takes, with
all that it calls, as gcc -fcallgraph-info=su says.  Status 1 if one takes more than BYTES.

What runs before main() may take more."""
import re
import sys

BEFORE_MAIN = {"spt_connect_now", "begin_first_thread", "look_at_end"}


def read(paths):
    sizes, calls = {}, {}
    for path in paths:
        for line in open(path):
            node = re.match(r'node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes', line)
            edge = re.match(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', line)
            if node:
                sizes[node[1]] = int(node[2])
            elif edge:
                calls.setdefault(edge[1], set()).add(edge[2])
    return sizes, calls


def deepest(name, sizes, calls, known, path=()):
    if name.split(":")[-1] in BEFORE_MAIN or name in path:
        return 0, ()
    if name not in known:
        below = max((deepest(to, sizes, calls, known, path + (name,)) for to in calls.get(name, ())),
                    default=(0, ()))
        # A call takes its return address.
        known[name] = (sizes.get(name, 0) + 8 + below[0], (name, *below[1]))
    return known[name]


def main():
    most = int(sys.argv[1])
    sizes, calls = read(sys.argv[2:])
    called = {to for targets in calls.values() for to in targets}
    known, bad = {}, False
    for name in sorted(set(sizes) - called):
        size, way = deepest(name, sizes, calls, known)
        if size > most:
            bad = True
            print(f"{size} bytes of stack: " + " > ".join(f"{step} ({sizes.get(step, 0)})" for step in way))
    print(f"at most {max((size for size, _ in known.values()), default=0)} bytes of stack")
    return bad


sys.exit(main())
