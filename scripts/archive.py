# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# archive.py - what a linker takes of an archive for an object
import functools
import os
import subprocess


known = {}


def read_symbols(paths):
    """By one nm: that of a program for each object took longer than all else."""
    said = subprocess.run(["nm", "-gA", *paths], capture_output=True, text=True, check=True)
    for path in paths:
        known[path] = []
    members = {}
    for line in said.stdout.splitlines():
        where, _, rest = line.rpartition(":")
        if where not in members:
            path = where if where in known else where.rpartition(":")[0]
            members[where] = os.path.basename(where), set(), set()
            known[path].append(members[where])
        words = rest.split()
        members[where][2 if words[-2] in "Uw" else 1].add(words[-1])


def symbols(path):
    """For each member (an object is one): its name, the global names that it defines, and those it wants."""
    if path not in known:
        read_symbols([path])
    return known[path]


class Archive:
    def __init__(self, path):
        self.members, self.by_name = symbols(path), {}
        for number, (_, defined, _) in enumerate(self.members):
            for name in defined:
                self.by_name.setdefault(name, number)

    @functools.lru_cache(None)
    def taken(self, path):
        """Members that are linked with the object, as symbols() has them."""
        wanted, taken = set().union(*(member[2] for member in symbols(path))), {}
        while wanted:
            number = self.by_name.get(wanted.pop())
            if number is not None and number not in taken:
                taken[number] = self.members[number]
                wanted |= taken[number][2]
        return list(taken.values())

    def functions(self, path):
        return set().union(*(defined for _, defined, _ in self.taken(path)))
