#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
One virtual machine for several tests, which saves the boots.  tests/run names a directory in $SYSPROF_VM; the first test that
needs no special machine boots one that has the module loaded, and runs tests/vm/serve there; the others give it their
scripts.  A test that runs alone has a machine of its own.

shared.py stop DIRECTORY: switches it off; the status tells whether its kernel had something to say that no test was blamed for.
"""
import os
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
USER = "joe"
# A machine that does not write its sign of life for so long stands still, however busy this one is.
SILENCE_S = 120


class Shared:
    def __init__(self, path):
        self.path = path

    def file(self, name):
        return os.path.join(self.path, name)

    def has(self, name):
        return os.path.exists(self.file(name))

    def read(self, name):
        with open(self.file(name), errors="replace") as file:
            return file.read()

    def start(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        parent = os.path.dirname(self.path)
        command = [
            os.path.join(HERE, "run"), "--user", USER, "--load", "--share", parent, "--timeout",
            "3600", "--pause",
            self.file("pause") + ",3", "--hung",
            self.file("hung"), "--console",
            self.file("console"), "--as-root-first",
            shlex.join([os.path.join(HERE, "serve"), self.path]), "--", "true"
        ]
        with open(self.file("running"), "w"):
            subprocess.Popen(
                ["sh", "-c", '"$@" >"$0/log" 2>&1; echo $? >"$0/ended"', self.path, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True)

    def wait(self, name, seconds):
        """Whether that file appeared, while the machine runs."""
        end = time.monotonic() + seconds
        while not self.has(name) and not self.has("ended") and time.monotonic() < end:
            time.sleep(0.1)
        return self.has(name)

    def wait_for_job(self, seconds):
        """Whether it ended in time.  A machine that stands still is killed, and says in build/vm/last-hang.log where it was."""
        begin = heard = time.monotonic()
        sign = None
        while not self.wait("status", 2):
            now = time.monotonic()
            if self.has("ended") or now - begin > seconds:
                return False
            if self.read("alive") != sign:
                sign, heard = self.read("alive"), now
            elif now - heard > SILENCE_S:
                open(self.file("hung"), "w").close()
                return False
        return True

    def stop(self):
        """Switches the machine off; gives what its kernel had to say."""
        open(self.file("stop"), "w").close()
        if not self.wait("ended", 60):
            return "it does not stop"
        status = self.read("ended").strip()
        said = self.read("log") if status != "0" else ""
        os.unlink(self.file("running"))
        return said

    def trouble(self, begin):
        """What the kernel reported since the console was so long."""
        with open(self.file("console"), "rb") as console, open(self.file("part"), "wb") as part:
            console.seek(begin)
            part.write(console.read().replace(b"\r", b""))
        return subprocess.run(
            [os.path.join(HERE, "trouble"), self.file("part")],
            stdout=subprocess.PIPE,
            text=True,
            errors="replace").stdout

    def run(self, out, script, options, timeout):
        """Like tests/vm/run: status and what was said."""
        if not self.has("running"):
            self.start()
        if not self.wait("ready", 300):
            return 124, "the shared machine did not boot"
        os.chmod(out, 0o1777)
        first = os.path.join(out, "first.sh")
        with open(first, "w") as file:
            file.write(options["--as-root-first"] + "\n")
        for name in ("status", "said"):
            if self.has(name):
                os.unlink(self.file(name))
        begin = os.path.getsize(self.file("console"))
        job = {
            "user": options["--user"],
            "harden": options["--harden"],
            "first": first,
            "script": script,
            "out": out,
            "pause": self.file("pause")
        }
        with open(self.file("job.part"), "w") as file:
            file.writelines(f"{name}={shlex.quote(value)}\n" for name, value in job.items())
        os.rename(self.file("job.part"), self.file("job"))
        ended = self.wait_for_job(timeout)
        report = self.trouble(begin)
        if ended and not report:
            return int(self.read("status")), self.read("said") if self.has("said") else ""
        said = self.stop()
        if report:
            return 125, report
        return 124, said if self.has("hung") else f"the shared machine did not answer in {timeout} s"


def parse(options):
    """Options of tests/vm/run as a dictionary, or None if they need a machine of their own."""
    found = {"--user": "root", "--harden": "", "--as-root-first": "", "--pause": "", "--load": ""}
    words = iter(options)
    for word in words:
        if word not in found:
            return None
        found[word] = next(words) if word in ("--user", "--as-root-first", "--pause") else "1"
    if not found["--load"] or found["--user"] not in ("root", USER):
        return None
    return found


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "stop":
        sys.exit(__doc__)
    said = Shared(sys.argv[2]).stop()
    if said:
        sys.exit(f"the virtual machine that tests shared: {said}")


if __name__ == "__main__":
    main()
