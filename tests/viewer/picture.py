# SPDX-License-Identifier: GPL-2.0-or-later
"""picture.py PROGRAM CAPTURE OUT [VIEW[,VIEW...] [LOOKS...]]: see picture.  Waits until a view is
filled, then takes the screen."""
import gettext
import glob
import os
import re
import subprocess
import sys
import time

from viewer import FRAME, Viewer, answer_dialog, click, extents, key, wait_for, walk

program, capture, out, *rest = sys.argv[1:]
views = rest[0].split(",") if rest else ["functions"]
locales = os.path.join(os.path.dirname(os.path.abspath(program)), "locale")
texts = gettext.NullTranslations()
if "dark" in rest:
    os.environ["ADW_DEBUG_COLOR_SCHEME"] = "prefer-dark"
if "contrast" in rest:
    os.environ["ADW_DEBUG_HIGH_CONTRAST"] = "1"
if "german" in rest:
    os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="de")
    texts = gettext.translation("sysprof-trace", locales, ["de"])
if "right-to-left" in rest:
    # GTK's own words are Hebrew, and give the direction.  GLib lets them be only where the program's
    # are translated, too: those are German.
    made = os.path.join(os.environ["XDG_DATA_HOME"], "he_IL.UTF-8")
    subprocess.run(["localedef", "-i", "he_IL", "-f", "UTF-8", made], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ.update(LOCPATH=os.path.dirname(made), LC_ALL="he_IL.UTF-8", LANGUAGE="he:de")
    texts = gettext.translation("sysprof-trace", locales, ["de"])
# WIDTHxHEIGHT of the window, as the last one was.
for size in rest:
    match = re.fullmatch(r"(\d+)x(\d+)", size)
    if match:
        state = os.path.join(os.environ["XDG_CONFIG_HOME"], "sysprof/viewer.ini")
        os.makedirs(os.path.dirname(state), exist_ok=True)
        with open(state, "w") as file:
            file.write(f"[viewer]\nwidth={match[1]}\nheight={match[2]}\n")
# A page says its key itself.
pages = {}
for path in glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../userspace/viewer/*.c")):
    with open(path) as file:
        for name, accelerator in re.findall(r'SptPage spt_page_(\w+) = {.*?\.key = "([^"]*)"', file.read(), re.DOTALL):
            pages[name] = accelerator.replace("<Ctrl>", "ctrl+").replace("<Alt>", "alt+")
viewer = Viewer(program, *([] if views == ["start"] else [capture]))


def said(text):
    """A text of the window as it is in its language, without a mnemonic."""
    return texts.gettext(text).replace("_", "")


def has_rows():
    return any(node.role == "tree table" and viewer.rows(node.name) for node in walk(viewer.look()))


def choose_timeline_of_processes():
    click(viewer.wait("push button", said("Arrange")))
    # The fifth item from the end.
    for _ in range(5):
        key("Up")
    key("Return")


def by_time():
    click(viewer.wait("push button", said("By Time")))


def flame():
    key("alt+2")
    viewer.wait("image", said("Flame graph, %s, depth %u of %u%s").split(",")[0])


def chart():
    flame()
    by_time()
    viewer.wait("combo box", said("Thread"))


def bottom_up():
    key("alt+1")
    key("ctrl+b")
    # In a narrow window one pane is to be seen.
    button = viewer.find("push button", said("Descendants"))
    if button:
        click(button)
    viewer.table(said("All functions by self, bottom-up"))


def leave_bottom_up():
    key("ctrl+b")
    button = viewer.find("push button", said("Functions"))
    if button:
        click(button)


def heat():
    key("alt+1")
    key("ctrl+m")
    viewer.wait("image", said("Heat map of the parts of each second"))


def compare():
    key("F10")
    viewer.wait("menu item", said("_Compare With…")[:-1])
    key("Down")
    key("Return")
    title = f"^{said('Open a Recording')}$"
    answer_dialog(title, os.path.abspath(capture), lambda: viewer.find(
        "label", said("Compared with %s") % os.path.basename(capture)))


def by_key(name):
    def show():
        key(name)
        wait_for("rows", has_rows)
    return show


SHOW = {name: by_key(keys) for name, keys in pages.items()}
SHOW |= {"bottom-up": bottom_up, "heat": heat, "flame": flame,
        "chart": chart, "compare": compare,
        "processes": choose_timeline_of_processes, "start": lambda: None}
LEAVE = {"bottom-up": leave_bottom_up, "heat": lambda: key("ctrl+m"), "chart": by_time}

if views != ["start"]:
    wait_for("rows", has_rows)
for view in views:
    SHOW[view]()
    viewer.park_mouse()
    # What was read is there; one more moment for it to be drawn.
    time.sleep(1)
    path = out.replace("VIEW", view)
    subprocess.run(["import", "-window", "root", path], check=True)
    _, _, width, height = extents(viewer.look())
    subprocess.run(["mogrify", "-crop", f"{width}x{height}+{FRAME}+{FRAME}", "+repage", "-strip",
                    path], check=True)
    LEAVE.get(view, lambda: None)()
sys.exit(viewer.end())
