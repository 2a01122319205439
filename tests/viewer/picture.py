# SPDX-License-Identifier: GPL-2.0-or-later
"""picture.py PROGRAM CAPTURE OUT [VIEW [dark]]: see picture.  Waits until the panes are filled, then takes the screen."""
import os
import re
import subprocess
import sys
import time

from viewer import FRAME, Viewer, answer_dialog, click, key, wait_for, walk, xdotool

program, capture, out, *rest = sys.argv[1:]
view = rest[0] if rest else "functions"
if "dark" in rest:
    with open(os.path.join(os.environ["XDG_CONFIG_HOME"], "gtk-4.0/settings.ini"), "a") as settings:
        settings.write("gtk-application-prefer-dark-theme=1\n")
viewer = Viewer(program, capture)
viewer.wait_label(" samples, ")
# Their titles name the selected function once they are filled; reading the rows would take minutes in a guest.
for pane in "Callers of ", "Descendants of ":
    viewer.table(pane)
if view in ("flame", "chart"):
    key("alt+2")
    viewer.wait("image", "Flame graph")
if view == "chart":
    click(viewer.wait("push button", "By Time"))
    viewer.wait("image", "Flame chart")
if view == "bottom-up":
    key("ctrl+b")
    viewer.table("Ways of ")
if view == "processes":
    click(viewer.wait("push button", "Arrange"))
    # The timeline's lanes: the third item from the end.
    for _ in range(3):
        key("Up")
    key("Return")
if view == "heat":
    key("ctrl+m")
    viewer.wait("image", "Heat map")
if view == "details":
    key("alt+4")
    viewer.wait_rows("processes", "Processes", lambda rows: rows)
# A page of one function, which says its key itself; what it shows first is a row of a table.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../userspace/viewer/pages.c")) as file:
    pages = dict(re.findall(r'{ "(\w+)", N_\(.*?\), "<Alt>(\d)"', file.read()))
if view in pages:
    key("alt+" + pages[view])
    wait_for("rows", lambda: any(node.role == "tree table" and viewer.rows(node.name) for node in walk(viewer.look())))
if view == "compare":
    key("alt+3")
    click(viewer.wait("push button", "Compare With"))
    answer_dialog("^Open a Recording$", os.path.abspath(capture), lambda: viewer.find("label", "Compared with " + os.path.basename(capture)))
xdotool("mousemove", 640, 785)
# What was read is there; one more moment for it to be drawn.
time.sleep(1)
subprocess.run(["import", "-window", "root", out], check=True)
subprocess.run(["mogrify", "-shave", f"{FRAME}x{FRAME}", "+repage", "-strip", out], check=True)
sys.exit(viewer.end())
