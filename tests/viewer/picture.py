# SPDX-License-Identifier: GPL-2.0-or-later
"""picture.py PROGRAM CAPTURE OUT [VIEW [dark]]: see picture.  Waits until the panes are filled, then takes the screen."""
import os
import subprocess
import sys
import time

from viewer import FRAME, Viewer, key

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
if view == "flame":
    key("alt+2")
    viewer.wait("image", "Flame graph")
# What was read is there; one more moment for it to be drawn.
time.sleep(1)
subprocess.run(["import", "-window", "root", out], check=True)
subprocess.run(["mogrify", "-shave", f"{FRAME}x{FRAME}", "+repage", "-strip", out], check=True)
sys.exit(viewer.end())
