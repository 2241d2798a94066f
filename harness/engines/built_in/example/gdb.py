#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# gdb.py - gdb's unwinder as an engine
#
#	stackproof compare --limit 1000 --engine 'cfi,gdb=python3 harness/engines/built_in/example/gdb.py' -- PROGRAM
#
# gdb sees a process through its remote protocol ("Remote Protocol" in its manual), and who is at
# the other end is this program: registers are those of the point, memory is asked for where gdb
# asks for it. Images are added as symbol files at the places where they are mapped. For each point
# gdb is told to forget what it knew, and lists its frames (GDB/MI). It does not say whether the last
# of them is the outermost one, so the stop is "foreign". A function that was inlined is a frame of its
# own to gdb where it has debug information, so separate debug files are left out.
import os
import re
import select
import socket
import subprocess
import sys
import tempfile

FRAMES = 10000
# rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, rip by DWARF's numbers: gdb's own order.
ORDER = [0, 3, 2, 1, 4, 5, 6, 7, *range(8, 17)]
G_PACKET_BYTES = 536  # with eflags, segments, x87 and SSE, which are 0
SETTINGS = """set confirm off
set architecture i386:x86-64
set osabi GNU/Linux
set auto-solib-add off
set stop-on-solib-events 0
set stack-cache off
set code-cache off
set backtrace past-main on
set backtrace past-entry on
set debug-file-directory /nonexistent
set debuginfod enabled off"""
PLAIN_ANSWERS = {"?": "T05thread:1;", "qC": "QC1", "qfThreadInfo": "m1", "qsThreadInfo": "l", "qAttached": "1"}


def say(*words):
    print(*words, flush=True)


def hear():
    return sys.stdin.readline().split()


class Gdb:
    def __init__(self):
        self.registers, self.point = [0] * 17, None
        folder = tempfile.mkdtemp()
        self.path = os.path.join(folder, "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen(1)
        command = ["gdb", "-nx", "-quiet", "--interpreter=mi3"]
        self.gdb = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.said, self.remote, self.packets = b"", None, b""
        for setting in SETTINGS.splitlines():
            self.command(setting)
        self.gdb.stdin.write(f"target remote {self.path}\n".encode())
        self.remote = listener.accept()[0]
        os.unlink(self.path)
        os.rmdir(folder)
        self.result()

    def command(self, text):
        self.gdb.stdin.write(text.encode() + b"\n")
        return self.result()

    def result(self):
        """What gdb says to the last command; meanwhile its packets are answered."""
        while True:
            found = re.search(rb"^(\^(?:done|error|connected|running).*)$", self.said, re.M)
            if found and b"(gdb)" in self.said[found.end() :]:
                self.said = b""
                return found.group(1).decode("ascii", "replace")
            ready = select.select([x for x in (self.gdb.stdout, self.remote) if x], [], [])[0]
            if self.remote in ready:
                self.serve()
            if self.gdb.stdout in ready:
                self.said += os.read(self.gdb.stdout.fileno(), 65536) or sys.exit("gdb has ended")

    def serve(self):
        self.packets += self.remote.recv(65536)
        while found := re.search(rb"\$([^#]*)#..", self.packets):
            self.packets = self.packets[found.end() :]
            answer = self.answer(found.group(1).decode("latin-1"))
            self.remote.sendall(f"+${answer}#{sum(answer.encode()) % 256:02x}".encode())

    def answer(self, packet):
        if packet in PLAIN_ANSWERS:
            return PLAIN_ANSWERS[packet]
        if packet[0] == "g":
            words = (self.registers[number].to_bytes(8, "little") for number in ORDER)
            return b"".join(words).ljust(G_PACKET_BYTES, b"\0").hex()
        if packet[0] == "m":
            if not self.point:  # between points there is no memory
                return "E14"
            address, count = (int(word, 16) for word in packet[1:].split(","))
            say("read", self.point, f"{address:x}", count)
            memory = hear()
            return memory[1] if memory[0] == "memory" else "E14"
        return "OK" if packet[0] == "H" else ""

    def mappings(self, count):
        self.command("symbol-file")  # all are forgotten
        added = []
        for _ in range(count):
            words = sys.stdin.readline().rstrip("\n").split(" ", 6)
            path, bias = words[6], int(words[4], 16)
            if path.startswith("/") and path not in added:
                self.command(f'add-symbol-file "{path}" -o {bias}')
                added.append(path)

    def walk(self, point, registers):
        self.point, self.registers = point, registers
        for command in ("maintenance flush register-cache", "maintenance flush dcache"):
            self.command(command)
        frames = re.findall(r'addr="0x([0-9a-f]+)"', self.command(f"-stack-list-frames 0 {FRAMES}"))
        self.point = None
        return frames or [f"{registers[16]:x}"]


engine = Gdb()
while line := hear():
    if line[0] == "hello":
        say("hello 1\nversion", subprocess.getoutput("gdb --version").splitlines()[0], "\nready")
    elif line[0] == "mappings":
        engine.mappings(int(line[1]))
    elif line[0] == "points":
        _, number, *values = hear()
        frames = engine.walk(number, [int(value, 16) for value in values[:17]])
        say("stack", number, "foreign", *frames)
engine.gdb.kill()
