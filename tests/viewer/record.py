# SPDX-License-Identifier: GPL-2.0-or-later
"""
record.py PROGRAM WORKLOAD [PICTURE]: in a guest, as an ordinary user: starts the viewer, presses Record, runs the 50:30:20
workload, prints what the window says of it up to then, presses Stop, and prints what the panes say, one row a line: pane, then the cells.
"""
import subprocess
import sys

from viewer import Viewer, click, key, wait_for

program, workload, *picture = sys.argv[1:]


def show(pane, rows):
    for row in rows:
        print(pane, *row.cells, sep="\t", flush=True)


viewer = Viewer(program)
viewer.wait("label", "See where the time goes")
print("labels", *viewer.labels(), sep="\t", flush=True)
click(viewer.wait("push button", "Record"))
live = viewer.wait_label("Recording: ")
truth = subprocess.run([workload, "8"], check=True, capture_output=True, text=True).stdout
wait_for("the count to grow", lambda: viewer.wait_label("Recording: ") != live)
print("live", viewer.wait_label("Recording: "), sep="\t", flush=True)
show("so-far", viewer.wait_rows("the workload", "Heaviest functions so far", lambda rows: {
    "burn_fifty", "burn_thirty", "burn_twenty"} <= {row.cells[2] for row in rows}))
click(viewer.wait("push button", "Stop"))
viewer.table("Functions")
print("status", viewer.wait_label(" samples, "), sep="\t", flush=True)
for line in truth.splitlines():
    print(*line.split(), sep="\t")

# The process, then its functions.
rows = viewer.search_names("shares", lambda names: "shares" in names and "burn_fifty" in names)
process = next(row for row in rows if row.cells[2] == "shares")
show("functions", [process])
click(process.node)
viewer.table("Descendants of shares")
show("descendants", viewer.wait_rows("descendants", "Descendants of shares", lambda rows: len(rows) > 3))
rows = viewer.search_names("burn_", lambda names: names and all("burn_" in name for name in names))
show("functions", rows)
click(next(row for row in rows if row.cells[2] == "burn_fifty").node)
viewer.table("Callers of burn_fifty")
show("callers", viewer.wait_rows("callers", "Callers of burn_fifty", lambda rows: rows))
key("Escape")
for path in picture:
    subprocess.run(["import", "-window", "root", path], check=True)
sys.exit(viewer.end())
