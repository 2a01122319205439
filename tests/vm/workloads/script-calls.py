# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls and returns all the time, in many ways, until it is ended."""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def numbers(n):
    for i in range(n):
        yield i
    if n:
        yield from numbers(n - 1)


class Thing:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n

    def __call__(self, n):
        return self.n + n

    @property
    def half(self):
        return self.n // 2


def throwing(n):
    if n == 0:
        raise ValueError
    return throwing(n - 1)


def work():
    fibonacci(6)
    sum(numbers(4))
    sorted(Thing(i * 7 % 5) for i in range(8))
    list(map(lambda n: Thing(n)(n) + Thing(n).half, range(5)))
    try:
        throwing(5)
    except ValueError:
        pass
    sum(*[[fibonacci(i) for i in range(4)]], **{"start": 1})


while True:
    work()
