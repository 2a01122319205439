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
import traceback


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
from gi.repository import Atspi, Gio, GLib  # noqa: E402

# Without a window manager the window stands in the corner, inside a frame of its own.
FRAME = 5
# What an answer takes at most, and three times that before a test gives up: waiting compares no
# times.  Emulated machines are slow.
PATIENCE = float(os.environ.get("PATIENCE", "20"))


class Failure(Exception):
    pass


def wait_for(what, ask, patience=None):
    """The first answer that is true."""
    end = time.monotonic() + (patience or 3 * PATIENCE)
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
    """All below @node but what is in the rows of tables: those are many."""
    yield node
    if node.has_rows:
        return
    for child in node.children():
        yield from walk(child)


def extents(node):
    return node.ask("Component", "GetExtents", GLib.Variant("(u)", (Atspi.CoordType.WINDOW,)))[0]


def is_showing(node):
    """GTK 4.8 does not tell; what is not on the screen has no size."""
    _, _, width, height = extents(node)
    return width > 0 and height > 0


def click(node, button=1, times=1):
    try:
        x, y, width, height = extents(node)
    except GLib.Error:  # a row that was filled anew meanwhile, in its place
        if not node.box:
            raise
        x, y, width, height = node.box
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


class Node:
    """
    What the program said of a widget when it was last asked for all it has.  One answer about everything takes a tenth of the time of
    questions about each, which an emulated machine does not have.
    """

    def __init__(self, tree, path, name="", role="", n_children=0, index=0, states=0, interfaces=()):
        self.tree, self.path, self.name, self.role, self.n_children, self.index = tree, path, name, role, n_children, index
        self.has_place = "org.a11y.atspi.Component" in interfaces
        self.has_rows = False  # of a table
        self.is_selected = bool(states & 1 << Atspi.StateType.SELECTED)
        self.is_focused = bool(states & 1 << Atspi.StateType.FOCUSED)
        self.box = None  # where a row was

    def ask(self, interface, method, arguments=None):
        return self.tree.ask(self.path, "org.a11y.atspi." + interface, method, arguments)

    def children(self):
        return self.tree.below.get(self.path, [])

    def has_all_children(self):
        """Those that nobody asked for are missing, and those that are hidden have the place of another or one behind the last."""
        return sorted(child.index for child in self.children()) == list(range(self.n_children))

    def get(self, interface, what):
        """As it is now."""
        question = GLib.Variant("(ss)", ("org.a11y.atspi." + interface, what))
        return self.tree.ask(self.path, "org.freedesktop.DBus.Properties", "Get", question)[0]


