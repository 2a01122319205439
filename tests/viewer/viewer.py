# SPDX-License-Identifier: GPL-2.0-or-later
"""
For tests, inside tests/viewer/session: a viewer that runs, read through the accessibility bus as a screen reader would,
driven with mouse and keyboard.  GTK 4.8 cannot be steered through that bus, only read.
"""
import os
import shutil
import subprocess
import sys
import time


def skip(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def enter_session():
    """Starts the test anew where there is a display, unless that has happened."""
    if os.environ.get("VIEWER_SESSION"):
        return
    for tool in "Xvfb", "xvfb-run", "dbus-run-session", "xdotool":
        if not shutil.which(tool):
            skip(f"{tool} is missing; packaging/deps check installs it")
    session = os.path.join(os.path.dirname(os.path.abspath(__file__)), "session")
    os.execv(session, [session, sys.executable, *sys.argv])


try:
    import gi

    gi.require_version("Atspi", "2.0")
except (ImportError, ValueError):
    skip("python3-gi or gir1.2-atspi-2.0 is missing; packaging/deps check installs them")
enter_session()
from gi.repository import Atspi, GLib  # noqa: E402

# Without a window manager the window stands in the corner, inside a frame of its own.
FRAME = 5
# One wait for everything; emulated machines are slow.
PATIENCE = float(os.environ.get("PATIENCE", "20"))


class Failure(Exception):
    pass


def wait_for(what, ask, patience=None):
    """The first answer that is true."""
    end = time.monotonic() + (patience or PATIENCE)
    while True:
        try:
            answer = ask()
        except (GLib.Error, AttributeError):  # something went away while it was looked at, and is None
            answer = None
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure("waited in vain for " + what)
        time.sleep(0.05)


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def key(name):
    xdotool("key", name)


def type_text(text):
    xdotool("type", "--delay", "20", text)


def walk(node):
    """All below @node but what is in the rows of tables: those are many, and each question takes its time."""
    yield node
    if node.get_role_name() == "list":
        return
    for i in range(node.get_child_count()):
        child = node.get_child_at_index(i)
        if child:
            yield from walk(child)


def extents(node):
    box = Atspi.Component.get_extents(node, Atspi.CoordType.WINDOW)
    return box.x, box.y, box.width, box.height


def is_showing(node):
    """GTK 4.8 does not tell; what is not on the screen has no size."""
    _, _, width, height = extents(node)
    return width > 0 and height > 0


def click(node, button=1, times=1):
    x, y, width, height = extents(node)
    xdotool("mousemove", FRAME + x + width // 2, FRAME + y + height // 2)
    xdotool("click", "--repeat", times, "--delay", 60, button)


def window_of(name):
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", name], capture_output=True, text=True).stdout.split()
    return found[0] if found else None


def answer_dialog(title, path, is_done):
    """Types a path into a file dialog of GTK until is_done()."""
    xdotool("windowfocus", wait_for("the dialog", lambda: window_of(title)))
    if "Open" in title:
        key("ctrl+l")
    for _ in range(3):
        key("ctrl+a")
        type_text(path)
        key("Return")
        try:
            wait_for(path, is_done, 7)
            break
        except Failure:
            print("# typed once more", flush=True)
    wait_for(path, is_done)
    wait_for("the dialog to go", lambda: not window_of(title))


class Row:
    """A row of a table as it is on the screen."""

    def __init__(self, node):
        self.node = node
        _, self.y, _, self.height = extents(node)
        self.is_selected = node.get_state_set().contains(Atspi.StateType.SELECTED)
        self.cells = [self.text(node.get_child_at_index(i)) for i in range(node.get_child_count())]

    @staticmethod
    def text(cell):
        names = [n.get_name() for n in walk(cell)]
        return next((n for n in names if n and not n.startswith(("Gtk", "Spt"))), "")

    def percent(self, column):
        return float(self.cells[column].split()[0])


class Viewer:
    def __init__(self, program, *arguments, **popen):
        if not os.path.exists(program):
            skip(f"{program} is not built: GTK 4 is missing")
        self.process = subprocess.Popen([program, *arguments], **popen)
        self.frame = wait_for("a window", self.find_frame)
        # Off the rows; without a window manager nobody gives the window the keyboard but the one who asks.
        xdotool("mousemove", 640, 785)
        xdotool("search", "--sync", "--onlyvisible", "--pid", self.process.pid, "--class", "",
                "windowfocus")

    def find_frame(self):
        if self.process.poll() is not None:
            raise Failure(f"the viewer ended with status {self.process.returncode}")
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(i)
            if not application or application.get_process_id() != self.process.pid:
                continue
            # What is remembered would never change: no main loop hears of changes here.
            application.set_cache_mask(Atspi.Cache.NONE)
            if application.get_child_count():
                return application.get_child_at_index(0)
        return None

    def title(self):
        return self.frame.get_name()

    def end(self):
        """Closes the window; the exit status."""
        key("ctrl+q")
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None

    def find(self, role, starts):
        for node in walk(self.frame):
            if node.get_role_name() == role and (node.get_name() or "").startswith(starts) and is_showing(node):
                return node
        return None

    def wait(self, role, starts, patience=None):
        return wait_for(f"the {role} '{starts}'", lambda: self.find(role, starts), patience)

    def labels(self):
        return [n.get_name() for n in walk(self.frame) if n.get_role_name() == "label" and is_showing(n)]

    def wait_label(self, part, patience=None):
        return wait_for(f"a label with '{part}'",
                        lambda: next((text for text in self.labels() if part in text), None), patience)

    def table(self, starts):
        return self.wait("tree table", starts)

    def header(self, table, name):
        titles = table.get_child_at_index(0)
        return next(n for n in walk(titles) if n.get_name() == name)

    def rows(self, starts):
        """
        The rows in view of the pane whose title begins so, from the top.  After scrolling, rows that went out of sight may be
        among them: GTK 4.8 says of those where they were last.
        """
        table = self.table(starts)
        body = next(n for n in walk(table) if n.get_role_name() == "list")
        _, top, _, height = extents(body)
        rows = []
        for i in range(body.get_child_count()):
            node = body.get_child_at_index(i)
            if node and is_showing(node) and top <= extents(node)[1] < top + height:
                rows.append(Row(node))
        return sorted(rows, key=lambda row: row.y)

    def search(self, text, is_there, patience=None):
        """
        Types into the search entry until is_there() says that it was understood: with shift and control in quick turns, the keys
        of the display get mixed up now and then, and what an entry holds GTK 4.8 does not tell.
        """
        for _ in range(3):
            key("ctrl+f")
            key("ctrl+a")
            key("BackSpace")
            type_text(text)
            try:
                return wait_for(f"'{text}' to be found", is_there, patience or PATIENCE / 3)
            except Failure as failure:
                last = failure
        raise last

    def search_names(self, text, test):
        """The rows found, whose names test() accepts."""
        def is_there():
            rows = self.rows("Functions")
            return rows if test([row.cells[2] for row in rows]) else None
        return self.search(text, is_there)

    def wait_rows(self, what, starts, test):
        def ask():
            rows = self.rows(starts)
            return rows if rows and test(rows) else None
        return wait_for(f"{what} in {starts}", ask)


class Tap:
    """Numbered results; a failure shows the picture's place and does not end the others."""

    def __init__(self):
        self.number = self.failed = 0

    def check(self, text, is_good, why=""):
        self.number += 1
        print(f"{'' if is_good else 'not '}ok {self.number} - {text}", flush=True)
        if not is_good:
            self.failed += 1
            for line in str(why).splitlines():
                print("# " + line)

    def run(self, text, test):
        try:
            test()
            self.check(text, True)
        except (Failure, AssertionError, StopIteration, IndexError, ValueError, subprocess.SubprocessError, GLib.Error) as failure:
            self.check(text, False, f"{type(failure).__name__}: {failure}")

    def end(self):
        print(f"1..{self.number}")
        sys.exit(1 if self.failed else 0)
