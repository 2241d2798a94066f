#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# run_kept.py - run a program so that nothing that it starts outlives it
#
#       scripts/run_kept.py SECONDS PROGRAM [ARGUMENT...]
#
# A process group or a session is not enough: libcheck gives each case a group of its own, and what a
# test traces may make itself a session. So this process is the one that orphans fall to
# (PR_SET_CHILD_SUBREAPER), and it ends only when it has no children any more.
#
# A unit test is also ended at its first case that fails: libcheck's TAP log says so at once.
#
# Status: the program's; 1 if a case has failed, or a signal ended it; 124: it took too long.
import ctypes
import os
import signal
import sys
import tempfile
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
POLL_SECONDS = 0.02


def children():
    with open("/proc/self/task/%d/children" % os.getpid(), encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def end_all():
    """Whose parent is killed falls to us, and is seen in the next round."""
    while True:
        for pid in children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def watch(pid, end, log):
    """The status, when pid has ended, a case has failed or the time is over."""
    while time.monotonic() < end:
        while True:  # who else ends here is an orphan
            try:
                ended, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 1
            if ended == pid:
                status = os.waitstatus_to_exitcode(status)
                return 1 if status < 0 else status
            if not ended:
                break
        if b"\nnot ok" in b"\n" + os.pread(log, 1 << 20, 0):
            return 1
        time.sleep(POLL_SECONDS)
    return 124


def leave(number, frame):
    raise SystemExit(1)


def main():
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        return 125
    if prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0):
        return 125
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, leave)
    with tempfile.NamedTemporaryFile(prefix="tap.") as log:
        environment = dict(os.environ, CK_TAP_LOG_FILE_NAME=log.name)
        try:
            pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], environment)
            return watch(pid, time.monotonic() + float(sys.argv[1]), log.fileno())
        finally:
            end_all()


if __name__ == "__main__":
    sys.exit(main())