class Tree:
    """The widgets of a program, as it tells of them at once; it only knows those that somebody has asked for."""

    def __init__(self, process):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1, None)[0]
        self.bus = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.process, self.name, self.below = process, None, {}

    def call(self, name, path, interface, method, arguments=None):
        return self.bus.call_sync(name, path, interface, method, arguments, None, 0, int(1000 * PATIENCE), None).unpack()

    def ask(self, path, *question):
        return self.call(self.name, path, *question)

    def connect(self):
        """Whether the program is there, and has told of itself."""
        registry, root = "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"
        for name, _ in self.call(registry, root, "org.a11y.atspi.Accessible", "GetChildren")[0]:
            driver = "org.freedesktop.DBus"
            if self.call(driver, "/org/freedesktop/DBus", driver, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)))[0] == \
                    self.process.pid:
                self.name = name
        return self.name

    def read(self):
        """All widgets that are known by now; by their paths."""
        nodes, self.below = {}, {}
        for (_, path), _, (_, parent), index, n_children, interfaces, name, role, _, states in \
                self.ask("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems")[0]:
            role = Atspi.role_get_name(Atspi.Role(role))
            nodes[path] = Node(self, path, name, role, n_children, index, states[0], interfaces)
            self.below.setdefault(parent, []).append(nodes[path])
        for parent, children in self.below.items():
            for node in children:
                node.has_rows = node.role == "list" and parent in nodes and nodes[parent].role == "tree table"
        for children in self.below.values():
            children[:] = sorted((node for node in children if not self.is_closed(node)), key=lambda node: node.index)
        return nodes

    def is_closed(self, node):
        """A menu that was taken away is told of as if it were there, and GTK 4.8 complains when it is asked where."""
        if node.role != "menu" or not node.has_place:
            return False
        try:
            return node.get("Accessible", "Parent")[1] == "/org/a11y/atspi/accessible/root"
        except GLib.Error:
            return True

    def look(self, rows=(), title=None):
        """
        Everything on the screen anew, of what is in the rows of tables only what is in the @rows of these paths; the window, or that
        of a title, and by path, nodes.
        """
        asked = {}
        while True:
            nodes = self.read()
            for path, children in asked.items():
                self.below[path] = [nodes[child] for child in children if child in nodes]
            windows = [window for window in self.below.get("/org/a11y/atspi/accessible/root", []) if title in (None, window.name)]
            wanted = [node for top in windows[:1] for node in walk(top) if not node.has_rows]
            wanted += [node for row in rows if row in nodes for node in walk(nodes[row])]
            unclear = [node for node in wanted if node.path not in asked and not node.has_all_children()]
            if not unclear:
                return windows[0] if windows else None, nodes
            for node in unclear:
                asked[node.path] = self.children(node.path) if not node.has_place or is_showing(node) else []

    def children(self, path):
        """The paths of a widget's children, which are known from then on."""
        return [child for _, child in self.ask(path, "org.a11y.atspi.Accessible", "GetChildren")[0]]


class Row:
    """A row of a table as it is on the screen."""

    def __init__(self, node, box):
        self.node, self.y, self.is_selected = node, box[1], node.is_selected
        node.box = box
        self.cells = [self.text(cell) for cell in node.children()]

    @staticmethod
    def text(cell):
        return next((node.name for node in walk(cell) if node.name and not node.name.startswith(("Gtk", "Spt"))), "")

    def percent(self, column):
        return float(self.cells[column].split()[0])


