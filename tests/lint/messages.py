#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the messages of the sources with the rows of sysprof-messages(7): messages.py MESSAGES
TABLE...  MESSAGES is what packaging/messages --errors prints.  Each message has a row, unless it is
excepted here; each row has a message, a cause and what helps.  Findings go to the standard
output."""
import os
import re
import sys

# Details of a damaged file, and of a table that a stranger made: the message around them has a row.
DETAILS = {
    "userspace/lib/capture/block.c": "... is damaged: ...",
    "userspace/lib/capture/nodes.c": "... is damaged: ...",
    "userspace/lib/capture/rows.c": "... is damaged: ...",
    "userspace/lib/capture/schema.c": "... is damaged: ...",
    "userspace/lib/capture/store.c": "... is damaged: ...",
    "userspace/lib/capture/table-decode.c": "... is damaged: ...",
    "userspace/lib/unwind/table.c": "Cannot keep unwind tables in ...: ...",
}
# What is no error, though a function that reports errors has it.
HARMLESS = {
    "You can record (kernel module).",
    "This system's libraries are built with frame pointers: stacks are whole.",
    "The module is built for kernel ...: ...",
    "Call stacks: ... % complete",
    "Whole system",
    "the whole system",
    "your own processes",
    "your own processes, in user mode,",
    "install the headers of that kernel: on Fedora, sudo dnf install kernel-devel-...",
    "boot a kernel of the distribution, or bring the headers of this one (apt has no ...)",
    "install the package sysprof-trace-dkms, or in the sources: sudo make install",
}
# Rows whose messages other libraries make: the caller has seen GLib's, these are the system's.
SYSTEM = {os.strerror(number) for number in range(1, 134)}


def rows(path):
    """(messages, cause, cure) of each row."""
    with open(path, encoding="utf-8") as file:
        for block in re.split(r"\n\s*\n", file.read()):
            lines = [line for line in block.split("\n") if line and not line.startswith("//")]
            if lines and lines[0].startswith("== "):
                continue
            messages = [line for line in lines if not line.startswith(("  ", "> "))]
            at = next((i for i, line in enumerate(lines) if line.startswith("> ")), len(lines))
            if lines:
                yield messages, [line for line in lines[:at] if line.startswith("  ")], lines[at:]


def is_of(row, message):
    """@row is @message, or has enough of its fixed words: in their order, from its beginning."""
    if row == message or len(re.findall("[A-Za-z]", row)) < 12:
        return row == message
    at = 0
    for i, part in enumerate(row.split("...")):
        found = message.find(part, at)
        if found < 0 or i == 0 and found > 0:
            return False
        at = found + len(part)
    return True


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        messages = [line.rstrip("\n").split("\t") for line in file]
    table, places = [], {}
    for path in sys.argv[2:]:
        for named, cause, cure in rows(path):
            table += named
            if not named or not cause or not cure:
                print(f"{path}: this row lacks its messages, its cause or what helps: {named}")
            for name in named:
                if name in places:
                    print(f"{path}: a second row of: {name}")
                places[name] = path
    used = set()
    for path, message in messages:
        found = [row for row in table if is_of(row, message)]
        used.update(found)
        if not found and DETAILS.get(path) not in places and message not in HARMLESS:
            print(f"{path}: no row of sysprof-messages(7) has: {message}")
    for row in table:
        if row not in used and row not in SYSTEM and len(row.replace("...", "").strip()) > 0:
            print(f"{places[row]}: no source has: {row}")


main()
