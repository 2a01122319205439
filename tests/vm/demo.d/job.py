#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The interpreter's share of the demo: counts words and makes JSON of it, for so many seconds of CPU time."""
import collections
import json
import random
import re
import sys
import time


def text_of(draw, words):
    return " ".join(draw.choice(words) for _ in range(4000))


def count_words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def main():
    draw = random.Random(1)
    words = [
        "".join(draw.choice("aeiounrstl") for _ in range(draw.randrange(2, 9))) for _ in range(500)
    ]
    total = collections.Counter()
    rounds = 0
    while time.process_time() < float(sys.argv[1]):
        total += count_words(text_of(draw, words))
        json.loads(json.dumps(sorted(total.items(), key=lambda item: -item[1])))
        rounds += 1
    print(f"python: {rounds} rounds, {len(total)} words")


main()
