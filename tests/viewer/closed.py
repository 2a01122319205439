# SPDX-License-Identifier: GPL-2.0-or-later
"""closed.py PROGRAM: in a guest, as a user who may not open the device: prints what the viewer says before and after Record."""
import sys

from viewer import Viewer, click

viewer = Viewer(sys.argv[1])
print(viewer.wait_label("/dev/sysprof-trace"))
click(viewer.wait("push button", "Record"))
viewer.wait("push button", "Record")
print("again", viewer.wait_label("/dev/sysprof-trace"))
sys.exit(viewer.end())
