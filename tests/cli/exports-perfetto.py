# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces of Perfetto, read by the numbers of fields in its public schema alone."""
import collections
import struct

from wire import fields

# Fields by message: number -> (name, message, or None where it is a number or bytes).
THREAD = {1: ("pid", None), 2: ("tid", None), 5: ("name", None)}
PROCESS = {1: ("pid", None), 6: ("name", None)}
TRACK = {1: ("uuid", None), 2: ("name", None), 3: ("process", PROCESS), 4: ("thread", THREAD),
         5: ("parent", None), 8: ("counter", {6: ("unit", None)})}
EVENT = {4: ("note", {9: ("json", None), 10: ("name", None)}), 9: ("type", None),
         11: ("track", None), 22: ("category", None), 23: ("name", None), 44: ("value", None),
         47: ("flow", None), 48: ("end_flow", None)}
TEXT = {1: ("iid", None), 2: ("str", None)}
INTERNED = {5: ("function", TEXT), 17: ("path", TEXT),
            6: ("frame", {1: ("iid", None), 2: ("function", None), 3: ("mapping", None)}),
            7: ("stack", {1: ("iid", None), 2: ("frames", None)}),
            19: ("mapping", {1: ("iid", None), 7: ("path", None)})}
SAMPLE = {1: ("cpu", None), 2: ("pid", None), 3: ("tid", None), 4: ("stack", None),
          6: ("count", None)}
TASK = {1: ("cpu", None), 2: ("comm", None), 3: ("tid", None), 4: ("state", None)}
PACKET = {6: ("clock", {}), 8: ("time", None), 10: ("sequence", None), 11: ("event", EVENT),
          12: ("interned", INTERNED), 13: ("flags", None), 59: ("defaults", {}),
          60: ("track", TRACK), 66: ("sample", SAMPLE), 117: ("task", TASK)}
BEGIN, END, INSTANT, VALUE = 1, 2, 3, 4
RUNNING = 3


def decode(data, names):
    """A message as name -> list of values."""
    message = collections.defaultdict(list)
    for number, value in fields(data) if names else ():
        name, inner = names[number]
        message[name].append(decode(value, inner) if inner is not None else value)
    return message


def only(message, name, default=None):
    values = message[name]
    assert len(values) <= 1, (name, values)
    return values[0] if values else default


def check_slices(slices):
    """Of each track they nest, and each begins and ends."""
    for events in slices.values():
        depth = 0
        for _, kind in sorted(events, key=lambda event: event[0]):
            depth += 1 if kind == BEGIN else -1
            assert depth >= 0
        assert depth == 0


def read(data, report):
    """Yields (stack of function names with objects, weight); checks what else is said."""
    texts, frames, stacks, tracks, flows = {}, {}, {}, {}, {}
    slices, counts, used, ends = collections.defaultdict(list), {}, set(), set()
    has_waits = False
    for packet in decode(data, {1: ("packet", PACKET)})["packet"]:
        assert only(packet, "sequence") == 1 and only(packet, "flags") in (2, 3)
        time = only(packet, "time")
        for part in packet["interned"]:
            for name in ("function", "path"):
                for text in part[name]:
                    texts[name, only(text, "iid")] = only(text, "str").decode()
            for mapping in part["mapping"]:
                texts["mapping", only(mapping, "iid")] = texts["path", only(mapping, "path")]
            for frame in part["frame"]:
                mapping = only(frame, "mapping")
                frames[only(frame, "iid")] = (
                    texts["function", only(frame, "function")],
                    texts["mapping", mapping] if mapping else "")
            for stack in part["stack"]:
                assert only(stack, "iid") not in stacks
                stacks[only(stack, "iid")] = tuple(frames[i] for i in stack["frames"])
        for sample in packet["sample"]:
            cpu, count = only(sample, "cpu"), only(sample, "count")
            weight = count - counts.get(cpu, 0)
            assert weight > 0 and time is not None
            assert weight == 1 or report["metric"] != "cpu"
            counts[cpu] = count
            yield stacks[only(sample, "stack")], weight
        for track in packet["track"]:
            assert track["parent"] == [] or only(track, "parent") >> 56 in (1, 2)
            tracks[only(track, "uuid")] = track
        for event in packet["event"]:
            kind = only(event, "type")
            used.add(only(event, "track"))
            if kind in (BEGIN, END):
                slices[only(event, "track")].append((time, kind))
            elif kind == VALUE:
                assert 0 <= struct.unpack("<d", only(event, "value").to_bytes(8, "little"))[0]
            for flow in event["flow"]:
                flows[flow] = time
            for flow in event["end_flow"]:
                assert flows[flow] == time, "an arrow goes from a waking to what it made runnable"
                ends.add(flow)
        has_waits |= bool(packet["task"])
    check_slices(slices)
    assert used <= set(tracks), "events on tracks that nobody named"
    assert ends == set(flows)
    names = [only(track, "name", b"").decode() for track in tracks.values()]
    assert len(set(names) & {f"CPU {cpu} user" for cpu in counts}) == (
        len(counts) if report["metric"] == "cpu" else 0), (names, counts)
    assert has_waits == any(only(track, "name") == b"wait" for track in tracks.values())
