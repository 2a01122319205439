# SPDX-License-Identifier: GPL-2.0-or-later
#
# without-perf.py COMMAND...: runs it behind a filter of system calls that refuses perf_event_open()
# with EPERM, as a container's does.
import ctypes, errno, os, struct, sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7fff0000, 0x00050000
number = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
program = b"".join(struct.pack("HBBI", *row) for row in (
    (LOAD, 0, 0, 0),            # the call's number
    (EQUAL, 0, 1, number),
    (RETURN, 0, 0, ERRNO | errno.EPERM),
    (RETURN, 0, 0, ALLOW)))
text = ctypes.create_string_buffer(program, len(program))
filter_ = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(text))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_, 0, 0):
    sys.exit("Cannot set a filter: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
