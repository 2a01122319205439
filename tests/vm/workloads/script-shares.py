# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.py ROUNDS"""
import asyncio
import json
import re
import sys
import threading

ROUNDS = int(sys.argv[1])
PATTERN = re.compile("x")


def spin_a(n):
    for _ in range(n):
        for i in range(50):
            x = i & 3
    return x


def spin_b(n):
    for _ in range(n):
        for i in range(50):
            x = i & 3
    return x


def spin_c(n):
    for _ in range(n):
        for i in range(50):
            x = i & 3
    return x


def section_plain():
    for _ in range(ROUNDS):
        spin_a(50)
        spin_b(30)
        spin_c(20)


def descend(n, work, amount):
    return descend(n - 1, work, amount) if n else work(amount)


def section_recursion():
    for _ in range(ROUNDS):
        descend(20, spin_a, 50)
        descend(20, spin_b, 30)
        descend(5, spin_c, 20)


def produce():
    while True:
        yield spin_a(50)
        yield spin_b(30)
        yield spin_c(20)


def pass_on():
    yield from produce()


def section_generators():
    made = pass_on()
    for _ in range(3 * ROUNDS):
        next(made)


async def leaf(which):
    await asyncio.sleep(0)
    if which == 0:
        return spin_a(50)
    return spin_b(30) if which == 1 else spin_c(20)


async def tasks():
    for _ in range(ROUNDS):
        await asyncio.gather(leaf(0), leaf(1), leaf(2))


def section_async():
    asyncio.run(tasks())


def section_callbacks():
    for _ in range(ROUNDS):
        sorted((1,), key=lambda _: spin_a(50))
        PATTERN.sub(lambda _: str(spin_b(30)), "x")
        json.dumps(object(), default=lambda _: spin_c(20))


def thread_one():
    for _ in range(ROUNDS):
        spin_a(50)


def thread_two():
    for _ in range(ROUNDS):
        spin_b(30)
        spin_c(20)


def section_threads():
    threads = [threading.Thread(target=work) for work in (thread_one, thread_two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


for section in (section_plain, section_recursion, section_generators, section_async,
                section_callbacks, section_threads):
    section()
