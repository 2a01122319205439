# SPDX-License-Identifier: GPL-2.0-or-later
"""
record.py PROGRAM WORKLOAD: in a guest, as an ordinary user: starts the viewer and has it record the 50:30:20 workload, prints what
the window says of it while that runs, presses Stop, and prints what the panes say, one row a line: pane, then the cells.
"""
import re
import subprocess
import sys

from viewer import Viewer, click, key, type_text, wait_for

program, workload = sys.argv[1:]
BURNERS = {"burn_fifty", "burn_thirty", "burn_twenty"}
# Enough that chance has little say.
ENOUGH = 2000


def show(pane, rows):
    for row in rows:
        print(pane, *row.cells, sep="\t", flush=True)


def shows(names):
    return lambda rows: names <= {row.cells[2] for row in rows}


def said_enough():
    label = viewer.wait_label("Recording: ")
    return label if int(re.match(r"Recording: ([0-9,]+) samples", label)[1].replace(",", "")) > ENOUGH else None


viewer = Viewer(program)
viewer.wait("label", "See where the time goes")
print("labels", *viewer.labels(), sep="\t", flush=True)
click(viewer.record_what("Command", ("text", "Command and its arguments")))
type_text(f"{workload} 600")
key("Return")
print("live", wait_for("samples", said_enough), sep="\t", flush=True)
show("so-far", viewer.wait_rows("the workload", "Heaviest functions so far", shows(BURNERS)))
click(viewer.wait("push button", "Stop"))
subprocess.run(["pkill", "-x", "shares"], check=True)
print("status", viewer.wait_label(" lost, in "), sep="\t", flush=True)

# The process and its functions.
show("functions", viewer.wait_rows("the workload", "Functions", shows(BURNERS | {"shares"})))
viewer.choose("Functions", "shares", "Descendants of shares")
show("descendants", viewer.wait_rows("descendants", "Descendants of shares", lambda rows: len(rows) > 3))
viewer.choose("Functions", "burn_fifty", "Callers of burn_fifty")
show("callers", viewer.wait_rows("callers", "Callers of burn_fifty", lambda rows: rows))
sys.exit(viewer.end())
