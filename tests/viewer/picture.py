# SPDX-License-Identifier: GPL-2.0-or-later
"""picture.py PROGRAM CAPTURE OUT [VIEW [dark]]: see picture.  Waits until the panes are filled, then takes the screen."""
import os
import re
import subprocess
import sys
import time

from viewer import FRAME, Viewer, answer_dialog, click, extents, key, wait_for, walk, xdotool

program, capture, out, *rest = sys.argv[1:]
view = rest[0] if rest else "functions"
if "dark" in rest:
    os.environ["ADW_DEBUG_COLOR_SCHEME"] = "prefer-dark"
if "contrast" in rest:
    os.environ["ADW_DEBUG_HIGH_CONTRAST"] = "1"
# WIDTHxHEIGHT of the window, as the last one was.
for size in rest:
    match = re.fullmatch(r"(\d+)x(\d+)", size)
    if match:
        state = os.path.join(os.environ["XDG_CONFIG_HOME"], "sysprof/viewer.ini")
        os.makedirs(os.path.dirname(state), exist_ok=True)
        with open(state, "w") as file:
            file.write(f"[viewer]\nwidth={match[1]}\nheight={match[2]}\n")
viewer = Viewer(program, capture)
viewer.wait_label(" samples, ")
# Their titles name the selected function once they are filled; reading the rows would take minutes in a guest.
is_narrow = extents(viewer.frame)[2] < 720
for pane in () if is_narrow else ("Callers of ", "Descendants of "):
    viewer.table(pane)
if view in ("flame", "chart"):
    key("alt+2")
    viewer.wait("image", "Flame graph")
if view == "chart":
    click(viewer.wait("push button", "By Time"))
    viewer.wait("image", "Flame chart")
if view == "bottom-up":
    key("ctrl+b")
    viewer.table("All functions by self")
if view == "processes":
    click(viewer.wait("push button", "Arrange"))
    # The timeline's lanes: the fourth item from the end.
    for _ in range(4):
        key("Up")
    key("Return")
if view == "heat":
    key("ctrl+m")
    viewer.wait("image", "Heat map")
if view == "details":
    key("alt+5")
    viewer.wait_rows("processes", "Processes", lambda rows: rows)
# A page of one function, which says its key itself; what it shows first is a row of a table.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../userspace/viewer/pages.c")) as file:
    pages = dict(re.findall(r'{ "(\w+)", N_\(.*?\), "<Alt>(\d)"', file.read()))
if view in pages:
    key("alt+" + pages[view])
    wait_for("rows", lambda: any(node.role == "tree table" and viewer.rows(node.name) for node in walk(viewer.look())))
if view == "compare":
    key("F10")
    viewer.wait("menu item", "Compare With")
    key("Down")
    key("Return")
    answer_dialog("^Open a Recording$", os.path.abspath(capture), lambda: viewer.find("label", "Compared with " + os.path.basename(capture)))
viewer.park_mouse()
# What was read is there; one more moment for it to be drawn.
time.sleep(1)
subprocess.run(["import", "-window", "root", out], check=True)
_, _, width, height = extents(viewer.look())
subprocess.run(["mogrify", "-crop", f"{width}x{height}+{FRAME}+{FRAME}", "+repage", "-strip", out],
               check=True)
sys.exit(viewer.end())
