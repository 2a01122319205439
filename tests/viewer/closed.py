# SPDX-License-Identifier: GPL-2.0-or-later
"""closed.py PROGRAM: in a guest, as a user who may not open the device: prints what the viewer says before and after Record."""
import sys

from viewer import Viewer, click

viewer = Viewer(sys.argv[1])
print(viewer.wait_label("sudo usermod"), flush=True)
click(viewer.wait("push button", "Record"))
print("again", viewer.wait_label("can only be opened"), flush=True)
sys.exit(viewer.end())
