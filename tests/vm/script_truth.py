# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of functions of scripts share: shares that are known, and stacks that the runtime itself says."""
import collections
import json
import os
import re
import subprocess

import oracle

SHARES = {"spin_a": 50, "spin_b": 30, "spin_c": 20}


def folded(path, *options):
    """[([frame, ...], weight)], the outermost first"""
    done = subprocess.run([oracle.CLI, "export", "-f", "folded", *options, path], check=True, stdout=subprocess.PIPE,
                          text=True, errors="replace")
    lines = (line.rpartition(" ") for line in done.stdout.splitlines())
    return [(stack.split(";"), int(weight)) for stack, _, weight in lines]


def samples(path, parts=1):
    """[frame, ...] of each sample, the outermost first; how late its tick was does not count.  With 2 @parts (name, object)"""
    done = subprocess.run([oracle.CLI, "export", "-f", "jsonl", "--only-command", path], check=True,
                          stdout=subprocess.PIPE, text=True, errors="replace")
    return ([frame[0] if parts == 1 else tuple(frame[:2]) for frame in json.loads(line).get("stack", [])] for line in done.stdout.splitlines())


def places(path):
    """As folded(): functions with their objects, where scripts have no lines"""
    return [([f"{name} ({file})" for name, file in frames], 1) for frames in samples(path, 2)]


def check_shares(tap, path, what, sections):
    sums = collections.defaultdict(collections.Counter)
    for frames in samples(path):
        frames = [f.removeprefix("main::").removeprefix("Shares.").removeprefix("Object#") for f in frames]
        section = [found[0] for found in map(re.compile(r"section_\w+|thread_(?:one|two)\b").search, frames) if found]
        spin = [f for f in frames if f in SHARES]
        if section and spin:
            sums[section[0].replace("thread_one", "section_threads").replace("thread_two", "section_threads")][spin[-1]] += 1
    tap.ok(len(sums) == sections, f"{what}: all {sections} sections are seen ({', '.join(sorted(sums))})")
    every = sum((counts for section, counts in sums.items() if section != "section_threads"), collections.Counter())
    for section, counts in [("all of them", every), *sorted(sums.items())]:
        if section == "section_threads":
            continue
        whole = sum(counts.values())
        for name, share in SHARES.items():
            # Of each section there are few samples.
            chance = 400 * (share / 100 * (1 - share / 100) / max(whole, 1)) ** 0.5
            tap.near(100 * counts[name] / max(whole, 1), share, 2 + (chance / 2 if counts is every else chance),
                     f"{what}: {name} in {section}, of {whole}", timed=True)


def dumps(path):
    """The stacks that the runtime said, and how they came about: [[(function, file, line), ...]], the innermost first"""
    stacks, way, stack = [], None, []
    for line in open(path):
        begin = re.match(r"=== (.*)", line)
        # Python's own form, and that of the other scripts.
        frame = re.match(r'  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)', line) or \
            re.match(r"(?P<name>[^\t]*)\t(?P<file>[^\t]*)\t(?P<line>\d+)$", line)
        if begin:
            way, stack = begin[1], []
            stacks.append((way, stack))
        elif frame:
            stack.append((frame["name"], os.path.basename(frame["file"]), int(frame["line"])))
    return stacks


def scripts_of(frames, languages):
    """Frames as those of dumps(), the innermost first; those that have no line, with nothing but a name"""
    for frame in reversed(frames):
        place = re.match(r"(.*) \((.*):(\d+)\)$", frame)
        if not place or place[2].startswith("["):
            yield (place[1] if place else frame,)
        elif place[2].endswith(languages):
            # What the runtime calls a function of Python is the last part of its whole name.
            name = place[1].split(".")[-1] if place[2].endswith(".py") else place[1]
            yield (name, place[2], int(place[3]))


def without_class(name):
    """A method of Ruby as its runtime before 3.4 says it"""
    return re.sub(r"\b[A-Z][\w:]*[#.](?=\w|\W+$)", "", name)


def is_same(found, said):
    """Whether these are the same frames.  The innermost line has changed since; a function of C is where its caller is."""
    at = 0
    for frame in found:
        expected = said[at] if at < len(said) else ()
        # A script of Ruby knows by itself only some classes.
        if expected and frame[0] != expected[0] and without_class(expected[0]) == expected[0]:
            frame = (without_class(frame[0]), *frame[1:])
        if len(frame) == 1:
            # Of functions of C, and of Ruby's own files, only one side may say the class.
            at += bool(expected) and (frame[0] == expected[0] or
                                      (without_class(frame[0]) == without_class(expected[0]) and
                                       without_class(frame[0]) in (frame[0], expected[0])))
        elif frame == expected or (at == 0 and frame[:2] == expected[:2]):
            at += 1
        else:
            return False
    return at == len(said)


def is_part(found, said):
    """Whether all that was found was said in that order"""
    rest = iter(said)
    return all(any(frame[:2] == one[:2] for one in rest) for frame in found if len(frame) > 1)


def check_stacks(tap, path, dump, what, languages, leaf=("leaf",), may_lack=False):
    """@may_lack: functions that were compiled into others come when their names were copied"""
    stacks = dumps(dump)
    has_own_files = languages == (".js",)
    if has_own_files:
        # Functions in the runtime's own files, and in none, have no lines, and look like native ones.
        stacks = [(way, [frame for frame in said if frame[1].endswith(languages)]) for way, said in stacks]
    ways = {way for way, _ in stacks}
    met, same, different, lacks = set(), 0, [], 0
    for frames, weight in folded(path, "--only-command", "--lines"):
        script = [frame for frame in scripts_of(frames, languages) if len(frame) > 1 or not has_own_files]
        inner = next((i for i, frame in enumerate(script) if len(frame) > 1), None)
        if inner is None or script[inner][0] not in leaf:
            continue
        # Several ways may look the same.
        found_ways = {way for way, said in stacks if is_same(script[inner:], said)}
        if found_ways:
            met |= found_ways
            same += weight
        elif may_lack and any(is_part(script[inner:], said) for _, said in stacks):
            lacks += weight
        else:
            different.append((weight, [frame for frame in script if len(frame) > 1]))
    tap.ok(len(ways) >= 30, f"{what}: the function is reached in {len(ways)} ways")
    tap.ok(not different, f"{what}: {same} samples there have the stack that the runtime says, {sum(w for w, _ in different)} another one")
    tap.ok(same > 200, f"{what}: they are enough", timed=True)
    if may_lack:
        tap.ok(lacks <= 0.05 * same, f"{what}: {lacks} lack what was compiled into others", timed=True)
    tap.ok(len(met) >= 0.9 * len(ways), f"{what}: {len(met)} of the ways are met", timed=True)
    for weight, script in different[:3]:
        tap.note(f"{weight}: {script}")
    tap.note("not met: " + ", ".join(sorted(ways - met)))