class Viewer:
    def __init__(self, program, *arguments, **popen):
        if not os.path.exists(program):
            skip(f"{program} is not built: GTK 4 is missing")
        self.process = subprocess.Popen([program, *arguments], **popen)
        self.tree = Tree(self.process)
        wait_for("a window", self.find_frame)
        # Off the rows; without a window manager nobody gives the window the keyboard but the one who asks.
        self.park_mouse()
        xdotool("search", "--sync", "--onlyvisible", "--pid", self.process.pid, "--class", "",
                "windowfocus")

    def park_mouse(self):
        """In the window, which has no keyboard otherwise."""
        _, _, width, height = extents(self.frame)
        xdotool("mousemove", width // 2, height - 5)

    def find_frame(self):
        if self.process.poll() is not None:
            raise Failure(f"the viewer ended with status {self.process.returncode}")
        return self.look() if self.tree.name or self.tree.connect() else None

    def look(self):
        self.frame, _ = self.tree.look()
        return self.frame

    def title(self):
        return self.frame.get("Accessible", "Name")

    def end(self):
        """Closes the window; the exit status."""
        key("ctrl+q")
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None

    def find(self, role, starts):
        for node in walk(self.look()):
            if node.role == role and node.name.startswith(starts) and is_showing(node):
                return node
        return None

    def wait(self, role, starts, patience=None):
        return wait_for(f"the {role} '{starts}'", lambda: self.find(role, starts), patience)

    def reach(self, role, starts):
        """Scrolls, with the mouse's wheel in the middle of the window, until it is in view."""
        last = None
        for _ in range(40):
            node = self.wait(role, starts)
            _, y, _, height = extents(node)
            _, _, width, below = extents(self.frame)
            # A toast may cover the lower edge.
            if 60 <= y and (y + height <= below - 90 or (y == last and y + height <= below)):
                return node
            last = y
            xdotool("mousemove", FRAME + width // 2, FRAME + below // 2)
            xdotool("click", 4 if y < 60 else 5)
            time.sleep(0.1)
        raise Failure(f"cannot scroll to the {role} '{starts}'")

    def record_what(self, name, then):
        """In the record form: what is to be recorded; @then: a role and a name that come with it."""
        for _ in range(3):
            click(self.reach("push button", name))
            # GTK 4.8 forgets to report what is asked for while it comes.
            time.sleep(1)
            try:
                return self.wait(*then, max(7, PATIENCE / 10))
            except Failure as failure:
                last = failure
        raise last

    def labels(self, part=""):
        return [node.name for node in walk(self.look()) if node.role == "label" and part in node.name and is_showing(node)]

    def wait_label(self, part, patience=None):
        return wait_for(f"a label with '{part}'", lambda: next(iter(self.labels(part)), None), patience)

    def table(self, starts):
        return self.wait("tree table", starts)

    def header(self, table, name):
        return next(node for node in walk(table.children()[0]) if node.name == name)

    def rows(self, starts):
        """
        The rows in view of the pane whose title begins so, from the top.  After scrolling, rows that went out of sight may be
        among them: GTK 4.8 says of those where they were last.
        """
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.read_rows(starts)
            except (GLib.Error, KeyError):  # rows were filled anew while they were looked at
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def read_rows(self, starts):
        body = next(node for node in walk(self.table(starts)) if node.has_rows)
        _, top, _, height = extents(body)
        places = {}
        for path in self.tree.children(body.path):
            box = extents(Node(self.tree, path))
            if box[2] > 0 and box[3] > 0 and top <= box[1] < top + height:
                places[path] = box
        _, nodes = self.tree.look(places)
        return sorted((Row(nodes[path], box) for path, box in places.items()), key=lambda row: row.y)

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

    def choose(self, pane, name, then):
        """Clicks the row of that name until the pane @then is there: names that come while a list is read may move its rows."""
        for _ in range(4):
            click(next(row for row in self.wait_rows(name, pane, lambda rows: any(row.cells[2] == name for row in rows))
                       if row.cells[2] == name).node)
            try:
                return self.wait("tree table", then, PATIENCE / 4)
            except Failure as failure:
                last = failure
        raise last


class Dialog(Viewer):
    """Another window of a viewer, drawn into the corner."""

    def __init__(self, viewer, title):
        self.process, self.tree, self.name = viewer.process, viewer.tree, title
        self.window = wait_for(title, lambda: window_of(f"^{title}$"))
        xdotool("windowmove", "--sync", self.window, 0, 0)
        self.focus()
        wait_for("what it shows", self.look)

    def focus(self):
        xdotool("windowfocus", self.window)

    def look(self):
        self.frame, _ = self.tree.look(title=self.name)
        return self.frame


class Tap:
    """Numbered results; a failure shows the picture's place and does not end the others."""

    def __init__(self):
        self.number = self.failed = 0

    def check(self, text, is_good, why="", timed=False):
        """@timed: it compares times, rates or shares, which a busy machine or chance may spoil (see tests/run)."""
        self.number += 1
        print(f"{'' if is_good else 'not '}ok {self.number} - {text}{' # timed' if timed else ''}", flush=True)
        if not is_good:
            self.failed += 1
            for line in str(why).splitlines():
                print("# " + line)

    def run(self, text, test, timed=False):
        try:
            test()
            self.check(text, True, timed=timed)
        except (Failure, AssertionError, StopIteration, LookupError, ValueError, subprocess.SubprocessError, GLib.Error) as failure:
            # How fast a machine is never makes a viewer end.
            timed = timed and not any(gone in str(failure) for gone in ("the viewer ended", "ServiceUnknown"))
            places = [f"{place.name}(), line {place.lineno}: {place.line}" for place in traceback.extract_tb(failure.__traceback__)]
            self.check(text, False, "\n".join([f"{type(failure).__name__}: {failure}", *places[1:]]), timed)

    def end(self):
        print(f"1..{self.number}")
        sys.exit(1 if self.failed else 0)
