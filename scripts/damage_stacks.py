#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""damage_stacks.py STACKPROOF TRUTH FOLDER [PROFILE] - does `score` find damaged stacks, and none else?

Takes the stacks of PROFILE (NDJSON of ours: `sample --profile`), or draws 20,000 of TRUTH's, and damages one in a
hundred: a frame is left out, two are swapped, or the callers are those of another stack, of another thread if there is
one. SEED=N (1) in the environment: other ones. A damaged stack may be a true one, or the first frames of one; whether
it is, is asked here of the truth file (truth_read.py), as docs/SCORE.md says it: frame by frame, the leaf by its
function. A function is what a symbol covers, or else an FDE, as readelf has them. Three profiles are scored:

    possible	all others, and what is still true: none may be impossible
    damaged	each must be impossible
    open	symbol and FDE don't agree on what a function is, or the truth is in doubt: only counted

Last line: "N passed, N failed, N skipped". Status: 0 right; 1 not; 77 the truth has a gap or nothing was damaged.
"""
import bisect
import collections
import json
import os
import random
import re
import subprocess
import sys

import truth_read

SAMPLES, ONE_IN = 20000, 100


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout


class Image:
    """Where functions begin, by symbols and by FDEs."""

    def __init__(self, path):
        self.path = path
        fdes = re.findall(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)",
                          run("readelf", "-W", "--debug-dump=frames", path), re.M)
        lines = [line.split() for line in run("readelf", "-sW", path).splitlines()]
        symbols = [(int(word[1], 16), int(word[1], 16) + int(word[2], 0)) for word in lines
                   if len(word) > 6 and word[3] in ("FUNC", "IFUNC", "GNU_IFUNC") and word[6] != "UND"]
        self.fdes = sorted({(int(first, 16), int(end, 16)) for first, end in fdes})
        self.symbols = sorted(set(symbols))

    @staticmethod
    def find(ranges, address):
        at = bisect.bisect(ranges, (address, 1 << 64)) - 1
        return ranges[at][0] if at >= 0 and address < ranges[at][1] else None

    def functions(self, address):
        fde, symbol = self.find(self.fdes, address), self.find(self.symbols, address)
        return (fde, symbol if symbol is not None else fde)


class Truth:
    def __init__(self, path):
        fields, images, self.stacks = truth_read.read(open(path, "rb"))
        self.fields = {name.decode(): value for name, value in fields}
        self.paths = [path.decode(errors="surrogateescape") for _, path, _ in images]
        self.images = [Image(path) if os.path.exists(path) else None for path in self.paths]
        self.child, self.named = {}, collections.defaultdict(list)
        self.leaves = collections.defaultdict(set)  # by node: image and functions of its children that are leaves
        self.doubted = set()
        for is_whole, way, counts in self.stacks:
            node = 0 if is_whole else -1
            for frame in way[:-1]:
                key = (node, *frame[:2])
                if key not in self.child:
                    self.child[key] = len(self.child) + 1
                    self.named[frame[:2]].append(self.child[key])
                node = self.child[key]
            image, address, _ = way[-1]
            if counts[0] or counts[2]:
                self.leaves[node].add((image, self.functions(image, address)))
            if counts[1]:
                self.doubted.add((image, self.functions(image, address)))

    def functions(self, image, address):
        known = self.images[image] and self.images[image].functions(address)
        return known if known and known != (None, None) else (address, address)

    def is_possible(self, stack, which):
        """stack: image and address, the leaf first. which: functions by FDEs (0) or symbols (1)."""
        image, address = stack[0]
        leaf = (image, self.functions(image, address)[which])
        if len(stack) == 1:
            nodes = self.leaves
        else:
            nodes = self.named.get(stack[-1], [])
            for frame in reversed(stack[1:-1]):
                nodes = [self.child[(node, *frame)] for node in nodes if (node, *frame) in self.child]
        return any((image, functions[which]) == leaf for node in nodes for image, functions in self.leaves.get(node, ()))

    def is_doubted(self, stack):
        image, address = stack[0]
        return (image, self.functions(image, address)) in self.doubted


def read_profile(path, truth):
    number, images, stacks = {name: i for i, name in enumerate(truth.paths)}, {}, []
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        item = json.loads(line)
        if item["type"] == "profile_image":
            images[item["image"]] = number.get(item.get("path"))
        elif item["type"] == "profile_stack":
            frames = [(images.get(frame.get("image")), int(frame.get("vaddr", "-1"), 16)) for frame in item["frames"]]
            if frames and all(image is not None and address >= 0 for image, address in frames):
                stacks += [frames] * item["count"]
    return stacks


def taken_of(way):
    return [frame[:2] for frame in reversed(way)]


def damage(stack, others, random_):
    stack, kind = list(stack), random_.randrange(3)
    at = random_.randrange(len(stack) - 1)
    if kind == 0:
        del stack[at]
    elif kind == 1:
        stack[at], stack[at + 1] = stack[at + 1], stack[at]
    else:
        other = taken_of(random_.choice(others)[1])
        stack = stack[:at + 1] + other[min(at + 1, len(other) - 1):]
    return stack


def write(path, truth, stacks):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        for number, name in enumerate(truth.paths):
            print(json.dumps({"type": "profile_image", "image": number + 1, "path": name}), file=file)
        for stack in stacks:
            frames = [{"image": image + 1, "vaddr": hex(address)} for image, address in stack]
            print(json.dumps({"type": "profile_stack", "count": 1, "frames": frames}), file=file)


def main():
    stackproof, truth_path, folder = sys.argv[1:4]
    truth, random_ = Truth(truth_path), random.Random(int(os.environ.get("SEED", "1")))
    whole = [stack for stack in truth.stacks if stack[0] and (stack[2][0] or stack[2][2])]
    if len(sys.argv) > 4:
        taken = read_profile(sys.argv[4], truth)
    else:
        taken = [taken_of(random_.choice(whole)[1]) for _ in range(SAMPLES)]
    threads = collections.defaultdict(list)
    for stack in whole:
        threads[stack[1][0][:2]].append(stack)
    lists = {"possible": [], "damaged": [], "open": []}
    damaged = 0
    for number, stack in enumerate(taken):
        if number % ONE_IN == ONE_IN - 1 and len(stack) > 1:
            outer = [first for first in threads if first != stack[-1]]
            stack = damage(stack, threads[random_.choice(outer)] if outer else whole, random_)
            damaged += 1
            answers = {truth.is_possible(stack, which) for which in (0, 1)}
            if len(answers) > 1 or truth.is_doubted(stack):
                lists["open"].append(stack)
            else:
                lists["possible" if answers.pop() else "damaged"].append(stack)
        else:
            lists["possible"].append(stack)
    failed = 0
    for name, stacks in lists.items():
        path = os.path.join(folder, name + ".ndjson")
        write(path, truth, stacks)
        lines = run(stackproof, "score", "--json", "--same", "build,run", "--truth", truth_path, path).splitlines() if stacks else []
        score = next((item for item in map(json.loads, lines) if item["type"] == "score"), None)
        impossible = score["impossible"] if score else 0
        print(f"{name}: {len(stacks)} stacks, {impossible} impossible, {score['unproven'] if score else 0} unproven")
        wrong = stacks and (not score or score["samples"] != len(stacks) or
                            impossible != (len(stacks) if name == "damaged" else impossible if name == "open" else 0))
        failed += bool(wrong)
    print(f"{damaged} of {len(taken)} stacks damaged, {len(lists['damaged'])} of them no true stack any more, "
          f"{len(lists['open'])} open")
    if not lists["damaged"] and not failed:
        print("0 passed, 0 failed, 1 skipped")
        return 77
    print(f"{3 - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
