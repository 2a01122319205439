# SPDX-License-Identifier: GPL-2.0-or-later
"""
Comes to one function in many ways, and each time lets the runtime itself say the stack before it
works there: script-stacks.py DUMP LOOPS.  With 0 loops it waits for a line instead.
"""
import asyncio
import collections
import ctypes
import faulthandler
import functools
import json
import operator
import re
import sys
import threading

DUMP = open(sys.argv[1], "w")
LOOPS = int(sys.argv[2])


def leaf(way):
    DUMP.write(f"=== {way}\n")
    DUMP.flush()
    faulthandler.dump_traceback(DUMP, all_threads=False)
    DUMP.write("---\n")
    DUMP.flush()
    if not LOOPS:
        sys.stdin.readline()
    for _ in range(LOOPS):
        for i in range(200):
            x = i & 3
    return 0


def descend(n):
    return leaf("recursion") if n == 0 else descend(n - 1)


def generator(way):
    yield 0
    yield leaf(way)


def outer_generator(way):
    yield from generator(way)


async def coroutine():
    await asyncio.sleep(0)
    return leaf("coroutine")


async def outer_coroutine():
    return await coroutine()


async def numbers():
    yield leaf("asynchronous generator")


async def consume():
    async for _ in numbers():
        pass
    async with Manager():
        leaf("async with")


class Manager:
    async def __aenter__(self):
        leaf("__aenter__")

    async def __aexit__(self, *_):
        leaf("__aexit__")


class Thing:
    def __getattr__(self, name):
        return leaf("__getattr__")

    def __lt__(self, other):
        leaf("__lt__")
        return True

    def __enter__(self):
        leaf("__enter__")

    def __exit__(self, *_):
        leaf("__exit__")

    def __call__(self, *_):
        return leaf("__call__")

    @property
    def value(self):
        return leaf("property")

    @staticmethod
    def alone():
        return leaf("static method")

    @classmethod
    def of_class(cls):
        return leaf("class method")

    def __iter__(self):
        return self

    def __next__(self):
        leaf("__next__")
        raise StopIteration

    def __hash__(self):
        leaf("__hash__")
        return 1

    def __eq__(self, other):
        leaf("__eq__")
        return False

    def __repr__(self):
        leaf("__repr__")
        return ""

    def __bool__(self):
        leaf("__bool__")
        return True

    def __add__(self, other):
        return leaf("__add__")

    def __getitem__(self, key):
        return leaf("__getitem__")

    def __contains__(self, key):
        return leaf("__contains__")

    def __len__(self):
        leaf("__len__")
        return 1

    def __init_subclass__(cls):
        leaf("__init_subclass__")


class Dying:
    def __del__(self):
        leaf("__del__")


class Meta(type):
    def __new__(cls, *args):
        leaf("metaclass")
        return super().__new__(cls, *args)


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@decorate
@decorate
def decorated():
    return leaf("decorators")


@functools.lru_cache
def cached():
    return leaf("lru_cache")


@functools.singledispatch
def dispatched(_):
    return leaf("singledispatch")


def in_except():
    try:
        raise ValueError
    except ValueError:
        leaf("except")
    finally:
        leaf("finally")


def by_protocol():
    thing = Thing()
    thing.missing
    sorted([thing, thing])
    thing.value
    thing.alone()
    thing.of_class()
    list(thing)
    {thing: 1}
    thing == 1
    repr(thing)
    bool(thing)
    thing()
    thing + 1
    thing[1]
    1 in thing
    len(thing)
    with thing:
        leaf("with")
    operator.methodcaller("__call__")(thing)

    class Derived(Thing):
        leaf("class body")

    Meta("made", (), {})
    dying = Dying()
    del dying


def by_library():
    functools.reduce(lambda x, y: leaf("reduce"), [1, 2])
    functools.partial(leaf, "partial")()
    list(map(leaf, ["map"]))
    list(filter(leaf, ["filter"]))
    re.sub("x", lambda _: str(leaf("re.sub")), "x")
    json.dumps(object, default=lambda _: leaf("json.dumps"))
    json.loads('{"a": 1}', object_hook=lambda _: leaf("json.loads"))
    exec('leaf("exec")')
    eval('leaf("eval")')
    exec(compile('def inner():\n    return leaf("made code")\n\n\ninner()', "made", "exec"))
    collections.defaultdict(lambda: leaf("defaultdict"))["x"]
    max([1, 2], key=lambda _: leaf("max"))
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    ctypes.CDLL(None).qsort((ctypes.c_int * 2)(2, 1), 2, 4, compare(lambda a, b: leaf("ctypes")))
    thread = threading.Thread(target=lambda: leaf("thread"))
    thread.start()
    thread.join()


def main():
    leaf("main")
    descend(30)
    list(generator("generator"))
    list(outer_generator("yield from"))
    sum(leaf("generator expression") for _ in range(1))
    [leaf("list comprehension") for _ in range(1)]
    asyncio.run(outer_coroutine())
    asyncio.run(consume())
    decorated()
    cached()
    dispatched(1)
    in_except()
    by_protocol()
    by_library()


main()
