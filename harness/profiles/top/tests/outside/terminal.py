#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""
terminal.py - `stackproof profile --top` in a terminal: what keys do to the screen, and that the terminal is given back

	terminal.py STACKPROOF CALLS

CALLS: build/bench/sample_calls. Writes "profile", the folded stacks of the first run. Status: 0, or 1 with the reason.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 120  # seconds, of which a test that passes needs few


class Terminal:
    """A process in a terminal, and its screen: of the sequences those that the profiler writes, and no other."""

    def __init__(self, arguments, rows=24, columns=80):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            sys.stdin.readline()
            os.execv(arguments[0], arguments)
        self.text, self.screen = "", []
        self.modes = {1049: False, 25: True, 7: True}
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.fd)
        os.write(self.fd, b"\n")

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        if not select.select([self.fd], [], [], 0.1)[0]:
            return
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # nobody has it any more
            data = b""
        self.text += data.decode("utf-8", "replace")
        for mode, on in re.findall(r"\033\[\?(\d+)([hl])", data.decode("utf-8", "replace")):
            self.modes[int(mode)] = on == "h"
        last = self.text.rfind("\033[H")
        if last >= 0:
            shown = re.sub(r"\033\[(\?\d+[hl]|[27]?[mK])", "", self.text[last + 3:])
            self.screen = shown.replace("\r", "").split("\n")  # the terminal adds some

    def fill(self):
        """It takes nothing any more, until somebody reads."""
        fd = os.open("/proc/%d/fd/1" % self.pid, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        refused = 0
        while refused < 5:  # what the kernel moves meanwhile leaves room again
            try:
                os.write(fd, b" " * 4096)
                refused = 0
            except BlockingIOError:
                refused += 1
                time.sleep(0.1)
        os.close(fd)

    def see(self, what):
        end = time.time() + PATIENCE
        while not re.search(what, "\n".join(self.screen)):
            if time.time() > end:
                sys.exit("no '%s' on:\n%s" % (what, "\n".join(self.screen)))
            self.read()

    def press(self, keys, what):
        os.write(self.fd, keys.encode())
        self.see(what)

    def wait(self, flags=0):
        end = time.time() + PATIENCE
        while True:
            self.read()
            pid, status = os.waitpid(self.pid, flags | os.WNOHANG)
            if pid:
                self.read()
                return status
            if time.time() > end:
                sys.exit("it does not end:\n%s" % self.text[-2000:])

    def check_taken(self):
        if not self.modes[1049] or termios.tcgetattr(self.fd)[3] & (termios.ICANON | termios.ECHO):
            sys.exit("the terminal is not taken: %s" % self.modes)

    def check_given_back(self, when):
        if self.modes != {1049: False, 25: True, 7: True}:
            sys.exit("%s: the screen is not given back: %s" % (when, self.modes))
        if termios.tcgetattr(self.fd) != self.before:
            sys.exit("%s: stty: %s, before %s" % (when, termios.tcgetattr(self.fd), self.before))


def check_keys(stackproof, calls):
    run = Terminal([stackproof, "profile", "--top", "--rate", "997", "--format", "folded", "--output", "profile", "--", calls,
                    "1000000000"])
    run.see(r" \d+\.\d+%  *\d+\.\d+% sample_calls +sample_calls +leaf\b")
    run.check_taken()
    if not re.search(r"\d+ ticks: \d+ stacks, \d+ lost", "\n".join(run.screen)):
        sys.exit("no account:\n%s" % "\n".join(run.screen))
    run.press("g", r"by PID")
    run.press("gs", r"by function, by total")
    run.press("/LEAF\n", r"filter: LEAF")
    run.press("\n", r"callers(.|\n)*100\.00% leaf(.|\n)* main\b|callers(.|\n)*% leaf(.|\n)* main\b")
    run.press("\033", r"by function")
    run.press("p", r"; paused")
    run.resize(12, 40)
    end = time.time() + PATIENCE
    while len(run.screen) != 12 or max(map(len, run.screen)) > 40:
        if time.time() > end:
            sys.exit("not resized:\n%s" % "\n".join(run.screen))
        run.read()
    os.kill(run.pid, signal.SIGTSTP)
    if not os.WIFSTOPPED(run.wait(os.WUNTRACED)):
        sys.exit("SIGTSTP does not stop it")
    run.check_given_back("stopped")
    run.screen, run.text = [], ""
    os.kill(run.pid, signal.SIGCONT)
    run.see(r"paused")
    run.check_taken()
    os.write(run.fd, b"q")
    end = time.time() + PATIENCE
    while run.modes[1049] and time.time() < end:
        run.read()
    os.write(run.fd, b"\003")  # for the program, which is waited for
    if run.wait():
        sys.exit("q: it fails: %s" % run.text[-2000:])
    run.check_given_back("q")
    if not re.search(r"\d+ ticks: \d+ stacks, \d+ lost\r", run.text):
        sys.exit("no account at the end: %s" % run.text[-2000:])


def check_signal(stackproof, number):
    run = Terminal([stackproof, "profile", "--top"])
    run.see(r"PROCESS(.|\n)*%")
    run.check_taken()
    os.kill(run.pid, number)
    status = run.wait()
    run.check_given_back(signal.Signals(number).name)
    killed = number == signal.SIGSEGV
    if os.WIFSIGNALED(status) != killed or not killed and status:
        sys.exit("%s: status %#x: %s" % (signal.Signals(number).name, status, run.text[-2000:]))


def check_stuck(stackproof):
    """Nobody reads: it ends all the same, and what it has to say is dropped."""
    run = Terminal([stackproof, "profile", "--top"])
    run.see(r"PROCESS(.|\n)*%")
    run.fill()
    os.kill(run.pid, signal.SIGTERM)
    end = time.time() + PATIENCE
    while not os.waitpid(run.pid, os.WNOHANG)[0]:
        if time.time() > end:
            sys.exit("it waits for a terminal that takes nothing")
        time.sleep(0.1)
    if termios.tcgetattr(run.fd) != run.before:
        sys.exit("stuck: stty: %s, before %s" % (termios.tcgetattr(run.fd), run.before))


def check_command_has_none(stackproof):
    """A COMMAND can't open the terminal, and ^C ends it."""
    run = Terminal([stackproof, "profile", "--top", "--", "/bin/sh", "-c",
                    "(echo TAKEN >/dev/tty) 2>tty; while :; do :; done"])
    run.see(r"PROCESS(.|\n)*% sh\b")
    os.write(run.fd, b"\003")
    run.wait()
    with open("tty", encoding="utf-8") as file:
        if "/dev/tty" not in file.read() or "TAKEN" in run.text:
            sys.exit("COMMAND has a terminal")
    run.check_given_back("COMMAND")


check_keys(*sys.argv[1:])
check_stuck(sys.argv[1])
check_command_has_none(sys.argv[1])
for one in signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV:
    check_signal(sys.argv[1], one)
