# SPDX-License-Identifier: GPL-2.0-or-later
#
# screen.py COLUMNSxROWS [KEYS] -- COMMAND...: runs it on a terminal of that size, types KEYS (as in
# a Python string) once it has been quiet for a while, or has written for three seconds, and prints
# what it wrote.  Its exit status.
import ast, fcntl, os, pty, re, select, struct, sys, termios, time

size, *rest = sys.argv[1:]
at = rest.index("--")
keys = [ast.literal_eval("b'%s'" % key) for key in rest[:at]]
columns, rows = map(int, size.split("x"))
pid, terminal = pty.fork()
if pid == 0:
    # The parent says how large it is before anything looks.
    time.sleep(0.1)
    os.environ["TERM"] = "xterm-256color"
    os.execvp(rest[at + 1], rest[at + 1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
written = b""
since = time.monotonic()
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    quiet = not select.select([terminal], [], [], 1 if keys and written else 5)[0]
    if keys and written and (quiet or time.monotonic() - since > 3):
        os.write(terminal, keys.pop(0))
        since = time.monotonic()
        continue
    if quiet:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    written += part
else:
    os.kill(pid, 9)
sys.stdout.buffer.write(written.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
