#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""truth_read.py FILE - a truth file, read by docs/TRUTH_FILE.md alone: each stack's counts, and frames outermost first"""
import io
import sys
import zlib


def take(data, size):
    part = data.read(size)
    if len(part) != size:
        raise ValueError("cut off")
    return part


def number(data, signed=False):
    value = shift = 0
    while True:
        byte, = take(data, 1)
        value, shift = value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return value - (1 << shift) if signed and byte & 0x40 else value


def stacks_of(tree, size):
    way = []  # (image, address, interrupts) of the frames, outermost first
    while tree.tell() < size:
        head = number(tree)
        up = head >> 3
        base = way[len(way) - up] if up else way[-1] if way else (0, 0)
        image = number(tree) if head & 1 else base[0]
        address = number(tree) if head & 1 else (base[1] + number(tree, True)) % 2**64
        way = way[:len(way) - up] + [(image, address, bool(head & 4))]
        yield way, (number(tree), *((number(tree), number(tree)) if head & 2 else (0, 0)))


def read(data):
    fields, images, stacks, letter = [], [], [], b""
    version = take(data, 19)
    if version not in (b"stackproof truth 1\n", b"stackproof truth 2\n"):
        raise ValueError("no truth file of this version")
    while letter != b"E":
        letter, size = take(data, 1), number(data)
        item = io.BytesIO(take(data, size))
        if letter in b"SC":
            name = take(item, number(item))
            fields.append((name, take(item, number(item)) if letter == b"S" else number(item)))
        elif letter == b"I":
            images.append((number(item), take(item, number(item)), take(item, number(item)).hex()))
        elif letter in b"TO":
            stacks += [(letter == b"T", way, counts) for way, counts in stacks_of(item, size) if any(counts)]
        elif letter.isupper() and (letter != b"E" or number(item) != sum(sum(stack[2]) for stack in stacks)):
            raise ValueError("other counts than it says, or an item of an unknown kind")
    end = data.tell()
    data.seek(0)
    if version[17:18] == b"2" and zlib.crc32(take(data, end)) != int.from_bytes(take(data, 4), "little"):
        raise ValueError("damaged")
    return fields, images, stacks


if __name__ == "__main__":
    for is_whole, frames, how_often in read(open(sys.argv[1], "rb"))[2]:
        print(*how_often, "whole" if is_whole else "open", *(f"{frame[0]}:{frame[1]:x}" for frame in frames))
