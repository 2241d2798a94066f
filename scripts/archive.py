# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# archive.py - what a linker takes of an archive for an object
import functools
import os
import subprocess


def symbols(path):
    """For each member (an object is one): its name, the global names that it defines, and those it wants."""
    said = subprocess.run(["nm", "-g", path], capture_output=True, text=True, check=True)
    members = [(path, set(), set())]
    for line in said.stdout.splitlines():
        words = line.split()
        if line.endswith(":"):
            members.append((os.path.basename(line[:-1]), set(), set()))
        elif len(words) > 1:
            members[-1][2 if words[-2] in "Uw" else 1].add(words[-1])
    return members


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
