#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# export --format lanes on a recording with known waits: the areas that are blocked and runnable are
# the times that the report has, a part of the time is drawn as such, and nothing is fetched.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli=$PWD/build/sysprof-cli
build/tests/gen-waits "$work/waits.capture" || exit 1

cat >"$work/lanes.py" <<'END'
"""Lanes of an SVG file: by name and class, their area in parts of a full lane; and the seconds."""
import re
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def read(path):
    root = tree.parse(path).getroot()
    names = [text.text for box in root.findall(SVG + "svg") for text in box]
    areas = {}
    for name, group in zip(names, root.findall(SVG + "g")):
        for kind in group:
            boxes = re.findall(r"M(\d+),(\d+)H(\d+)V(\d+)H(\d+)z", kind.get("d"))
            assert all(x == again for x, _, _, _, again in boxes)
            areas[name, kind.get("class")] = sum(
                (int(to) - int(x)) * (int(bottom) - int(top)) for x, top, to, bottom, _ in boxes
            ) / (1020 * 14)
    seconds = [float(text.text[:-2]) for text in root.findall(SVG + "text")
               if text.text.endswith(" s")]
    return names, areas, seconds
END

"$cli" export --format lanes -o "$work/all.svg" "$work/waits.capture"
for metric in blocked runnable; do
	"$cli" report --metric $metric --by thread --json "$work/waits.capture" >"$work/$metric"
done
result "blocked and runnable areas are the times of the report" "$(
	cd "$work" && python3 - 2>&1 <<'END'
import json
from lanes import read
names, areas, seconds = read("all.svg")
assert names[:2] == ["CPU 0", "CPU 1"] and "worker (201)" in names, names
for metric, kind in ("blocked", "k5"), ("runnable", "k3"):
    with open(metric) as file:
        groups = json.load(file)["groups"]
    assert len(groups) > 1
    for group in groups:
        share = group["weight"] / 999e6
        drawn = areas[f"{group['name']} ({group['tid']})", kind]
        assert abs(drawn - share) < 0.02, (group, metric, drawn, share)
assert seconds == sorted(seconds) and seconds[0] == 0 and 0.9 <= seconds[-1] <= 1, seconds
END
)"

"$cli" export --format lanes --time 0.11..0.15 -o "$work/part.svg" "$work/waits.capture"
result "a part of the time is drawn as wide" "$(
	cd "$work" && python3 - 2>&1 <<'END'
from lanes import read
names, areas, seconds = read("part.svg")
# All of it is within one wait, which began at 0.109 s.
assert areas["worker (201)", "k5"] > 0.99, areas
assert seconds[0] == 0.11 and seconds[-1] < 0.15, seconds
END
)"

result "it refers to nothing outside of it, and has the colours of the legend" "$(
	grep -o 'https\?://[^"]*' "$work/all.svg" | sort -u | grep -v '^http://www.w3.org/2000/svg$'
	for color in e66100 3584e4 f0c32c a347ba a5a4a1 e01b24; do
		grep -q "#$color" "$work/all.svg" || echo "$color is missing"
	done
)"

"$cli" export --format lanes --with work "$work/waits.capture" >"$work/out" 2>&1
result "conditions on samples are refused" "$(
	[ "$(cat "$work/out")" = "sysprof-cli: --format lanes takes no conditions but --time, and no --metric, --hide and the like" ] ||
		cat "$work/out"
)"

finish
