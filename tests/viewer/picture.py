# SPDX-License-Identifier: GPL-2.0-or-later
"""picture.py PROGRAM CAPTURE OUT: see picture.  Waits until the panes are filled, then takes the screen."""
import subprocess
import sys
import time

from viewer import FRAME, Viewer

program, capture, out = sys.argv[1:]
viewer = Viewer(program, capture)
viewer.wait_label(" samples, ")
# Their titles name the selected function once they are filled; reading the rows would take minutes in a guest.
for pane in "Callers of ", "Descendants of ":
    viewer.table(pane)
# What was read is there; one more moment for it to be drawn.
time.sleep(1)
subprocess.run(["import", "-window", "root", out], check=True)
subprocess.run(["mogrify", "-shave", f"{FRAME}x{FRAME}", "+repage", "-strip", out], check=True)
sys.exit(viewer.end())
