#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# fp.py - the chain of frame pointers as an engine: docs/ENGINES.md and nothing else
#
#	stackproof compare --engine 'cfi,own=python3 harness/engines/built_in/example/fp.py' -- PROGRAM
#
# rbp leads to the caller's rbp, and the word above that is the return address (psABI, figure 3.3).
# Nothing proves an end, so the stop is never "complete".
import sys

RBP, RSP, RIP = 6, 7, 16


def say(*words):
    print(*words, flush=True)


def hear():
    return sys.stdin.readline().split()


def word(point, registers, window, address):
    if address > (1 << 64) - 8:  # rbp may be any number
        return None
    at = address - registers[RSP]
    if not 0 <= at <= len(window) - 8:
        say("read", point, f"{address:x}", 8)
        answer = hear()
        window, at = bytes.fromhex(answer[1]) if answer[0] == "memory" else b"", 0
    return int.from_bytes(window[at : at + 8], "little") if window else None


def walk(point, registers, window):
    pcs, frame = [registers[RIP]], registers[RBP]
    while True:
        caller, pc = (word(point, registers, window, frame + at) for at in (0, 8))
        if caller is None or pc is None:
            return "read_fault", pcs
        if not pc:
            return "zero_return", pcs
        pcs.append(pc)
        if caller <= frame:
            return "no_progress", pcs
        frame = caller


while line := hear():
    if line[0] == "hello":
        say("hello 1\nversion fp.py 1\nwindow 4096\nready")
    elif line[0] == "points":
        _, number, *rest = hear()
        registers = [int(value, 16) for value in rest[:17]]
        window = bytes.fromhex(rest[17].strip("-"))
        stop, pcs = walk(number, registers, window)
        say("stack", number, stop, *(f"{pc:x}" for pc in pcs))
